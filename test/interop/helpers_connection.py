"""An in-memory peer for the tests of muse-code-sdk.

The SDK's source distribution has tests that import a module of this name and does not carry it.
Written for mspkit from what those tests import and use.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any

# Turns of the event loop are counted, not time: a slow machine takes longer for each, not more of them.
PUMP_TURNS = 25
WAIT_TURNS = 4000


class AsyncChunks:
    """A stream of text that a test feeds by hand."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._ended = False

    def push(self, chunk: str) -> None:
        """Delivers one chunk."""
        self._queue.put_nowait(chunk)

    def end(self) -> None:
        """Ends the stream, after what was pushed."""
        if not self._ended:
            self._ended = True
            self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (chunk := await self._queue.get()) is not None:
            yield chunk


class FakeDuplex:
    """A transport whose writes are kept, and whose input a test pushes."""

    def __init__(self) -> None:
        self.chunks = AsyncChunks()
        self.writes: list[str] = []

    @property
    def incoming(self) -> AsyncChunks:
        """What the peer sends."""
        return self.chunks

    async def write(self, chunk: str) -> None:
        """Keeps one frame."""
        self.writes.append(chunk)

    async def close(self, flushed: Awaitable[None] | None = None) -> None:
        """Ends the input once the accepted frames have been handed over."""
        if flushed is not None:
            await flushed
        self.chunks.end()


class BrokenWriteDuplex(FakeDuplex):
    """A transport whose reader is gone: every write fails."""

    async def write(self, chunk: str) -> None:
        """Fails as a broken pipe does."""
        raise BrokenPipeError("EPIPE: nobody reads")


def frame(value: Mapping[str, Any]) -> str:
    """A value as one line."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def sent_frame(transport: FakeDuplex, index: int) -> dict[str, Any]:
    """The frame that was written at a place."""
    value = json.loads(transport.writes[index])
    assert isinstance(value, dict)
    return value


def sent_params(transport: FakeDuplex, index: int) -> dict[str, Any]:
    """The params of the frame that was written at a place, as a copy of their own."""
    return dict(sent_frame(transport, index)["params"])


def answer(transport: FakeDuplex, index: int, result: Mapping[str, Any]) -> None:
    """Answers the request that was written at a place."""
    identity = sent_frame(transport, index)["id"]
    transport.chunks.push(frame({"jsonrpc": "2.0", "id": identity, "result": result}))


def answer_error(transport: FakeDuplex, index: int, error: Mapping[str, Any]) -> None:
    """Answers the request that was written at a place with an error."""
    identity = sent_frame(transport, index)["id"]
    transport.chunks.push(frame({"jsonrpc": "2.0", "id": identity, "error": error}))


async def pump(turns: int = PUMP_TURNS) -> None:
    """Lets everything run that is ready."""
    for _ in range(turns):
        await asyncio.sleep(0)


async def wait_for_writes(transport: Any, count: int) -> None:
    """Waits until so many frames were written."""
    for _ in range(WAIT_TURNS):
        if len(transport.writes) >= count:
            return
        await asyncio.sleep(0)
    raise AssertionError(f"{len(transport.writes)} frames were written, not {count}: {transport.writes}")


async def settlement(awaitable: Awaitable[Any], *, turns: int = WAIT_TURNS) -> tuple[str, Any]:
    """How something awaited stands after some turns: resolved, rejected or pending. It is not cancelled."""
    future = asyncio.ensure_future(awaitable)
    for _ in range(turns):
        if future.done():
            break
        await asyncio.sleep(0)
    if not future.done():
        return "pending", None
    if future.cancelled():
        return "rejected", asyncio.CancelledError()
    error = future.exception()
    return ("resolved", future.result()) if error is None else ("rejected", error)


async def settled_io(io: Awaitable[Any]) -> Any:
    """The value of an outcome's `io`, which must come without anything more from outside."""
    state, value = await settlement(io)
    assert state == "resolved", f"io is {state}: {value!r}"
    return value
