"""The bundled files are found, and a broken installation is named."""

from __future__ import annotations

import pytest

from groundeval.resources import builtin


@pytest.mark.parametrize(
    ("kind", "name"), [("grammar", "gev.lark"), ("tracks", ""), ("policies", ""), ("examples", "")]
)
def test_bundled_folder_is_found(kind: str, name: str) -> None:
    folder = builtin(kind)
    assert folder.is_dir()
    assert not name or folder.joinpath(name).is_file()


def test_missing_folder_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="`nonsense` folder is missing"):
        builtin("nonsense")
