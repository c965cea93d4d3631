"""Backends by their names: the contract's own index, what comes with the product, and plugins."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, cast

from groundeval.diagnostics import Checked, Diagnostic, Span, codes
from groundeval.diagnostics.model import Code
from groundeval.diagnostics.source import COMMAND_LINE
from groundeval.runs.backend import (
    OWN,
    BackedSearch,
    BackendUnusable,
    CorpusBackend,
    OwnIndex,
    Searcher,
)
from groundeval.runs.tools import GatedView
from groundeval.world.ids import shown

GROUP: Final = "groundeval.backends"
"""The entry points by which packages bring backends along: a name, and what makes one."""
_BUNDLED: Final = {"sqlite": "groundeval.runs.backends.sqlite:SqliteBackend"}


def searcher_named(name: str, view: GatedView) -> Checked[Searcher]:
    """What ranks under this name, with the contract's documents taken in.

    `index` is the contract's own index. Any other name is one of ours, one of an installed
    package, or the place of a backend as `module:attribute`; that attribute, called without
    arguments, gives the backend. One searcher serves all questions of a contract, from any number
    of threads; its maker closes it.
    """
    if name == OWN:
        return Checked(OwnIndex(view.index))
    place = _place_of(name)
    if place is None:
        known = ", ".join([OWN, *known_backends()])
        help_ = f"known: {known}; or name one as `module:attribute`"
        return _lost(codes.UNKNOWN_BACKEND, f"there is no backend {shown(name)}", help_)
    try:
        backend = _made(place)
        return Checked(BackedSearch(backend, view.world.corpus, view.handbook))
    except BackendUnusable as fault:
        return _lost(codes.UNUSABLE_BACKEND, f"the backend {shown(name)} cannot be used: {fault}")
    except Exception as fault:  # noqa: BLE001 - somebody else's code is imported and started
        reason = f"{type(fault).__name__}: {fault}"
        return _lost(codes.UNUSABLE_BACKEND, f"the backend {shown(name)} failed: {reason}")


def known_backends() -> list[str]:
    """The names there are beside the own index, sorted."""
    return sorted({*_BUNDLED, *(point.name for point in entry_points(group=GROUP))} - {OWN})


def _place_of(name: str) -> str | None:
    """Where a backend stands, as `module:attribute`; None for a name that nobody has."""
    bundled = _BUNDLED.get(name)
    if bundled is not None:
        return bundled
    plugin = next(iter(entry_points(group=GROUP, name=name)), None)
    if plugin is not None:
        return plugin.value
    module, _, attribute = name.partition(":")
    return name if module and attribute else None


def _made(place: str) -> CorpusBackend:
    module, _, attribute = place.partition(":")
    found: object = import_module(module.strip())
    for part in attribute.split("[")[0].strip().split("."):
        found = getattr(found, part)
    return cast("Callable[[], CorpusBackend]", found)()


def _lost(code: Code, message: str, help_: str = "") -> Checked[Searcher]:
    span = Span.at(COMMAND_LINE, 1)
    return Checked(None, (Diagnostic(code, message, span, help=help_),))
