"""Finds an agent's function by its module or file, inside the process that is to run it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from groundeval.runs.failures import own_frame, plain, told
from groundeval.runs.frames import Start, Unusable


@dataclass(frozen=True, slots=True)
class Loaded:
    """A function, the name that messages use, its file, and the folder of its author's code."""

    function: Callable[..., Any]
    name: str
    source: str | None
    home: Path


def loaded(start: Start) -> Loaded | Unusable:
    """The function, imported as a script in its folder would be; else what is wrong with it."""
    folder = Path(start.file).parent if start.file is not None else None
    for place in (start.folder, None if folder is None else str(folder)):
        if place is not None:
            sys.path.insert(0, place)
    home = folder or Path(start.folder or sys.prefix)
    try:
        module = _from_file(Path(start.file)) if start.file else _imported(start.module or "")
    except BaseException as fault:  # noqa: BLE001 - a module may do anything when it is imported
        return _failed(fault, start, home)
    return _function(module, start)


def _from_file(path: Path) -> ModuleType:
    name = path.stem if path.stem not in sys.modules else f"agent_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"`{path.name}` is no Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _imported(name: str) -> ModuleType:
    return importlib.import_module(name)


def _function(module: ModuleType, start: Start) -> Loaded | Unusable:
    source = getattr(module, "__file__", None)
    what = f"`{Path(source).name}`" if start.file and source else f"`{start.module}`"
    found = getattr(module, start.function, None)
    if found is None:
        names = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        near = get_close_matches(start.function, names, 1)
        help_ = f"did you mean `{near[0]}`?" if near else f"define `{start.function}` in it"
        return Unusable(f"{what} has no `{start.function}`", source, help=help_)
    if not callable(found):
        help_ = "name a function that takes a question and the tools"
        kind = type(found).__name__
        return Unusable(f"`{start.function}` in {what} is no function: {kind}", source, help=help_)
    home = Path(source).parent if source else Path(sys.prefix)
    return Loaded(found, start.function, source, home)


def _failed(fault: BaseException, start: Start, home: Path) -> Unusable:
    if isinstance(fault, ModuleNotFoundError) and start.module and _is_itself(fault, start.module):
        help_ = "name a module that Python finds from the project's folder on, or a `file.py`"
        return Unusable(f"there is no module `{start.module}`", help=help_)
    if isinstance(fault, SyntaxError) and fault.filename:
        text = f"{type(fault).__name__}: {plain(fault.msg)}"
        place: tuple[Path, int] | None = (Path(fault.filename), fault.lineno or 1)
    else:
        text, place = told(fault, home), own_frame(fault.__traceback__, home)
    help_ = "mend it; `python FILE` shows the whole traceback"
    if isinstance(fault, ModuleNotFoundError):
        help_ = "install it into the environment that groundeval runs in, or put it beside the file"
    named = start.module or Path(start.file or "").name
    file, line = (None, 1) if place is None else (str(place[0]), place[1])
    return Unusable(f"`{named}` cannot be imported: {text}", file, line, help_)


def _is_itself(fault: ModuleNotFoundError, name: str) -> bool:
    return fault.name is not None and (name == fault.name or name.startswith(f"{fault.name}."))
