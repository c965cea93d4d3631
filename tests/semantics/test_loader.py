"""From a root file to all files that it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundeval.diagnostics import codes
from groundeval.semantics.files import BundledFiles, FolderFiles, MemoryFiles
from groundeval.semantics.loader import RuleFile, load
from groundeval.semantics.program import analyse


def names(texts: dict[str, str], root: str = "main.gev") -> list[tuple[str, str]]:
    loaded = load([root], MemoryFiles(texts))
    assert loaded.value is not None
    assert loaded.diagnostics == ()
    return [(f.origin, f.name) for f in loaded.value]


def found(texts: dict[str, str], root: str = "main.gev") -> list[tuple[str, str, int, str]]:
    loaded = load([root], MemoryFiles(texts))
    return [(d.code.id, d.span.file, d.span.line, d.help) for d in loaded.diagnostics]


def by_name(loaded: tuple[RuleFile, ...] | None, name: str) -> RuleFile:
    assert loaded is not None
    return next(f for f in loaded if f.name == name)


def test_a_path_is_relative_to_the_file_that_names_it() -> None:
    texts = {
        "main.gev": 'gev 1\nuse "./parts/a.gev"\n',
        "parts/a.gev": 'gev 1\nuse "b.gev", "../c.gev"\n',
        "parts/b.gev": "gev 1\n",
        "c.gev": "gev 1\n",
    }
    assert names(texts) == [
        ("project", n) for n in ("c.gev", "main.gev", "parts/a.gev", "parts/b.gev")
    ]


def test_a_path_may_lead_out_of_the_folder_of_the_root() -> None:
    texts = {"main.gev": 'gev 1\nuse "../shared.gev"\n', "../shared.gev": "gev 1\n"}
    assert ("project", "../shared.gev") in names(texts)


def test_a_file_that_is_used_twice_is_loaded_once_with_its_findings() -> None:
    texts = {
        "main.gev": 'gev 1\nuse "a.gev", "b.gev"\n',
        "a.gev": 'gev 1\nuse "c.gev"\n',
        "b.gev": 'gev 1\nuse "./c.gev"\n',
        "c.gev": "gev 1\nsubsystem ,\n",
    }
    assert [f[:3] for f in found(texts)] == [("GEV101", "c.gev", 2)]


def test_a_circle_is_named_where_it_closes() -> None:
    texts = {
        "main.gev": 'gev 1\nuse "a.gev"\n',
        "a.gev": 'gev 1\nuse "b.gev"\n',
        "b.gev": 'gev 1\n\nuse "a.gev"\n',
    }
    loaded = load(["main.gev"], MemoryFiles(texts))
    (finding,) = loaded.diagnostics
    assert (finding.code, finding.span.file, finding.span.line) == (codes.MODULE_CYCLE, "b.gev", 3)
    assert "`a.gev` → `b.gev` → `a.gev`" in finding.message
    assert loaded.value is not None
    assert len(loaded.value) == 3


def test_a_missing_file_is_reported_with_the_nearest_one() -> None:
    texts = {"main.gev": 'gev 1\nuse "./escalation.gev"\n', "escalations.gev": "gev 1\n"}
    assert found(texts) == [("GEV201", "main.gev", 2, "did you mean `escalations.gev`?")]


def test_a_missing_root_gives_no_value() -> None:
    loaded = load(["man.gev"], MemoryFiles({"main.gev": "gev 1\n"}))
    assert loaded.value is None
    assert loaded.diagnostics[0].help == "did you mean `main.gev`?"


@pytest.mark.parametrize("path", ["/a.gev", "C:/a.gev", "C:\\\\a.gev", "parts\\\\a.gev"])
def test_a_path_that_is_not_relative_is_refused(path: str) -> None:
    texts = {"main.gev": f'gev 1\nuse "{path}"\n', "/a.gev": "gev 1\n", "C:/a.gev": "gev 1\n"}
    assert [f[0] for f in found(texts)] == ["GEV202"]


def test_a_dotted_name_is_a_bundled_file() -> None:
    texts = {"main.gev": "gev 1\nuse policies.horizon, tracks.paper.silence\n"}
    loaded = load(["main.gev"], MemoryFiles(texts)).value
    assert by_name(loaded, "policies/horizon.gev").origin == "bundled"
    assert by_name(loaded, "tracks/paper/silence.gev").module == "paper.silence"


def test_a_dotted_name_finds_the_projects_own_file_where_the_bundle_has_none() -> None:
    texts = {
        "sub/main.gev": "gev 1\nuse tracks.own.deep, policies.consent\n",
        "sub/tracks/own/deep.gev": "gev 1\n",
        "sub/policies/consent.gev": "gev 1\n",
    }
    loaded = load(["sub/main.gev"], MemoryFiles(texts)).value
    assert by_name(loaded, "sub/tracks/own/deep.gev").module == "own.deep"
    assert by_name(loaded, "sub/policies/consent.gev").module is None


def test_a_project_file_with_a_bundled_name_is_a_collision() -> None:
    texts = {"main.gev": "gev 1\nuse policies.rbac\n", "policies/rbac.gev": "gev 1\n"}
    assert [f[0] for f in found(texts)] == ["GEV204"]


def test_a_copy_of_a_bundled_file_is_no_collision() -> None:
    text = BundledFiles().read("policies/rbac.gev")
    assert text is not None
    texts = {"main.gev": "gev 1\nuse policies.rbac\n", "policies/rbac.gev": text}
    assert ("bundled", "policies/rbac.gev") in names(texts)


def test_a_misspelt_bundled_name_has_a_suggestion() -> None:
    texts = {"main.gev": "gev 1\nuse policies.horizn\n"}
    assert found(texts) == [("GEV201", "main.gev", 2, "did you mean `policies.horizon`?")]


def test_a_track_under_tracks_is_named_like_its_file() -> None:
    texts = {
        "main.gev": "gev 1\ndomain d\nuse tracks.own\n",
        "tracks/own.gev": "gev 1\ntrack other { }\n",
    }
    checked = analyse("main.gev", MemoryFiles(texts))
    assert codes.TRACK_NAME in {d.code for d in checked.diagnostics}


def test_a_local_track_with_a_bundled_id_is_a_collision() -> None:
    texts = {"main.gev": "gev 1\ndomain d\nuse tracks.silence\ntrack silence { }\n"}
    checked = analyse("main.gev", MemoryFiles(texts))
    assert codes.DUPLICATE_NAME in {d.code for d in checked.diagnostics}


def test_files_of_a_folder_are_read_and_listed(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.gev").write_text('gev 1\nuse "parts/a.gev"\n', encoding="utf-8")
    (tmp_path / "parts" / "a.gev").write_bytes(b"\xef\xbb\xbfgev 1\r\nsubsystem wiki\r\n")
    files = FolderFiles(tmp_path)
    loaded = load(["main.gev"], files)
    assert loaded.diagnostics == ()
    assert by_name(loaded.value, "parts/a.gev").text.startswith("gev 1\n")
    assert files.list("parts") == ["parts/a.gev"]
    assert files.read("none.gev") is None


def test_a_file_that_is_no_text_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "main.gev").write_bytes(b"gev 1\n\xff\xfe")
    assert load(["main.gev"], FolderFiles(tmp_path)).value is None


@pytest.mark.parametrize("name", ["", ".", "other/x.gev", "policies/../tracks/silence.gev"])
def test_the_bundle_holds_only_policies_and_tracks(name: str) -> None:
    assert BundledFiles().read(name) is None
