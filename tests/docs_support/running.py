"""Runs a page: its files are written, its commands run, in a project of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path

import yaml

from groundeval.cli.app import run
from groundeval.cli.exits import Exit
from groundeval.diagnostics import Diagnostic, Source, has_errors
from groundeval.semantics.files import FolderFiles
from groundeval.semantics.program import analyse
from groundeval.syntax.parser import parse, parse_expression
from tests.docs_support.pages import Block, Command, Page, commands, fits

ROOT = Path(__file__).resolve().parent.parent.parent
_PROGRAMS = frozenset({"cat", "cut", "grep", "head", "ls", "python", "sort"})
"""What a page may run beside `groundeval`."""
_AROUND = {
    "": ("", ""),
    "event": ("event e {\n", "}\n"),
    "gate": ("gate g {\n", "}\n"),
    "link": ("link l {\n", "}\n"),
    "silence": ("silence s {\n", "}\n"),
    "track": ("track t {\n", "}\n"),
    "score": ("track t {\nscore answer {\n", "}\n}\n"),
    "test": ('test "t" {\n', "}\n"),
}
"""What a fragment stands in."""


@dataclass(slots=True)
class Run:
    """A page being run in `folder`; `faults` says where it is not true."""

    page: Page
    folder: Path
    code: int = 0
    faults: list[str] = field(default_factory=list)
    shown: dict[int, tuple[Command, list[str]]] = field(default_factory=dict)

    def whole(self) -> list[str]:
        """Run the page from top to bottom; the faults found."""
        for name in self.page.beside:
            shutil.copytree(ROOT / name, self.folder / name)
        for block in self.page.blocks():
            self._block(block)
        return self.faults

    def _block(self, block: Block) -> None:
        match block.language:
            case "console":
                for command in commands(block):
                    self._command(command)
            case "gev" | "yaml" | "json" | "jsonl" | "csv" | "markdown" | "python":
                self._text(block)
            case "sh" | "text":
                pass
            case _:
                self._fault(block.line, f"no block may be of language `{block.language}`")

    def _text(self, block: Block) -> None:
        match block.words:
            case ():
                self._alone(block)
            case ("fragment", *rest):
                around = rest[-1] if rest else ""
                before, after = _AROUND[around]
                text = f"gev 1\n{before}{block.text}{after}"
                found = parse(Source("fragment", text)).diagnostics
                self._found(block.line - 1 - before.count("\n"), found)
            case ("expressions",):
                self._expressions(block)
            case (name,):
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case (name, "append"):
                with (self.folder / name).open("a", encoding="utf-8") as out:
                    out.write(block.text)
            case _:
                self._fault(block.line, f"`{' '.join(block.words)}` says nothing of a block")

    def _alone(self, block: Block) -> None:
        match block.language:
            case "gev":
                (self.folder / "alone.gev").write_text(block.text, encoding="utf-8")
                checked = analyse("alone.gev", FolderFiles(self.folder))
                if has_errors(checked.diagnostics):
                    self._found(block.line, checked.diagnostics)
            case "yaml":
                yaml.safe_load(block.text)
            case "json":
                json.loads(block.text)
            case "jsonl":
                for line in block.text.splitlines():
                    json.loads(line)
            case _:
                self._fault(block.line, f"a {block.language} block needs the name of its file")

    def _expressions(self, block: Block) -> None:
        for number, line in enumerate(block.text.splitlines()):
            if line.strip():
                found = parse_expression(Source("expression", line)).diagnostics
                self._found(block.line + number, found)

    def _found(self, before: int, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Findings in a text whose first line stands behind line `before` of the page."""
        for finding in diagnostics:
            self._fault(before + finding.span.line, finding.message)

    def _command(self, command: Command) -> None:
        printed = self._printed(command)
        self.shown[command.line] = (command, printed)
        if not fits(command.printed, printed):
            self._fault(command.line, "\n".join([f"`{command.text}` prints", *printed]))

    def _printed(self, command: Command) -> list[str]:
        program, *arguments = shlex.split(command.text)
        if command.text == "echo $?":
            return [str(self.code)]
        if program == "groundeval":
            return self._groundeval(arguments)
        if command.text == "make demo":  # whose recipe is this, after the set-up
            assert "@$(BIN)/groundeval demo\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
            return self._groundeval(["demo"])
        if program not in _PROGRAMS:
            return [f"a page may not run `{program}`"]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["sh", "-c", command.text],
            cwd=self.folder, env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.code = done.returncode
        return (done.stdout + done.stderr).splitlines()

    def _groundeval(self, arguments: list[str]) -> list[str]:
        written = BytesIO()
        printed = TextIOWrapper(written, encoding="utf-8", write_through=True)
        with chdir(self.folder), redirect_stdout(printed), redirect_stderr(printed):
            self.code = run(arguments)
        printed_text = written.getvalue().decode()
        assert self.code != Exit.BUG, printed_text  # never a page's to show
        return printed_text.splitlines()

    def _fault(self, line: int, message: str) -> None:
        self.faults.append(f"{self.page.path.relative_to(ROOT)}:{line}: {message}")


def rewritten(run: Run) -> str:
    """The page with what its commands print now.

    Where a command's output is shortened by `…`, the lines that are shown are looked for in the
    new output, whatever their numbers; if one is not there, all is left as it is.
    """
    lines = run.page.text.splitlines()
    for start in sorted(run.shown, reverse=True):
        command, printed = run.shown[start]
        if fits(command.printed, printed):
            continue
        now = [p.rstrip() for p in printed]
        if any("…" in line for line in command.printed):
            now = _shortened(command.printed, now)
        end = start
        while lines[end - 1].endswith("\\"):
            end += 1
        stop = end + len(command.printed)
        lines[end:stop] = now
    return "".join(f"{line}\n" for line in lines)


def _shortened(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """The shown lines with the numbers that are printed now."""
    found, rest = [], iter(printed)
    for line in shown:
        now = line if "…" in line else next((p for p in rest if _shape(p) == _shape(line)), None)
        if now is None:
            return list(shown)
        found.append(now)
    return found


def _shape(line: str) -> str:
    return " ".join(re.sub(r"\d+|(?<= )-(?= |$)", "0", line).replace("0.0 %", "0").split())
