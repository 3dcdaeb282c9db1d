"""Plays recorded sessions through muse-code-sdk against a host, and says what the client saw.

    play_scenarios.py --root FOLDER [--record FOLDER] HOST SCENARIO...

HOST is the program of the conformance commands. One process of it is started a scenario; one JSON line is
printed a scenario: {"scenario", "ok", "report", "exit", "seen", "error"?}.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import muse_code
from muse_code import MuseClient, MuseClientOptions, read_session_durability
from muse_code.connection import spawn_msp_connection

from player import Player
from recording import Recording, read_recording
from seen import HostGone, Seen

# Only a hang reaches it.
HANG_S = 60.0


def host_words(host: str, folder: Path, record: Path | None) -> list[str]:
    """The words after the program: a canned host, or a recorder between this client and a canned host."""
    serve = ["serve-fixture", "--transcript", str(folder), "--rewrite-command-ids"]
    if record is None:
        return serve
    return ["record", "--out", str(record / folder.name), "--", host, *serve]


async def play(host: str, recording: Recording, record: Path | None) -> dict[str, Any]:
    """Plays one recording to its end, or to the first thing that goes wrong."""
    stderr: list[str] = []
    seen = Seen()
    # As the SDK's own tests do it: a recording has the fingerprint of its own time.
    muse_code.EXPECTED_SCHEMA_FINGERPRINT = recording.fingerprint  # type: ignore[misc]
    params: Any = dict(recording.initialize)
    if record is None:
        # The name of a client is its own affair; a record is to be equal to the recording in it too.
        params["clientInfo"] = {"name": "mspkit_interop", "version": "0.0.0"}
    handshake = await spawn_msp_connection(
        host,
        args=host_words(host, recording.folder, record),
        on_stderr=stderr.append,
        connection_options={"mint_command_id": seen.mint},
    )
    error: str | None = None
    granted: list[str] = []
    try:
        spawned = await handshake.initialize(params)
        granted = list(spawned.initialize_result.get("grantedCapabilities") or [])
        seen.watch(spawned.connection)
        client: MuseClient[Any] = MuseClient(
            spawned.connection,
            MuseClientOptions(durability=read_session_durability(spawned.initialize_result), host=spawned),
        )
        await asyncio.wait_for(Player(recording, client, spawned.connection, seen).play(), HANG_S)
        # The fold may go on after the last frame, to fill a gap.
        await asyncio.wait_for(seen.settle(), HANG_S)
        # A frame that the client sends by itself is certain to be out once the host has judged the last one.
        await asyncio.wait_for(_judged(handshake, stderr), HANG_S)
        if spawned.connection.closed.done():
            raise HostGone("the connection ended before it was closed")
        await client.close()
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is this scenario's result
        error = f"{type(failure).__name__}: {failure}"
    finally:
        await handshake.close()
        await seen.stop()
    code = (await handshake.exited).code
    report = _report("".join(stderr))
    done = report is not None and report.get("kind") == "serveFixtureComplete" and code == 0
    result: dict[str, Any] = {
        "scenario": recording.folder.name,
        "ok": done and error is None and not seen.protocol_errors,
        "report": report,
        "exit": code,
        "seen": {"granted": granted, **seen.report()},
    }
    return result if error is None else {**result, "error": error}


async def _judged(handshake: Any, stderr: list[str]) -> None:
    exited = asyncio.ensure_future(handshake.exited)
    while _report("".join(stderr)) is None and not exited.done():
        await asyncio.sleep(0.005)


def _report(stderr: str) -> dict[str, Any] | None:
    """The canned host's report among what the program wrote on stderr."""
    for line in stderr[: stderr.rfind("\n") + 1].split("\n"):
        if line.startswith("{"):
            report: dict[str, Any] = json.loads(line)
            return report
    return None


def main() -> None:
    """Plays what the words name."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--record", type=Path)
    parser.add_argument("host")
    parser.add_argument("scenarios", nargs="+")
    words = parser.parse_args()
    for scenario in words.scenarios:
        result = asyncio.run(play(words.host, read_recording(words.root / scenario), words.record))
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
