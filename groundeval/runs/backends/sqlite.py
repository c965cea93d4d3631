"""SQLite's full-text index as a backend: FTS5 finds, and BM25 ranks what is on the shelf.

FTS5's own `bm25()` counts over its whole table, so what is closed would show through in the order
of what is open. Here FTS5 splits texts into words and tells which documents hold them how often;
the ranking is BM25 over fields (Robertson and Zaragoza, *The Probabilistic Relevance Framework*,
2009, section 3.6), whose collection is what the shelf holds of the documents with any word of the
query. A document outside of it is in no count.

    score(d) = Σ idf(w) · f(w, d) · (k + 1) / (f(w, d) + k · (1 - b + b · length(d) / average))
    idf(w)   = ln(1 + (n - df(w) + 0.5) / (df(w) + 0.5))

`f` counts the word in the text once, in the title twice, in the id three times; k = 1.2, b = 0.75.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from threading import Lock
from typing import Final

from groundeval.runs.backend import BackendUnusable, Document, Shelf

_TOKENS: Final = "tokenize=\"unicode61 remove_diacritics 2 tokenchars '-_'\", content=''"
_SCHEMA: Final = f"""
CREATE VIRTUAL TABLE held USING fts5(id, title, text, {_TOKENS});
CREATE VIRTUAL TABLE words USING fts5vocab(held, instance);
CREATE VIRTUAL TABLE asked USING fts5(query, {_TOKENS});
CREATE VIRTUAL TABLE asked_words USING fts5vocab(asked, instance);
"""
_HELD: Final = "SELECT doc, col, COUNT(*) FROM words WHERE term = ? GROUP BY doc, col"
_WEIGHTS: Final[Mapping[str, int]] = {"id": 3, "title": 2, "text": 1}
_K: Final = 1.2
_B: Final = 0.75
_MOST_WORDS: Final = 32
"""Different words of a query that are read, as by the own index."""

Counts = Mapping[int, int]
"""Document → how often it holds a word, weighted by the place."""


class SqliteBackend:
    """Full-text search by the SQLite that Python brings along; its file is temporary."""

    name = "sqlite"

    def open(self, documents: Iterable[Document]) -> SqliteRanker:
        """As of any backend. Time and space are linear in the size of the texts."""
        connection = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        try:
            connection.executescript(_SCHEMA)
        except sqlite3.OperationalError as fault:
            connection.close()
            reason = f"this Python's SQLite {sqlite3.sqlite_version} has no full text: {fault}"
            raise BackendUnusable(reason) from fault
        return SqliteRanker(connection, documents)


class SqliteRanker:
    """Documents in one FTS5 table. Calls take turns."""

    def __init__(self, connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
        self._connection = connection
        self._turn = Lock()
        self._ids: list[str] = []
        self._lengths: list[int] = []
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO held(rowid, id, title, text) VALUES (?, ?, ?, ?)", self._rows(documents)
        )
        connection.execute("COMMIT")

    def rank(self, query: str, shelf: Shelf, limit: int) -> Sequence[int]:
        """As of any ranker; equal scores are in the order of ids."""
        with self._turn:
            found = [self._holding(word, shelf) for word in self._words_of(query)]
        scores = self._scores([counts for counts in found if counts])
        best = sorted(scores, key=lambda number: (-round(scores[number], 9), self._ids[number]))
        return best[:limit]

    def close(self) -> None:
        """As of any ranker."""
        with self._turn:
            self._connection.close()

    def _rows(self, documents: Iterable[Document]) -> Iterator[tuple[int, str, str, str]]:
        for document in documents:
            assert document.number == len(self._ids)
            self._ids.append(document.id)
            self._lengths.append(len(document.title.split()) + len(document.text.split()))
            name, title, text = map(_storable, (document.id, document.title, document.text))
            yield document.number, name, title, text

    def _words_of(self, query: str) -> list[str]:
        """The different words of a query, split as the documents were."""
        run = self._connection.execute
        run("INSERT INTO asked(rowid, query) VALUES (1, ?)", (_storable(query),))
        with closing(run("SELECT term FROM asked_words ORDER BY offset")) as rows:
            # A dash between blanks is a token too, and no word.
            words = list(dict.fromkeys(w for (w,) in rows if any(c.isalnum() for c in w)))
        run("INSERT INTO asked(asked) VALUES ('delete-all')")
        return words[:_MOST_WORDS]

    def _holding(self, word: str, shelf: Shelf) -> Counts:
        """What on the shelf holds a word, and how often."""
        counts: dict[int, int] = {}
        for number, column, times in self._connection.execute(_HELD, (word,)):
            if number in counts or shelf.holds(number):
                counts[number] = counts.get(number, 0) + _WEIGHTS[column] * times
        return counts

    def _scores(self, found: Sequence[Counts]) -> dict[int, float]:
        """BM25 of every document that holds any of the words, over just these documents."""
        scores = dict.fromkeys((number for counts in found for number in counts), 0.0)
        if not scores:
            return scores
        average = math.fsum(self._lengths[number] for number in scores) / len(scores) or 1.0
        for counts in found:
            worth = math.log(1 + (len(scores) - len(counts) + 0.5) / (len(counts) + 0.5))
            for number, times in counts.items():
                long = 1 - _B + _B * self._lengths[number] / average
                scores[number] += worth * times * (_K + 1) / (times + _K * long)
        return scores


def _storable(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
