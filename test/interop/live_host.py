"""A live host as `drive_host.py` uses it: started, watched and killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muse_code import MuseClient, MuseClientOptions, read_session_durability
from muse_code.connection import Connection, SpawnedMspConnection, spawn_msp_connection

# Only a hang reaches it.
HANG_S = 60.0

Frame = dict[str, Any]


class Host:
    """One host process, and this client's connection to it, with what went over it."""

    client: MuseClient[Any]
    connection: Connection
    spawned: SpawnedMspConnection
    pid: int

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.protocol_errors: list[str] = []
        # Each answer to a command, in order, by its id: what was sent and what came.
        self.answers: dict[str, list[Any]] = {}
        self.sent: dict[str, Frame] = {}
        self.requests = 0
        self._changed = asyncio.Event()

    @staticmethod
    async def start(folder: Path, command: list[str]) -> Host:
        """Starts a host and shakes hands. The pin of the SDK's release stays as it is."""
        host = Host()
        pid_file = folder / "pid"
        program = folder / "muse"
        words = " ".join(shlex.quote(word) for word in command)
        program.write_text(f"#!/bin/sh\necho $$ > {shlex.quote(str(pid_file))}\nexec {words}\n")
        program.chmod(0o755)
        stderr: list[str] = []
        handshake = await spawn_msp_connection(str(program), args=("serve",), on_stderr=stderr.append)
        host.spawned = await handshake.initialize({"clientInfo": {"name": "mspkit_interop", "version": "0.0.0"}})
        host.pid = int(pid_file.read_text())
        host.connection = host.spawned.connection
        host._watch()
        durability = read_session_durability(host.spawned.initialize_result)
        options = MuseClientOptions(durability=durability, host=host.spawned)
        host.client = MuseClient(host.connection, options)
        return host

    def _watch(self) -> None:
        connection = self.connection
        register, request = connection.on_notification, connection.request

        def on_notification(handler: Callable[[Any], None]) -> None:
            def heard(frame: Any) -> None:
                self.frames.append(frame)
                handler(frame)
                self._changed.set()

            register(heard)

        def counted(method: str, params: Any = None) -> Any:
            answer = request(method, params)
            command = (params or {}).get("commandId")
            if command is not None:
                self.requests += 1
                self.sent[command] = {"method": method, "params": params}
                answer.add_done_callback(lambda done: self._answered(command, done))
            return answer

        connection.on_notification = on_notification  # type: ignore[method-assign]
        connection.request = counted  # type: ignore[method-assign]
        connection.on_protocol_error(lambda error: self.protocol_errors.append(error.message))

    def _answered(self, command: str, done: Any) -> None:
        if done.cancelled():
            return
        error = done.exception()
        self.answers.setdefault(command, []).append(done.result() if error is None else error)
        self._changed.set()

    async def until(self, holds: Callable[[], Any]) -> Any:
        """Waits until something holds of what came; gives what it says."""
        while not (found := holds()):
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), HANG_S)
        return found

    async def heard(self, method: str, **members: Any) -> Frame:
        """Waits for a notification with these members; gives its params."""

        def find() -> Frame | None:
            for frame in self.frames:
                params = frame.get("params") or {}
                if frame["method"] == method and all(params.get(k) == v for k, v in members.items()):
                    return params
            return None

        return await self.until(find)

    def cursor(self) -> str:
        """The last cursor that came."""
        return next(c for f in reversed(self.frames) if (c := (f.get("params") or {}).get("viewCursor")))

    def kill(self) -> None:
        """Kills the host and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
