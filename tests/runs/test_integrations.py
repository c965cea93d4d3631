"""The pages on agent frameworks: their code, with the installed library and a scripted model.

The model asks for the same four calls everywhere: a search, a fetch, an answer that does not fit,
and one that does. What comes back to it, and what the trace holds, is the same for all of them.
"""

# ruff: noqa: PLC0415 - each library is imported by its own test, which is skipped without it

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from groundeval import AnswerError, OpenContract
from groundeval.session import Session
from tests.docs_support.pages import Page

ROOT = Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "examples" / "support"

Call = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def support() -> Iterator[OpenContract]:
    with OpenContract(SUPPORT) as held:
        yield held


@pytest.fixture
def session(support: OpenContract) -> Session:
    name = next(q for q, asked in support.questions.items() if asked["keys"])
    return support.session(name, agent="scripted")


def page_module(page: str, folder: Path) -> ModuleType:
    """The module that a page shows."""
    blocks = Page.of(ROOT / "docs" / "how-to" / page).blocks()
    (block,) = (b for b in blocks if b.language == "python")
    path = folder / block.words[0]
    path.write_text(block.text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fitting(schema: dict[str, Any]) -> dict[str, Any]:
    """An answer that fits a schema, whatever it says."""
    plain: dict[str, Any] = {"boolean": False, "string": "", "array": [], "number": 0}
    fields = {name: schema["properties"][name] for name in schema["required"]}
    return {n: f["enum"][0] if "enum" in f else plain[f["type"]] for n, f in fields.items()}


@dataclass
class Script:
    """What the model asks for, turn by turn, and what it was told before each turn."""

    session: Session
    heard: list[str] = field(default_factory=list)

    @property
    def calls(self) -> list[Call]:
        """A search, a fetch, an answer with a field that is of the wrong kind, one that fits."""
        asked = self.session.question
        good = fitting(asked["answer_schema"])
        bad = {**good, next(n for n, v in good.items() if v == []): [7]}
        key = asked["keys"][0]
        return [
            ("search", {"query": key, "limit": 3}),
            ("fetch", {"id": key}),
            ("submit_answer", bad),
            ("submit_answer", good),
        ]

    def next(self) -> Call:
        return self.calls[len(self.heard)]

    def hold(self, *, told_by: str = "") -> None:
        """Hold what was heard and what was recorded against what had to be.

        `told_by` are the words of a library that holds answers against the schema by itself.
        """
        found, document, misfit = self.heard[:3]
        key = self.session.question["keys"][0]
        assert json.loads(found)[0]["id"] == key
        assert json.loads(document)["id"] == key
        assert (told_by or "does not fit: `") in misfit
        trace = self.session.trace
        assert [(s.tool, s.query or s.artifact) for s in trace.steps] == [
            ("search", key), ("fetch", key),
        ]  # fmt: skip
        assert trace.answer == self.calls[-1][1]
        assert trace.error is None
        assert self.session.over
        assert self.session.score().outcome != "malformed"


def test_the_script_is_what_it_says(session: Session) -> None:
    script = Script(session)
    with pytest.raises(AnswerError):
        session.answer(script.calls[2][1])
    session.answer(script.calls[3][1])


@pytest.fixture
def loop() -> Iterator[None]:
    """An event loop that is closed again: what runs synchronously leaves its own open."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield
    made.close()
    asyncio.set_event_loop(None)


# --- OpenAI Agents SDK


def test_openai_agents(session: Session, tmp_path: Path, loop: None) -> None:
    pytest.importorskip("agents", reason="needs openai-agents (extra `integrations`)")
    from agents import Usage
    from agents.items import ModelResponse
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall

    script = Script(session)

    class Scripted(Model):
        async def get_response(
            self,
            system_instructions: Any,
            input: Any,  # noqa: A002 - the library's name
            *rest: Any,
            **more: Any,
        ) -> ModelResponse:
            assert system_instructions == session.question["instructions"]
            if isinstance(input, list) and input[-1].get("type") == "function_call_output":
                script.heard.append(input[-1]["output"])
            name, arguments = script.next()
            call = ResponseFunctionToolCall(
                type="function_call", name=name, arguments=json.dumps(arguments),
                call_id=f"c{len(script.heard)}",
            )  # fmt: skip
            return ModelResponse([call], Usage(), None)

        def stream_response(self, *rest: Any, **more: Any) -> AsyncIterator[Any]:
            raise NotImplementedError

    page_module("openai-agents.md", tmp_path).attempt(session, Scripted())
    script.hold()


# --- LangGraph


def test_langgraph(session: Session, tmp_path: Path, loop: None) -> None:
    pytest.importorskip("langgraph", reason="needs langgraph (extra `integrations`)")
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    script = Script(session)
    offered: list[str] = []

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **more: Any) -> Scripted:
            offered.extend(tool.name for tool in tools)
            return self

        def _generate(self, messages: list[BaseMessage], *rest: Any, **more: Any) -> ChatResult:
            assert messages[0].content == session.question["instructions"]
            if isinstance(messages[-1], ToolMessage):
                script.heard.append(str(messages[-1].content))
            name, arguments = script.next()
            call = {"name": name, "args": arguments, "id": f"c{len(script.heard)}"}
            message = AIMessage(content="", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=message)])

    page_module("langgraph.md", tmp_path).attempt(session, Scripted())
    assert offered == ["search", "fetch", "submit_answer"]
    script.hold()


# --- pydantic-ai


def test_pydantic_ai(session: Session, tmp_path: Path, loop: None) -> None:
    pytest.importorskip("pydantic_ai", reason="needs pydantic-ai (extra `integrations`)")
    from pydantic_ai.messages import ModelResponse, RetryPromptPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    script = Script(session)

    def scripted(messages: list[Any], info: AgentInfo) -> ModelResponse:
        assert info.instructions == session.question["instructions"]
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart | RetryPromptPart):
                script.heard.append(str(part.content))
        name, arguments = script.next()
        (output,) = (tool.name for tool in info.output_tools)
        return ModelResponse([ToolCallPart(output if name == "submit_answer" else name, arguments)])

    page_module("pydantic-ai.md", tmp_path).attempt(session, FunctionModel(scripted))
    script.hold()


# --- Claude Agent SDK


_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "scripted", "version": "1"},
}


class ScriptedClaude:
    """What takes the place of the command-line program: it makes the script's calls over MCP.

    The methods are those of `claude_agent_sdk.Transport`.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def connect(self) -> None:
        """Nothing is started."""

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        """Nothing more will be asked."""

    async def close(self) -> None:
        await self._out.put(None)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (message := await self._out.get()) is not None:
            yield message

    async def write(self, data: str) -> None:
        message = json.loads(data)
        match message["type"]:
            case "control_request":
                answer = {"subtype": "success", "request_id": message["request_id"]}
                await self._out.put(
                    {"type": "control_response", "response": {**answer, "response": {}}}
                )
            case "user":
                await self._ask("initialize", params=_HELLO)
            case "control_response":
                assert message["response"]["subtype"] == "success", message
                await self._go_on(message["response"]["response"]["mcp_response"]["result"])

    async def _go_on(self, result: dict[str, Any]) -> None:
        """What follows what the server said: handshake, list of tools, calls, end."""
        if "serverInfo" in result:
            await self._ask("notifications/initialized", number=None)
        elif not result:
            await self._ask("tools/list")
        elif "tools" in result:
            named = [tool["name"] for tool in result["tools"]]
            assert named == ["search", "fetch", "submit_answer"]
            await self._call()
        else:
            self._script.heard.append("".join(c["text"] for c in result["content"]))
            await (
                self._call() if len(self._script.heard) < len(self._script.calls) else self._end()
            )

    async def _call(self) -> None:
        name, arguments = self._script.next()
        await self._ask("tools/call", params={"name": name, "arguments": arguments})

    async def _ask(
        self, method: str, *, number: int | None = 1, params: dict[str, Any] | None = None
    ) -> None:
        said: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        said |= {} if number is None else {"id": number}
        request = {"subtype": "mcp_message", "server_name": "desk", "message": said}
        await self._out.put({"type": "control_request", "request_id": "r", "request": request})

    async def _end(self) -> None:
        result = {"type": "result", "subtype": "success", "session_id": "s", "result": ""}
        numbers = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 4, "total_cost_usd": 0}
        await self._out.put({**result, **numbers, "is_error": False})


def test_claude_agent_sdk(session: Session, tmp_path: Path) -> None:
    pytest.importorskip("claude_agent_sdk", reason="needs claude-agent-sdk (extra `integrations`)")
    script = Script(session)
    module = page_module("claude-agent-sdk.md", tmp_path)

    async def attempt() -> None:
        async with session:
            await asyncio.wait_for(module.attempt(session, ScriptedClaude(script)), 30)

    asyncio.run(attempt())
    script.hold(told_by="string")


def test_every_framework_has_a_page_and_a_test() -> None:
    linked = {
        link
        for link in Page.of(ROOT / "docs" / "how-to" / "use-in-process.md").links()
        if "/" not in link
    }
    tests: dict[str, Callable[..., None]] = {
        "openai-agents.md": test_openai_agents,
        "langgraph.md": test_langgraph,
        "pydantic-ai.md": test_pydantic_ai,
        "claude-agent-sdk.md": test_claude_agent_sdk,
    }
    assert linked == set(tests)
