"""`import config`: the preprint's YAML domain config as a contract.

What cannot be said in the language is listed at the top of the contract, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from groundeval.diagnostics import Checked, Diagnostic, Span
from groundeval.diagnostics.codes import FOREIGN_CONFIG
from groundeval.migrate.config_model import (
    DomainConfig,
    JoinConfig,
    LinkConfig,
    PlaceConfig,
    SilenceConfig,
)
from groundeval.syntax.automaton import RESERVED
from groundeval.world.documents import read_yaml
from groundeval.world.files import DataFile

_PARTS = {"artifact_ids": "artifacts", "artifacts": "artifacts", "facts": "facts"}
_WORD = re.compile(r"[^\W\d]\w*")
_HOLE = re.compile(r"\{([^{}]*)\}")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class Translation:
    """The contract's text, what was left out (in words), and what the project file needs."""

    text: str
    left_out: tuple[str, ...]
    seed: int | None
    artifacts: str | None


def translate(path: Path, event_types: Iterable[str] = ()) -> Checked[Translation]:
    """The contract that says what the config at `path` says.

    `event_types` are further types to declare: those that the log at hand has. A file that is no
    such config gives findings and no value.
    """
    documents = list(read_yaml(DataFile.of(path)))
    faults = tuple(d for d in documents if isinstance(d, Diagnostic))
    if faults:
        return Checked(None, faults)
    if len(documents) != 1 or isinstance(documents[0], Diagnostic):
        message = f"the file holds {len(documents)} mappings, not one"
        return Checked(None, (_finding(path, message),))
    try:
        config = DomainConfig.model_validate(documents[0][1])
    except ValidationError as error:
        return Checked(None, tuple(_finding(path, _misfit(f)) for f in error.errors()))
    writer = _Writer(config, path.resolve().parent.name, tuple(event_types))
    return Checked(writer.translation())


def _finding(path: Path, message: str) -> Diagnostic:
    return Diagnostic(
        FOREIGN_CONFIG,
        message,
        Span.at(str(path), 1),
        help="`import config` reads the YAML domain configs of the method's preprint",
    )


def _misfit(fault: Any) -> str:
    where = ".".join(map(str, fault["loc"])) or "the file"
    return f"`{where}` does not fit: {fault['msg'][:1].lower()}{fault['msg'][1:]}"


class _Writer:
    def __init__(self, config: DomainConfig, name: str, event_types: tuple[str, ...]) -> None:
        self._config = config
        self._name = name
        self._event_types = event_types
        self._left_out: list[str] = []
        self._fields: dict[str, set[str]] = {}
        for event_type, path in _read_paths(config):
            head, _, kind = path.strip().partition(".")
            if _PARTS.get(head) == "artifacts" and kind and "." not in kind:
                self._fields.setdefault(event_type, set()).add(kind)

    def translation(self) -> Translation:
        body = "\n".join(self._body())
        self._note_left_over()
        left_out = tuple(dict.fromkeys(" ".join(line.split()) for line in self._left_out))
        notes = "".join(f"# not translated: {line}\n" for line in left_out)
        head = f'gev 1\ndomain {_name(self._name)} {_text(self._name)}\ntimezone "UTC"\n'
        text = head + (f"\n{notes}" if notes else "") + "\n" + body
        config = self._config
        return Translation(f"{text.rstrip()}\n", left_out, config.seed, config.artifacts_dir)

    def _body(self) -> Iterator[str]:
        config = self._config
        yield "use policies.horizon, policies.rbac, policies.participation"
        yield "use tracks.perspective, tracks.counterfactual, tracks.silence\n"
        if subsystems := sorted(self._subsystems()):
            yield f"subsystem {', '.join(map(_name, subsystems))}\n"
        for name, role in config.roles.items():
            reads = ", ".join(map(_name, role.subsystems))
            hears = ", ".join(map(_name, role.broadcast_event_types))
            yield f"role {_name(name)} {{ reads: [{reads}]  hears: [{hears}] }}"
        yield ""
        for actor, role_name in config.actors.items():
            yield f"actor {_name(actor)}: {_name(role_name)}"
        yield ""
        for event_type in sorted(self._types()):
            label = _text(event_type.replace("_", " "))
            yield f"event {_name(event_type)} {label} {self._kinds(event_type)}"
        for link in config.causal_links:
            yield from self._link(link)
        for silence in config.silence_pairs:
            yield from self._silence(silence)

    def _subsystems(self) -> set[str]:
        named = {s for role in self._config.roles.values() for s in role.subsystems}
        for silence in self._config.silence_pairs:
            named |= {
                *silence.search_space_subsystems,
                *(p.subsystem for p in silence.search_space),
            }
        return named

    def _types(self) -> set[str]:
        config = self._config
        named = {t for role in config.roles.values() for t in role.broadcast_event_types}
        for link in config.causal_links:
            named |= {link.cause_event_type, link.effect_event_type}
        for silence in config.silence_pairs:
            named |= {silence.trigger_event_type, silence.response_event_type}
        return named | set(self._event_types)

    def _kinds(self, event_type: str) -> str:
        """The kinds of artifacts that rules read of the type: no event needs to have them."""
        kinds = sorted(self._fields.get(event_type, ()))
        return f"{{ {' '.join(f'{_name(kind)}: artifact?' for kind in kinds)} }}"

    def _link(self, link: LinkConfig) -> Iterator[str]:
        yield f"\nlink {_name(link.name)} {_text(link.name.replace('_', ' '))} {{"
        yield f"  cause   c: {_name(link.cause_event_type)}"
        yield f"  effect  e: {_name(link.effect_event_type)}"
        yield f"  {self._join(link.join, 'c', 'e', link.name)}"
        yield from _within(link.max_gap_days)
        if link.mechanism_aliases:
            yield f"  aka     {', '.join(map(_text, link.mechanism_aliases))}"
        if link.premise_template:
            yield f"  premise {self._template(link.premise_template, 'c', link.name)}"
        if link.outcome_template:
            yield f"  outcome {self._template(link.outcome_template, 'e', link.name)}"
        yield "}"

    def _silence(self, silence: SilenceConfig) -> Iterator[str]:
        name = f"{silence.trigger_event_type}->{silence.response_event_type}"
        places = [line for place in silence.search_space for line in self._place(place, name)]
        named = {place.subsystem for place in silence.search_space}
        unsearched = [s for s in silence.search_space_subsystems if s not in named]
        if unsearched:
            listed = ", ".join(f"`{s}`" for s in unsearched)
            self._left_out.append(f"silence `{name}`: no text is said to search {listed} for")
        if not places:
            self._left_out.append(f"silence `{name}`: it says nowhere to look")
            return
        yield f"\nsilence {_name(name)} {_text(name.replace('_', ' '))} {{"
        yield f"  after   t: {_name(silence.trigger_event_type)}"
        yield f"  expect  r: {_name(silence.response_event_type)}"
        yield f"  {self._join(silence.join, 't', 'r', name)}"
        yield from _within(silence.max_gap_days)
        yield from places
        yield "}"

    def _place(self, place: PlaceConfig, silence: str) -> Iterator[str]:
        if place.query_template and not any(_paths(place.query_template)):
            text = place.query_template
            self._left_out.append(f"silence `{silence}`: searching for `{text}` names no trigger")
        elif place.query_template:
            text = self._template(place.query_template, "t", silence)
            yield f"  search  {_name(place.subsystem)} for {text}"
        if place.id_template:
            hole = _HOLE.fullmatch(place.id_template.strip())
            if hole and _PATH.fullmatch(hole[1].strip()):
                yield f"  fetch   {self._path(hole[1], 't')}"
            else:
                yield f"  fetch   {self._template(place.id_template, 't', silence)}"

    def _join(self, joins: list[JoinConfig], first: str, second: str, owner: str) -> str:
        pairs = [(self._path(j.cause, first), self._path(j.effect, second)) for j in joins]
        if not pairs:
            self._left_out.append(f"`{owner}` has no join: every pair of events is taken")
            return "join    pairwise true"
        return "join    " + " and ".join(f"{a} == {b}" for a, b in pairs)

    def _path(self, dotted: str, variable: str) -> str:
        """`artifact_ids.jira` as `c.artifacts.jira`; another field under its own name."""
        head, *rest = dotted.strip().split(".")
        parts = [_PARTS.get(head, head), *rest]
        return ".".join([variable, *map(_name, parts)])

    def _template(self, template: str, variable: str, owner: str) -> str:
        """The template as a text: its holes are fields of the event that `variable` stands for.

        Doubled braces are plain ones, as in the config's own language.
        """
        shown, end = [], 0
        for found in _BRACES.finditer(template):
            shown.append(_escaped(template[end : found.start()]))
            path = found[1]
            shown.append(found[0] if path is None else self._hole(path, variable, owner))
            end = found.end()
        return f'"{"".join(shown)}{_escaped(template[end:])}"'

    def _hole(self, path: str, variable: str, owner: str) -> str:
        if _PATH.fullmatch(path.strip()):
            return "{" + self._path(path, variable) + "}"
        self._left_out.append(f"`{owner}`: the hole `{{{path}}}` is no field of an event")
        return "{{" + _escaped(path) + "}}"

    def _note_left_over(self) -> None:
        config = self._config
        owners = [("the config", config), *((f"role `{n}`", r) for n, r in config.roles.items())]
        owners += [(f"link `{link.name}`", link) for link in config.causal_links]
        owners += [(f"silence `{s.trigger_event_type}`", s) for s in config.silence_pairs]
        for owner, part in owners:
            if keys := part.left_over():
                self._left_out.append(f"{owner}: {', '.join(f'`{k}`' for k in keys)}")
        changed = [link.name for link in config.causal_links if link.outcome_changed is False]
        for name in changed:
            self._left_out.append(f"link `{name}`: `outcome_changed: false` (it is computed here)")


def _read_paths(config: DomainConfig) -> Iterator[tuple[str, str]]:
    """Every field that a link or silence reads, as (event type, dotted path)."""
    for link in config.causal_links:
        for join in link.join:
            yield link.cause_event_type, join.cause
            yield link.effect_event_type, join.effect
    for silence in config.silence_pairs:
        for join in silence.join:
            yield silence.trigger_event_type, join.cause
            yield silence.response_event_type, join.effect
        for place in silence.search_space:
            for template in (place.query_template, place.id_template):
                for path in _paths(template or ""):
                    yield silence.trigger_event_type, path


def _paths(template: str) -> Iterator[str]:
    """The fields that a template's holes name."""
    for found in _BRACES.finditer(template):
        if found[1] is not None and _PATH.fullmatch(found[1].strip()):
            yield found[1]


def _within(days: float | None) -> Iterator[str]:
    if days is not None:
        minutes = round(days * 24 * 60)
        whole, rest = divmod(minutes, 24 * 60)
        yield "  within  " + ((f"{whole}d" if whole else "") + (f"{rest}m" if rest else "") or "0d")


def _name(text: str) -> str:
    """The name, in backticks where it is no plain word; the model lets no backtick through."""
    return text if _WORD.fullmatch(text) and text not in _RESERVED else f"`{text}`"


_RESERVED = RESERVED | {"true", "false", "missing"}


def _text(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """The text between quotes, with every run of white space as one blank."""
    one_line = _SPACE.sub(" ", text)
    escaped = one_line.replace("\\", "\\\\").replace('"', '\\"')
    return escaped.replace("{", "{{").replace("}", "}}")


_SPACE = re.compile(r"\s+")
