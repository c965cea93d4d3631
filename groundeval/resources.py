"""Finds the files that come with the package: in a wheel, or in a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def builtin(kind: str) -> Traversable:
    """The folder of bundled files of one kind: grammar, policies, tracks or examples.

    A wheel has it under `groundeval/_data`, a checkout beside `pyproject.toml`. Raises
    FileNotFoundError where neither has it: then the installation is broken.
    """
    packed = files("groundeval") / "_data" / kind
    if packed.is_dir():
        return packed
    checkout = Path(__file__).resolve().parent.parent
    folder = checkout / kind
    if (checkout / "pyproject.toml").is_file() and folder.is_dir():
        return folder
    raise FileNotFoundError(
        f"groundeval's bundled `{kind}` folder is missing: neither {packed} nor {folder} is there; "
        "install the package again"
    )
