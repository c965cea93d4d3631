"""A client that makes the calls it is told on its input: `python -m benchmarks.mcp_client URL`."""

from __future__ import annotations

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def client(url: str) -> None:
    """Make the calls that standard input tells, over MCP."""
    told = json.loads(sys.stdin.read())
    bearer = {"Authorization": f"Bearer {told['token']}"}
    async with (
        httpx2.AsyncClient(headers=bearer) as http,
        Client(streamable_http_client(url, http_client=http)) as session,
    ):
        for tool, what, where in told["calls"]:
            named = {"query": what} if tool == "search" else {"id": what}
            await session.call_tool(tool, named if where is None else named | {"subsystem": where})


if __name__ == "__main__":
    asyncio.run(client(sys.argv[1]))
