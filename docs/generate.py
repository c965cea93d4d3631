"""Writes the generated pages under `docs/reference/` from the tables of the package.

`make docs` (that is `python -m docs.generate`) writes them; tests/test_docs.py holds that they are
what this gives. Each page says that it is generated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.generated import commands, findings, functions, rules

REFERENCE = Path(__file__).resolve().parent / "reference"

PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": commands.page,
    "diagnostics.md": findings.page,
    "functions.md": functions.page,
    "policies.md": rules.policies_page,
    "tracks.md": rules.tracks_page,
}
"""Each generated page by its file name."""


def main() -> None:
    """Write every generated page."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
        print(f"docs/reference/{name}")


if __name__ == "__main__":
    main()
