"""An attempt as an MCP server of the SDK: its tools, their schemas, their results."""

from __future__ import annotations

import json
import logging
from typing import Any, Final

import anyio
import anyio.to_thread
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from groundeval import __version__
from groundeval.runs.terms import MOST_TRIES, SUBMIT
from groundeval.server.attempt import Attempt, Declined, Outcome
from groundeval.server.shapes import (
    FETCH_INPUT,
    FETCH_OUTPUT,
    NO_INPUT,
    QUESTION_OUTPUT,
    SEARCH_INPUT,
    SEARCH_OUTPUT,
    SUBMIT_OUTPUT,
)

NAME: Final = "groundeval"
INSTRUCTIONS: Final = (
    "This server holds one question about a body of documents. Call `question` first, look things "
    "up with `search` and `fetch`, and hand in the answer with `submit_answer`."
)
NOT_KEPT: Final = "the answer could not be kept, and is not accepted: submit it again"
_LOOKING: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ANSWERING: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, open_world_hint=False
)
_ANY_OBJECT: Final[dict[str, Any]] = {"type": "object"}

_SEARCH: Final = Tool(
    name="search",
    title="Search the documents",
    description=(
        "The documents that fit a query best, as of the question's instant. A search without "
        "`subsystem` goes through all open ones."
    ),
    input_schema=SEARCH_INPUT,
    output_schema=SEARCH_OUTPUT,
    annotations=_LOOKING,
)
_FETCH: Final = Tool(
    name="fetch",
    title="Open a document",
    description="The whole text of a document by its id, and what the log holds about it.",
    input_schema=FETCH_INPUT,
    output_schema=FETCH_OUTPUT,
    annotations=_LOOKING,
)
_QUESTION: Final = Tool(
    name="question",
    title="Read the question",
    description="The question to answer, its instructions and the form of its answer.",
    input_schema=NO_INPUT,
    output_schema=QUESTION_OUTPUT,
    annotations=_LOOKING,
)


def listed_tools(attempt: Attempt) -> list[Tool]:
    """The tools of an attempt; the answer's own schema is what `submit_answer` takes."""
    schema = attempt.question.get("answer_schema")
    submit = Tool(
        name=SUBMIT,
        title="Hand in the answer",
        description=(
            "Hand in the answer to the question. One that fits is final; one that does not may be "
            f"sent again, {MOST_TRIES} times in all. `abstain: true` needs no other field."
        ),
        input_schema=schema if isinstance(schema, dict) else _ANY_OBJECT,
        output_schema=SUBMIT_OUTPUT,
        annotations=_ANSWERING,
    )
    looking = [_SEARCH, _FETCH] if attempt.has_tools else []
    return [*looking, _QUESTION, submit]


def served(attempt: Attempt) -> Server[Any]:
    """An MCP server for one attempt, for any number of sessions and both protocol generations."""
    tools = listed_tools(attempt)
    names = frozenset(tool.name for tool in tools)
    turn = anyio.Lock()

    async def on_list_tools(
        _: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def on_call_tool(
        ctx: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        attempt.client = _client_of(ctx) or attempt.client
        known, arguments = params.name in names, params.arguments or {}
        # One call after the other, and beside the loop: a call may wait for the run's pace.
        async with turn:
            outcome = await anyio.to_thread.run_sync(
                _called if known else _noted, attempt, params.name, arguments
            )
        return tool_result(outcome)

    return Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=_no_headers,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )


def _called(attempt: Attempt, tool: str, arguments: dict[str, Any]) -> Outcome:
    """What the call brought back. What fails on our side is told to our own log, and no agent."""
    log = logging.getLogger(__name__)
    try:
        return attempt.call(tool, arguments)
    except Exception as fault:
        if isinstance(fault, OSError) and tool == SUBMIT:
            log.error("an answer could not be kept: %s", fault.strerror or fault)  # noqa: TRY400
            raise MCPError(code=INTERNAL_ERROR, message=NOT_KEPT) from fault
        log.exception("`%s` failed: this is a bug in GroundEval", tool)
        raise MCPError(code=INTERNAL_ERROR, message="the server failed") from fault


def _noted(attempt: Attempt, tool: str, arguments: dict[str, Any]) -> Outcome:
    """A call to a tool that there is not reaches nothing, and stands in the trace."""
    attempt.note(tool, arguments)
    raise MCPError(code=INVALID_PARAMS, message="there is no such tool")


def _no_headers(_: str) -> None:
    """No tool takes arguments from HTTP headers, so no schema has to be searched for them."""


def tool_result(outcome: Outcome) -> CallToolResult:
    """The result as structured content and the same JSON as text; a refusal as a tool error."""
    if isinstance(outcome, Declined):
        content = TextContent(type="text", text=outcome.text)
        return CallToolResult(content=[content], is_error=True)
    text = json.dumps(outcome.content, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=outcome.content
    )


def _client_of(ctx: ServerRequestContext[Any]) -> str | None:
    """The client's own name and version, short and writable; None where it gives none."""
    told = ctx.session.client_params
    if told is None:
        return None
    text = f"{told.client_info.name} {told.client_info.version}".strip()
    return text[:100].encode("utf-8", "replace").decode("utf-8")
