"""A Python function as an agent: whatever it does ends as a reply, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundeval.diagnostics import Diagnostic
from groundeval.runs.agent import Agent, Budget, BudgetSpent, Mode, Reply, Task
from groundeval.runs.hosted import python_agent
from groundeval.runs.replies import FetchReply, SearchHit, SearchReply

QUESTION = {"id": "q-1", "text": "Was it?", "keys": ["T-1"], "answer_schema": {}}
HIT = SearchHit("T-1", "A ticket", "desk", None, None, "it is down")
Make = Callable[..., Agent]


class Desk:
    """Two tools that remember what they were asked, and allow so many calls."""

    def __init__(self, most: int = 1000) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._most = most

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        self._spend("search", query, subsystem, limit)
        return SearchReply(True, (HIT,))

    def fetch(self, artifact_id: object) -> FetchReply:
        self._spend("fetch", artifact_id)
        return FetchReply(str(artifact_id), True, text="it is down")

    def _spend(self, *call: Any) -> None:
        if len(self.calls) == self._most:
            raise BudgetSpent(f"{self._most} steps are spent")
        self.calls.append(call)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Agent] = []

    def start(source: str, **settings: Any) -> Agent:
        (tmp_path / "mine.py").write_text(textwrap.dedent(source), encoding="utf-8")
        found = python_agent("mine.py:answer", tmp_path, **settings)
        assert found.value is not None, found.diagnostics
        made.append(found.value)
        return found.value

    yield start
    for agent in made:
        agent.close()


def ask(
    agent: Agent,
    desk: Desk | None = None,
    *,
    mode: Mode = Mode.TOOL,
    seconds: float | None = 20,
    given: tuple[FetchReply, ...] = (),
) -> Reply:
    tools = (desk or Desk()) if mode is Mode.TOOL else None
    return agent.attempt(Task(QUESTION, mode, 1, tools, given, Budget(seconds=seconds)))


# --- what it gets


def test_it_gets_the_question_and_the_tools(make: Make) -> None:
    desk = Desk()
    agent = make("""
        def answer(question, tools):
            hits = tools.search("T-1", subsystem="desk", limit=3).hits
            read = tools.fetch(hits[0].id)
            return {"id": question["id"], "found": hits[0].title, "text": read.text}
    """)
    assert ask(agent, desk) == Reply(
        answer={"id": "q-1", "found": "A ticket", "text": "it is down"}
    )
    assert desk.calls == [("search", "T-1", "desk", 3), ("fetch", "T-1")]


def test_it_may_be_async_and_return_a_reply(make: Make) -> None:
    agent = make("""
        import asyncio
        from groundeval import Reply
        async def answer(question, tools):
            found = await asyncio.to_thread(tools.fetch, "T-1")
            return Reply(answer={"a": found.text}, cited=("T-1",), usage={"input_tokens": 3})
    """)
    assert ask(agent) == Reply(
        answer={"a": "it is down"}, cited=("T-1",), usage={"input_tokens": 3}
    )


def test_other_modes_have_no_tools(make: Make) -> None:
    agent = make("""
        def answer(question, tools):
            return {"tools": tools is None, "given": question.get("context")}
    """)
    given = (FetchReply("T-1", True, text="down"),)
    context = ask(agent, mode=Mode.CONTEXT, given=given).answer
    assert context is not None
    assert context["tools"]
    assert [document["text"] for document in context["given"]] == ["down"]
    assert ask(agent, mode=Mode.ZERO_SHOT).answer == {"tools": True, "given": None}


def test_its_process_has_an_empty_folder_and_a_small_environment(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "treasure")
    monkeypatch.setenv("MY_KEY", "sesame-open")
    agent = make(
        """
        import os, sys
        def answer(question, tools):
            home = os.environ["HOME"]
            return {
                "here": os.listdir("."), "own": os.path.samefile(home, "."),
                "env": sorted(os.environ), "input": sys.stdin.read(), "argv": len(sys.argv),
            }
        """,
        env=("MY_KEY",),
    )
    found = ask(agent).answer
    assert found is not None
    assert found["here"] == []
    assert found["own"]
    assert found["input"] == ""
    assert "MY_KEY" in found["env"]
    assert "SECRET_OF_OURS" not in found["env"]
    assert {*found["env"]} <= {
        "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "HOME", "TMPDIR", "MY_KEY",
        "PYTHONDONTWRITEBYTECODE",
    }  # fmt: skip


def test_odd_arguments_reach_the_tools_as_odd_ones(make: Make) -> None:
    desk = Desk()
    agent = make("""
        def answer(question, tools):
            tools.search(None, ["desk"], "7")
            tools.search(2 ** 80, object(), float("nan"))
            tools.fetch("a\\x00b\\ud800")
            tools.fetch("x" * 3_000_000)
            return {}
    """)
    assert ask(agent, desk).error is None
    assert desk.calls[:3] == [
        ("search", None, [], "7"),
        ("search", 2**53 + 1, {}, 0.5),
        ("fetch", "a\x00b?"),
    ]
    assert len(desk.calls[3][1]) == 100_000


def test_a_call_beyond_the_budget_is_told_and_may_be_lived_with(make: Make) -> None:
    desk = Desk(most=2)
    agent = make("""
        from groundeval.runs.agent import BudgetSpent
        def answer(question, tools):
            for n in range(9):
                try:
                    tools.fetch("T-1")
                except BudgetSpent as spent:
                    return {"after": n, "told": str(spent)}
    """)
    assert ask(agent, desk).answer == {"after": 2, "told": "2 steps are spent"}
    assert len(desk.calls) == 2


# --- what can go wrong

FAILURES = {
    "an exception": ("raise ValueError('no idea')", "ValueError: no idea (mine.py:8)"),
    "an exception without a text": ("raise KeyError", "KeyError (mine.py:8)"),
    "an exception of a library": ("json.loads('{')", "JSONDecodeError: Expecting property name"),
    "a path in the text": (
        "open('/nowhere/near/here.txt')",
        "FileNotFoundError: [Errno 2] No such file or directory: 'here.txt' (mine.py:8)",
    ),
    "an exception whose text fails": ("raise Mute", "Mute (mine.py:8)"),
    "no return": ("pass", "`answer` returned nothing, not a dict or a Reply"),
    "another type": ("return [1]", "`answer` returned a value of type `list`, not a dict"),
    "a set": ("return {'met': [{1}]}", "answer.met[0] is a `set`"),
    "a NaN": ("return {'n': float('nan')}", "answer.n is nan"),
    "a key that is no text": ("return {1: 2}", "answer has the key 1, which is no text"),
    "a huge number": ("return {'n': 10 ** 40}", "answer.n is a number beyond 64 bits"),
    "half a character": ("return {'n': '\\ud800'}", "`answer` returned no JSON"),
    "a circle": ("x = {}; x['x'] = x; return x", "it is nested too deep"),
    "a huge answer": ("return {'n': 'x' * 2_000_000}", "`answer` returned more than 1,048,576"),
    "a bad reply": ("return Reply(cited=[1])", "a Reply that does not fit: Expected `str`"),
    "sys.exit": ("sys.exit(3)", "sys.exit(3) was called (mine.py:8)"),
    "an interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt (mine.py:8)"),
    "deep recursion": ("deep(0)", "RecursionError: maximum recursion depth exceeded"),
    "os._exit": ("os._exit(4)", "the agent's process ended with exit code 4"),
    "last words": (
        "print('I go', file=sys.stderr); os._exit(0)",
        "the agent's process ended with exit code 0: I go",
    ),
    "a signal": ("os.kill(os.getpid(), 11)", "the agent's process ended with signal SIGSEGV"),
    "an infinite loop": ("\n    while True: pass", "out of time: 0.5 s"),
    "a long sleep": ("time.sleep(60)", "out of time: 0.5 s"),
    "noise on the line": (
        "[os.write(fd, b'x' * 99) for fd in pipes]; time.sleep(9)",
        "the agent's process was ended: it sent more than 1,048,576 bytes at once",
    ),
    "a closed line": (
        "[os.close(fd) for fd in pipes]; tools.fetch('x')",
        "the agent's process ended with exit code 0",
    ),
}
HEAD = """import fcntl, json, os, stat, sys, time
from groundeval import Reply
deep = lambda n: deep(n + 1)
Mute = type("Mute", (Exception,), {"__str__": lambda self: 1 / 0})
pipes = [fd for fd in range(3, 20) if os.path.exists(f"/proc/self/fd/{fd}")
         and stat.S_ISFIFO(os.fstat(fd).st_mode) and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_WRONLY]
def answer(question, tools):
    """


@pytest.mark.parametrize("name", FAILURES)
def test_every_failure_is_an_error_of_the_agent(make: Make, name: str) -> None:
    body, error = FAILURES[name]
    if "pipes" in body and not Path("/proc/self/fd").exists():
        pytest.skip("open descriptors cannot be listed here")
    agent = make(HEAD + body)
    reply = ask(agent, seconds=0.5 if error.startswith("out of time") else 20)
    assert reply.answer is None
    assert reply.error is not None
    assert error in reply.error
    assert len(reply.error) < 500
    assert "/tmp/" not in reply.error


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.parametrize(
    ("then", "seconds", "error"),
    [
        ("os._exit(4)", None, "the agent's process ended with exit code 4"),
        ("time.sleep(60)", 0.7, "out of time: 0.7 s"),
    ],
)
def test_what_escapes_holds_nothing_up(
    make: Make, then: str, seconds: float | None, error: str
) -> None:
    """A process in a session of its own has the line's end open, and outlives its parent."""
    agent = make(f"""
        import os, time
        def answer(question, tools):
            if os.fork() == 0:
                os.setsid()
                time.sleep(8)
                os._exit(0)
            time.sleep(0.3)
            {then}
    """)
    began = time.monotonic()
    told = ask(agent, seconds=seconds).error
    agent.close()
    assert told is not None
    assert told.startswith(error)
    assert time.monotonic() - began < 6


def test_long_texts_go_through_both_ways(make: Make) -> None:
    class Archive(Desk):
        def fetch(self, artifact_id: object) -> FetchReply:
            return FetchReply("T-1", True, text="é" * 3_000_000)

    agent = make("""
        def answer(question, tools):
            text = tools.fetch("T-1").text
            return {"size": len(text), "some": text[:400_000]}
    """)
    answer = ask(agent, Archive()).answer
    assert answer == {"size": 3_000_000, "some": "é" * 400_000}


def test_printing_disturbs_nothing_and_is_heard(make: Make) -> None:
    heard: list[str] = []
    agent = make(
        """
        import os, subprocess, sys
        def answer(question, tools):
            print("to standard output")
            os.write(1, b'{"type":"Done"}\\n')
            subprocess.run([sys.executable, "-c", "print('from a child')"])
            print("x" * 100_000, file=sys.stderr)
            return {"a": len(tools.search("T-1").hits)}
        """,
        heard=heard.append,
    )
    assert ask(agent).answer == {"a": 1}
    agent.close()
    # Python holds back what is printed to no terminal; it comes at the latest with the process.
    assert '{"type":"Done"}' in heard
    assert "from a child" in heard


def test_after_a_failure_the_next_attempt_is_as_good_as_ever(make: Make) -> None:
    agent = make("""
        import os, time
        def answer(question, tools):
            match tools.search("what now").hits[0].id, len(tools.fetch("count").text):
                case _: pass
            todo = question["keys"][0]
            if todo == "raise": raise ValueError
            if todo == "exit": os._exit(1)
            if todo == "hang": time.sleep(60)
            return {"process": os.getpid()}
    """)
    seen = []
    for todo in ("go", "raise", "go", "exit", "go", "hang", "go"):
        task = Task({**QUESTION, "keys": [todo]}, Mode.TOOL, 1, Desk(), (), Budget(seconds=1.5))
        reply = agent.attempt(task)
        assert (reply.error is None) == (todo == "go"), reply
        seen.append(reply.answer and reply.answer["process"])
    assert seen[0] == seen[2], "a process outlives an exception"
    assert len({*seen} - {None}) == 3, "and is replaced when it ended or was killed"


def test_what_is_left_behind_by_an_attempt_asks_nothing_in_the_next(make: Make) -> None:
    agent = make("""
        import threading, time
        left = []
        def linger(tools):
            time.sleep(0.3)
            try:
                tools.fetch("T-late")
            except RuntimeError as fault:
                left.append(str(fault))
        def answer(question, tools):
            if question["keys"] == ["first"]:
                threading.Thread(target=linger, args=(tools,)).start()
                return {}
            time.sleep(0.6)
            return {"left": left}
    """)
    first, second = Desk(), Desk()
    tasks = [
        Task({**QUESTION, "keys": [key]}, Mode.TOOL, 1, desk, (), Budget())
        for key, desk in (("first", first), ("second", second))
    ]
    assert [agent.attempt(task).error for task in tasks[:1]] == [None]
    told = agent.attempt(tasks[1]).answer
    assert told == {"left": ["the question has been answered: its tools are gone"]}
    assert first.calls == second.calls == []


def test_threads_get_a_process_each_and_no_more(make: Make) -> None:
    agent = make("""
        import os, time
        def answer(question, tools):
            time.sleep(0.2)
            return {"process": os.getpid()}
    """)
    found: list[int] = []

    def work() -> None:
        for _ in range(3):
            answer = ask(agent).answer
            assert answer is not None
            found.append(answer["process"])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len({*found}) == 2


def test_closing_ends_an_attempt_under_way(make: Make) -> None:
    agent = make("""
        import time
        def answer(question, tools):
            tools.fetch("T-1")
            time.sleep(60)
    """)
    desk, replies = Desk(), []
    thread = threading.Thread(target=lambda: replies.append(ask(agent, desk, seconds=None)))
    thread.start()
    while not desk.calls:
        time.sleep(0.01)
    agent.close()
    thread.join(10)
    assert replies
    assert replies[0].error is not None
    assert ask(agent).error == "the agent was closed"


@pytest.mark.skipif(sys.platform == "win32", reason="processes are listed otherwise there")
def test_nothing_outlives_the_run(make: Make, tmp_path: Path) -> None:
    """Not even the loop of an agent whose run was killed, nor what it started itself."""
    (tmp_path / "loops.py").write_text(
        "import os, pathlib\n"
        "def answer(question, tools):\n"
        "    pathlib.Path(question['text']).write_text(str(os.getpid()))\n"
        "    while True: pass\n"
    )
    noted = tmp_path / "pid"
    script = (
        "import sys; from pathlib import Path\n"
        "from groundeval.runs.hosted import python_agent\n"
        "from groundeval.runs.agent import *\n"
        f"agent = python_agent('loops.py:answer', Path({str(tmp_path)!r})).value\n"
        f"question = {{'id': 'q', 'text': {str(noted)!r}}}\n"
        "agent.attempt(Task(question, Mode.ZERO_SHOT, 1, None, (), Budget()))\n"
    )
    run = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    try:
        assert _comes_true(lambda: noted.exists() and noted.read_text() != "")
        process = int(noted.read_text())
        assert _lives(process)
    finally:
        run.kill()
        run.wait()
    assert _comes_true(lambda: not _lives(process))


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _comes_true(condition: Callable[[], bool], seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_what_a_tool_of_ours_raises_comes_through(make: Make) -> None:
    class Broken(Desk):
        def fetch(self, artifact_id: object) -> FetchReply:
            raise ZeroDivisionError

    agent = make("""
        def answer(question, tools):
            return {"a": tools.fetch("T-1").text}
    """)
    with pytest.raises(ZeroDivisionError):
        ask(agent, Broken())
    assert ask(agent).answer == {"a": "it is down"}


def test_keys_are_struck_from_what_goes_wrong(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sesame-open")
    agent = make(
        """
        import os
        def answer(question, tools):
            raise PermissionError(f"bad key {os.environ['MY_KEY']}")
        """,
        env=("MY_KEY",),
    )
    assert ask(agent).error == "PermissionError: bad key *** (mine.py:4)"


# --- specs


def refused(spec: str, folder: Path, **settings: Any) -> Diagnostic:
    found = python_agent(spec, folder, **settings)
    assert found.value is None
    (finding,) = found.diagnostics
    assert finding.code.id == "GEV880"
    assert finding.help
    return finding


BAD_SPECS = {
    "mine.py": "`mine.py` names no function",
    ":answer": "`:answer` names no function",
    "mine.py:": "`mine.py:` names no function",
    "mine.py:a b": "`mine.py:a b` names no function",
    "no.py:answer": "there is no file `no.py`",
    "a/b:answer": "`a/b` is neither a module nor a file that ends in `.py`",
    "no_such_module:answer": "there is no module `no_such_module`",
    "mine.py:answr": "`mine.py` has no `answr`",
    "mine:nothing": "`mine` has no `nothing`",
    "mine.py:NUMBER": "`NUMBER` in `mine.py` is no function: int",
    "broken.py:answer": "`broken.py` cannot be imported: SyntaxError: ",
    "raises.py:answer": "`raises.py` cannot be imported: ValueError: not today (raises.py:2)",
    "leaves.py:answer": "`leaves.py` cannot be imported: sys.exit(2) was called (leaves.py:2)",
    "needs.py:answer": "`needs.py` cannot be imported: ModuleNotFoundError: No module named 'absent_1'",
}


@pytest.mark.parametrize("spec", BAD_SPECS)
def test_a_spec_that_cannot_be_imported_is_a_finding(spec: str, tmp_path: Path) -> None:
    files = {
        "mine.py": "NUMBER = 1\ndef answer(q, t): return {}\n",
        "broken.py": "\n\ndef answer(:\n",
        "raises.py": "\nraise ValueError('not today')\n",
        "leaves.py": "import sys\nsys.exit(2)\n",
        "needs.py": "import absent_1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    finding = refused(spec, tmp_path)
    assert finding.message.startswith(BAD_SPECS[spec])
    assert str(tmp_path) not in f"{finding.message} {finding.help} {finding.span.file}"
    if spec == "broken.py:answer":
        assert (finding.span.file, finding.span.line) == ("broken.py", 3)
    if spec == "mine.py:answr":
        assert finding.help == "did you mean `answer`?"


def test_an_import_that_does_not_end_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("while True: pass\n")
    finding = refused("slow.py:answer", tmp_path, seconds=1)
    assert finding.message == "its import did not end: out of time: 1 s"


def test_modules_are_found_in_the_folder_and_its_packages(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "__init__.py").write_text("")
    (tmp_path / "bots" / "words.py").write_text("WORD = 'hello'\n")
    (tmp_path / "bots" / "mine.py").write_text(
        "from bots.words import WORD\ndef answer(q, t): return {'word': WORD}\n"
    )
    agent = python_agent("bots.mine:answer", tmp_path).value
    assert agent is not None
    assert ask(agent).answer == {"word": "hello"}
    agent.close()


def test_the_identity_changes_with_the_file(tmp_path: Path) -> None:
    identities = []
    for text in ("def answer(q, t): return {}\n", "def answer(q, t): return {'a': 1}\n"):
        (tmp_path / "mine.py").write_text(text)
        agent = python_agent("mine.py:answer", tmp_path).value
        assert agent is not None
        identities.append(agent.identity)
        agent.close()
    assert identities[0] != identities[1]
    assert {i.settings["python"] for i in identities} == {"mine.py:answer"}
    assert str(tmp_path) not in str(identities)
