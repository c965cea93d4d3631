"""The page of the command line, from the commands' own signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from docs.generated.markdown import page as whole
from docs.generated.markdown import sentence, table
from groundeval.cli.app import app
from groundeval.cli.exits import Exit

EMPTY = Parameter.empty

_HEAD = """`groundeval COMMAND [OPTIONS] [ARGUMENTS]`. Every command has `--help`;
`groundeval --version` prints the version.

A **project** is a folder with a [`groundeval.yaml`](formats.md#the-project-file), that file itself,
or a lone `.gev` file; by default it is the folder where you are. With `--json`, one JSON document
stands on standard output and nothing else does. Lines for people go to standard error where
standard output may be piped."""

_CODES = {
    Exit.FINE: "all is well (`check`: warnings alone are, unless `--strict`)",
    Exit.FINDINGS: "there are findings: diagnostics, failed tests, traces that could not be read",
    Exit.USAGE: "wrong usage, or there is no project at the place named",
    Exit.UNDECIDED: "nothing could be decided: no test, or no trace that could be scored",
    Exit.BUG: "a bug of ours; please report it",
    Exit.INTERRUPTED: "interrupted",
}


def page() -> str:
    """The page `cli.md`."""
    parts = [_HEAD]
    for name, callback in commands(app):
        parts += [f"## `groundeval {name}`", _first(callback), _parameters(callback)]
    rows = [(str(int(code)), _CODES[code]) for code in Exit]
    return whole("The command line", *parts, "## Exit codes", table(("code", "says"), rows))


def commands(group: typer.Typer, before: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every command with the words that call it, sub-commands included."""
    for command in group.registered_commands:
        if command.callback is not None:
            name = command.name or command.callback.__name__.replace("_", "-")
            yield f"{before}{name}", command.callback
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            yield from commands(inner.typer_instance, f"{before}{inner.name} ")


def parameters(callback: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Each argument and option of a command as it is written, with its help."""
    hints = get_type_hints(callback, include_extras=True)
    defaults = {n: p.default for n, p in signature(callback).parameters.items()}
    listed = [(n, *_parted(hint)) for n, hint in hints.items() if get_origin(hint) is Annotated]
    for name, kind, info in sorted(listed, key=lambda p: isinstance(p[2], OptionInfo)):
        words = sentence(info.help or "") + (" Needed." if defaults[name] is EMPTY else "")
        if isinstance(info, ArgumentInfo):
            yield f"`{name.upper()}`", words
        else:
            yield f"`{', '.join(_spellings(name, info))}{_value(kind, info)}`", words


def _parted(hint: Any) -> tuple[Any, ArgumentInfo | OptionInfo]:
    kind, info = get_args(hint)[:2]
    return kind, info


def _spellings(name: str, info: OptionInfo) -> tuple[str, ...]:
    """How an option is written; under `Annotated`, Typer takes the first spelling as `default`."""
    first = (info.default,) if isinstance(info.default, str) else ()
    return (*first, *(info.param_decls or ())) or (f"--{name.replace('_', '-')}",)


def _value(kind: Any, info: OptionInfo) -> str:
    """What stands behind an option, by the name that its help has for it."""
    if kind is bool:
        return ""
    return f" {info.metavar}" if info.metavar else " N" if kind is int else " PATH"


def _first(callback: Callable[..., Any]) -> str:
    return sentence((callback.__doc__ or "").strip())


def _parameters(callback: Callable[..., Any]) -> str:
    return table(("argument or option", ""), list(parameters(callback)))
