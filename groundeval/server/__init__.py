"""The gated tools served over MCP (the only user of the SDK `mcp`, Starlette and uvicorn)."""
