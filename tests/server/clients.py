"""Real MCP clients, over each transport and for both generations of the protocol."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import LATEST_MODERN_VERSION

from groundeval.runs.agent import Address

GENERATIONS = ("legacy", "auto", LATEST_MODERN_VERSION)
"""The handshake by `initialize`, the newest protocol by discovery, and the newest at once."""


@asynccontextmanager
async def over_http(address: Address, mode: str = "auto") -> AsyncIterator[Client]:
    bearer = {"Authorization": f"Bearer {address.token}"}
    async with (
        httpx2.AsyncClient(headers=bearer) as http,
        Client(streamable_http_client(address.url, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(
    project: Path, question: str, folder: Path, mode: str
) -> AsyncIterator[Client]:
    command = ["-m", "groundeval", "serve", str(project), "--question", question, "-o", str(folder)]
    async with Client(
        StdioServerParameters(command=sys.executable, args=command), mode=mode
    ) as client:
        yield client
