"""How well surface-only baselines guess answers: `python -m benchmarks.baselines [PROJECT …]`.

They see a question's visible part and learn from the others' truths; none opens anything. Per
track: accuracy in leave-one-group-out, its advantage over the better constant, and an interval.
Pairs are never split, so each fold has as many yes as no and chance is .5.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from groundeval import api
from groundeval.migrate.config import translate
from groundeval.migrate.log_types import event_types
from groundeval.questions.model import Question
from groundeval.world.canonical import blake

ROOT = Path(__file__).parents[1]
PEERS = ("cybersecurity", "enterprise-support", "finance")
FOLDS = 5
NGRAM = 4
CAP = 40
_NUMBER = re.compile(r"\d+")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


@dataclass(frozen=True, slots=True)
class Item:
    """A question as a baseline sees it, its answer, and the pair it belongs to."""

    question: Question
    answer: bool
    pair: str


Predict = Callable[[Question], bool]
Learn = Callable[[Sequence[Item]], Predict]
Hold = Callable[[Item], Hashable]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A way to learn, and what must not be known from training when it is tested."""

    name: str
    learn: Learn
    held_out: Hold


def by_pair(item: Item) -> Hashable:
    """One of the folds that pairs are spread over."""
    return blake(0, item.pair)[0] % FOLDS


def majority(train: Sequence[Item]) -> Predict:
    """The more frequent answer; yes where there are as many of both."""
    usual = 2 * sum(i.answer for i in train) >= len(train)
    return lambda _: usual


def by_feature(feature: Callable[[Question], Iterable[Hashable]]) -> Learn:
    """Naive Bayes, smoothed by one, over whatever features a question has."""

    def learn(train: Sequence[Item]) -> Predict:
        counts: dict[bool, Counter[Hashable]] = {True: Counter(), False: Counter()}
        for item in train:
            counts[item.answer].update(set(feature(item.question)))
        size = Counter(i.answer for i in train)

        def odds(question: Question) -> float:
            found = math.log((size[True] + 1) / (size[False] + 1))
            for name in sorted(set(feature(question)), key=repr):
                yes = (counts[True][name] + 1) / (size[True] + 2)
                found += math.log(yes * (size[False] + 2) / (counts[False][name] + 1))
            return found

        return lambda question: odds(question) >= 0

    return learn


def who_and_what(question: Question) -> Iterator[Hashable]:
    """Actor, role, and the type or spec."""
    yield from (("actor", question.actor), ("role", question.role), ("spec", question.spec))


def characters(question: Question) -> Iterator[str]:
    """Character n-grams of the text, digits as they are."""
    text = f"  {question.text.lower()}  "
    yield from (text[n : n + NGRAM] for n in range(len(text) - NGRAM + 1))


def stump(number: Callable[[Question], float]) -> Learn:
    """The best cut through one number, in either direction."""

    def learn(train: Sequence[Item]) -> Predict:
        values = sorted((number(i.question), i.answer) for i in train)
        yes = sum(answer for _, answer in values)
        best, cut, above = max(yes, len(values) - yes), -math.inf, 2 * yes >= len(values)
        seen = 0
        for place, (value, answer) in enumerate(values, 1):
            seen += answer
            if place < len(values) and values[place][0] == value:
                continue
            # Right when all beyond the cut are yes and all up to it are no, or the reverse.
            right = (yes - seen) + (place - seen)
            for score, direction in ((right, True), (len(values) - right, False)):
                if score > best:
                    best, cut, above = score, value, direction
        return lambda question: (number(question) > cut) is above

    return learn


def as_of_number(question: Question) -> float:
    """The date as a number that grows with it."""
    return float(re.sub(r"\D", "", question.as_of or "0"))


def first_key_number(question: Question) -> float:
    """The number in the first key that has one."""
    found = _NUMBER.search(" ".join(question.keys))
    return float(found[0]) if found else -1.0


def gap_in_text(question: Question) -> float:
    """Between the first two instants of the text, in whole digits; 0 where there are not two."""
    instants = _INSTANT.findall(question.text)
    if len(instants) < 2:
        return 0.0
    first, second = (float(re.sub(r"\D", "", i)) for i in instants[:2])
    return second - first


BASELINES = (
    Baseline("majority", majority, by_pair),
    Baseline(
        "actor and type, actors held out", by_feature(who_and_what), lambda i: i.question.actor
    ),
    Baseline("actor and type, types held out", by_feature(who_and_what), lambda i: i.question.spec),
    Baseline("actor and type", by_feature(who_and_what), by_pair),
    Baseline(f"character {NGRAM}-grams", by_feature(characters), by_pair),
    Baseline("date", stump(as_of_number), by_pair),
    Baseline("number in the ids", stump(first_key_number), by_pair),
    Baseline("gap between the instants", stump(gap_in_text), by_pair),
)


def tested(baseline: Baseline, items: Sequence[Item]) -> tuple[int, int]:
    """(right, asked) over all folds; a pair is never both learnt from and tested."""
    folds: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        folds[baseline.held_out(item)].append(item)
    right = asked = 0
    for test in folds.values():
        pairs = {i.pair for i in test}
        held = {baseline.held_out(i) for i in test}
        train = [i for i in items if i.pair not in pairs and baseline.held_out(i) not in held]
        if not train:
            continue
        predict = baseline.learn(train)
        right += sum(predict(i.question) is i.answer for i in test)
        asked += len(test)
    return right, asked


def wilson(right: int, asked: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson 1927)."""
    if not asked:
        return 0.0, 1.0
    z, share = 1.959964, right / asked
    middle = (share + z * z / (2 * asked)) / (1 + z * z / asked)
    reach = z * math.sqrt(share * (1 - share) / asked + z * z / (4 * asked * asked))
    reach /= 1 + z * z / asked
    return max(0.0, middle - reach), min(1.0, middle + reach)


def items_of(compiled: api.Compiled) -> dict[str, list[Item]]:
    """The paired questions by track, each with its verdict: the truth's first boolean."""
    found: dict[str, list[Item]] = {}
    for question in compiled.drawn.questions:
        verdict = next((v for v in (question.truth or {}).values() if isinstance(v, bool)), None)
        if verdict is not None and question.pair is not None:
            pair = min(question.id, question.pair)
            found.setdefault(question.track, []).append(Item(question, verdict, pair))
    return found


def compiled_at(folder: Path) -> api.Compiled:
    """The project compiled with CAP questions of each track."""
    opened = api.open_project(folder)
    if opened.value is None:
        raise SystemExit(f"{folder}: {opened.diagnostics[0].message}")
    project = opened.value
    caps = dict.fromkeys(("perspective", "counterfactual", "silence"), CAP)
    file = project.file.model_copy(update={"caps": caps})
    found = api.compile_project(api.Project(project.folder, file, project.name))
    if found.value is None:
        raise SystemExit(f"{folder}: {found.diagnostics[0].message}")
    return found.value


def peers(folder: Path) -> Iterator[Path]:
    """The peer domains, imported into `folder`, where they are at hand."""
    shared = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared")) / "data" / "peer"
    for name in PEERS:
        config = shared / name / "config.yaml"
        if not config.is_file():
            sys.stderr.write(f"skipped {name}: there is no {config} (GROUNDEVAL_SHARED)\n")
            continue
        log = config.with_name("events.jsonl")
        translated = translate(config, event_types(log)).value
        assert translated is not None
        project = folder / name
        project.mkdir()
        (project / "contract.gev").write_text(translated.text, encoding="utf-8")
        artifacts = os.path.relpath(config.with_name("artifacts"), project)
        (project / "groundeval.yaml").write_text(
            f"contract: contract.gev\nevents: {os.path.relpath(log, project)}\n"
            f"artifacts: {artifacts}\n",
            encoding="utf-8",
        )
        yield project


def report(folders: Iterable[Path]) -> Iterator[str]:
    """A table for each track, over the questions of all projects together."""
    tracks: dict[str, list[Item]] = defaultdict(list)
    for folder in folders:
        for track, items in items_of(compiled_at(folder)).items():
            tracks[track] += items
    for track, items in sorted(tracks.items()):
        yield f"{track}: {len(items)} questions in pairs; chance .500"
        for baseline in BASELINES:
            right, asked = tested(baseline, items)
            if not asked:
                yield f"  {baseline.name:<33}  not enough to learn from"
                continue
            low, high = wilson(right, asked)
            share = right / asked
            interval = f"({low:.3f} to {high:.3f})"
            yield f"  {baseline.name:<33}  {share:.3f}  {share - 0.5:+.3f}  {interval}"


def main() -> None:
    """Print the tables."""
    given = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")]
    with TemporaryDirectory(prefix="groundeval-") as folder:
        folders = given or [ROOT / "examples" / "support", *peers(Path(folder))]
        for line in report(folders):
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
