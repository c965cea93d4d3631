"""From a root file to a program: everything that the rule files say, resolved and typed."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from groundeval.diagnostics import Checked, Diagnostic, Severity, Span, codes, has_errors, in_order
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import program as ir
from groundeval.semantics.collect import collect
from groundeval.semantics.declared import Declared, declared
from groundeval.semantics.domain import data_rules, rules
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.files import Files
from groundeval.semantics.loader import RuleFile, load
from groundeval.semantics.suppressions import Suppression, allowed, suppressions
from groundeval.semantics.symbols import DataFacts, Findings, Symbols
from groundeval.semantics.tests import OtherContract, report_repeated, test
from groundeval.semantics.track_params import Params
from groundeval.semantics.tracks import track
from groundeval.semantics.wordings import wordings
from groundeval.syntax import ast

_NO_PARAMS: Final = Params()
_FOLLOWS: Final = frozenset(
    {
        codes.UNKNOWN_ROLE,
        codes.UNKNOWN_SUBSYSTEM,
        codes.UNKNOWN_EVENT_TYPE,
        codes.UNKNOWN_GATE,
        codes.UNKNOWN_TRACK,
        codes.UNKNOWN_ACTOR,
        codes.UNKNOWN_LISTED_NAME,
        codes.UNKNOWN_NAME,
        codes.UNKNOWN_FIELD,
        codes.UNDECLARED_FIELD,
        codes.UNKNOWN_FUNCTION,
        codes.UNUSED_LET,
        codes.UNUSED_SUPPRESSION,
        codes.NO_ZONE,
        codes.NEVER_PERMITS,
        codes.UNREAD_NAME,
    }
)
"""What is reported only where every declaration could be read: else it may be about one of them."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A program, its names, and everything that was found; `program` may be faulty."""

    program: ir.Program
    symbols: Symbols
    findings: tuple[Diagnostic, ...]


def analyse(
    root: str,
    files: Files,
    *,
    data: DataFacts | None = None,
    params: Params = _NO_PARAMS,
    today: int | None = None,
) -> Checked[ir.Program]:
    """The program of the rule file `root` and all that it uses, with every finding in order.

    The value is None where any finding is an error. Places name files relative to the folder that
    `files` reads from, so `root` is best a bare name. `data` says what the log and the corpus
    show, `params` what the project sets; `today` (microseconds) is held against the last days of
    `allow` comments, which nothing is where it is None. A policy or a track alone is a program
    too: it is then called like its file.
    """
    return analyse_for_data(root, files, data=data, params=params, today=today).checked


@dataclass(frozen=True, slots=True)
class Analysed:
    """What `analyse` gives, and the `allow` comments that are about findings of later stages."""

    checked: Checked[ir.Program]
    later: tuple[Suppression, ...]


def analyse_for_data(
    root: str,
    files: Files,
    *,
    data: DataFacts | None = None,
    params: Params = _NO_PARAMS,
    today: int | None = None,
) -> Analysed:
    """As `analyse`, for whoever goes on to read data: hold `later` against what is found then."""
    loaded = load([root], files)
    if loaded.value is None:
        return Analysed(Checked(None, in_order(loaded.diagnostics)), ())
    analysis = _Analysing(root, files, data, params).with_tests(loaded.value)
    found = [*loaded.diagnostics, *analysis.findings]
    if has_errors(loaded.diagnostics):
        found = [d for d in found if d.code not in _FOLLOWS]
    given, faulty = _suppressions(loaded.value)
    now = [s for s in given if not _is_later(s, data)]
    shown = in_order([*allowed(found, now, today), *faulty])
    checked = Checked(None if has_errors(shown) else analysis.program, shown)
    return Analysed(checked, tuple(s for s in given if _is_later(s, data)))


def outline(root: str, files: Files) -> ir.Program | None:
    """What has to be known before the data are: settings, roles, actors and sources.

    Everything else of the program is empty. None where any of this is faulty: `analyse` says why.
    """
    loaded = load([root], files)
    if loaded.value is None or has_errors(loaded.diagnostics):
        return None
    findings = Findings()
    names = declared(loaded.value)
    elaborator = Elaborator(collect(names, None, findings), findings)
    found = data_rules(names, root, elaborator, findings)
    return None if has_errors(findings.all) else found


def _suppressions(
    files: Sequence[RuleFile],
) -> tuple[Sequence[Suppression], Sequence[Diagnostic]]:
    """The `allow` comments of the project's own files, and what is wrong with them."""
    faulty = Findings()
    given = [s for f in files if f.origin == "project" for s in suppressions(f, faulty)]
    return given, faulty.all


def _is_later(suppression: Suppression, data: DataFacts | None) -> bool:
    """Whether only a later stage, or this one with data at hand, can make such a finding."""
    if suppression.code == codes.FIELD_NOT_IN_DATA.id:
        return data is None
    return suppression.code >= _DATA_FINDINGS or suppression.code == codes.SHARED_EFFECT.id


_DATA_FINDINGS: Final = "GEV7"
"""Findings from here on are about data."""


@dataclass(frozen=True, slots=True)
class _Analysing:
    """`root` is the contract at hand, also while the one of a test is analysed beside it."""

    root: str
    files: Files
    data: DataFacts | None
    params: Params

    def with_tests(self, loaded: Sequence[RuleFile]) -> Analysis:
        """Everything but the tests of what comes bundled, which are checked where they stand."""
        findings = Findings()
        names = declared(loaded)
        analysis, elaborator = self.rules(names, self.root, findings)
        tracks = {t.id: t for t in analysis.program.tracks}
        contracts = _Contracts(self, {f.name: f for f in loaded}, findings)
        own = (d for f in loaded if f.origin == "project" for d in f.declarations)
        trees = [d for d in own if isinstance(d, ast.Test)]
        tests = tuple(test(d, elaborator, tracks, contracts.load) for d in trees)
        report_repeated(trees, tests, findings)
        _unused_lets(names, self.root, elaborator, findings)
        program = replace(analysis.program, tests=tests)
        return Analysis(program, analysis.symbols, tuple(findings.all))

    def rules(self, names: Declared, root: str, findings: Findings) -> tuple[Analysis, Elaborator]:
        """The program without its tests, and the elaborator that knows its names."""
        symbols = collect(names, self.data, findings)
        elaborator = Elaborator(symbols, findings)
        built = rules(names, root, elaborator, findings)
        tracks = self._tracks(names, elaborator)
        said = wordings(names, tracks, elaborator, findings)
        if root == self.root:  # what the project sets is not about the contracts of tests
            self._unknown_params(symbols, findings)
        program = replace(built, tracks=tracks, wordings=said)
        return Analysis(program, symbols, ()), elaborator

    def _tracks(self, names: Declared, elaborator: Elaborator) -> tuple[ir.Track, ...]:
        """The tracks by id, the first declaration of each."""
        found: dict[str, ir.Track] = {}
        for t in names.tracks:
            built = track(t.tree, t.id, elaborator, self.params.of(t.id))
            found.setdefault(t.id, built)
        return tuple(found[track_id] for track_id in sorted(found))

    def _unknown_params(self, symbols: Symbols, findings: Findings) -> None:
        for track_id in sorted(set(self.params.values) - set(symbols.tracks)):
            message = f"the project sets params of `{track_id}`, which is no track in use"
            help_ = did_you_mean(track_id, symbols.tracks)
            place = self.params.places.get((track_id,), Span.at(self.root, 1))
            findings.add(codes.UNKNOWN_PARAM, message, place, "", help_)


@dataclass(slots=True)
class _Contracts:
    """The contracts that tests are set in, each analysed once."""

    analysing: _Analysing
    own: Mapping[str, RuleFile]
    findings: Findings
    known: dict[tuple[str, str], OtherContract | None] = field(default_factory=dict)

    def load(self, path: str, span: Span) -> OtherContract | None:
        """The contract at `path` from the file of `span` on, with that file's own rules added.

        A file with a `domain` line is a contract of its own and adds nothing to another one.
        """
        name = posixpath.normpath(posixpath.join(posixpath.dirname(span.file), path))
        key = (name, span.file)
        if key not in self.known:
            self.known[key] = self._analyse(name, path, span)
        return self.known[key]

    def _analyse(self, name: str, path: str, span: Span) -> OtherContract | None:
        if self.analysing.files.read(name) is None:
            folder = posixpath.dirname(name) or "."
            help_ = did_you_mean(name, self.analysing.files.list(folder))
            message = f"there is no rule file `{path}`"
            self.findings.add(codes.UNKNOWN_MODULE, message, span, "nothing is found here", help_)
            return None
        whole = any(isinstance(d, ast.Domain) for d in self.own[span.file].declarations)
        roots = [name] if whole or name == span.file else [name, span.file]
        base = posixpath.dirname(self.analysing.root)
        loaded = load(roots, self.analysing.files, base)
        found = Findings()
        names = declared(loaded.value or ())
        analysis, _ = self.analysing.rules(names, name, found)
        every = (*loaded.diagnostics, *found.all)
        self.findings.all.extend(d for d in every if d.severity is Severity.ERROR)
        return OtherContract(analysis.program, analysis.symbols)


def _unused_lets(names: Declared, root: str, elaborator: Elaborator, findings: Findings) -> None:
    """A warning for each let of the root file that nothing uses; other files are libraries."""
    faulty = {d.span for d in findings.all}
    for let in names.all(ast.Let):
        used = let.span in elaborator.used_lets or let.name.span in faulty
        if let.span.file == root and not used:
            message = f"nothing uses `{let.name.text}`"
            findings.add(codes.UNUSED_LET, message, let.name.span, "", "take it away, or use it")
