"""Children that misbehave, and ways to look at processes, for the tests of muse-code-sdk.

The SDK's source distribution has tests that import a module of this name and does not carry it.
Written for mspkit from what those tests import and use. The children tell their process id on stderr.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

# Only a hang reaches it: a healthy run is far below, on a busy machine too.
FAILURE_CAP_S = 60.0
# How long a child may drain before the client's ladder goes on to signals.
ESCALATION_DRAIN_MS = 150
# More than a pipe holds, so that a write to a child that does not read stays unfinished.
UNFLUSHABLE_WRITE = "x" * (4 * 1024 * 1024) + "\n"

_TELL = "import os, signal, subprocess, sys, time\n"
_TELL_PID = "print(f'child_pid={os.getpid()}', file=sys.stderr, flush=True)\n"
_READ_TO_END = "sys.stdin.buffer.read()\n"
_STAY = "while True:\n    time.sleep(3600)\n"
_TRAP = "signal.signal(signal.SIGTERM, {handler})\n"

IGNORES_EOF = _TELL + _TELL_PID + _READ_TO_END + _STAY
IGNORES_EOF_AND_SIGTERM = _TELL + _TRAP.format(handler="signal.SIG_IGN") + _TELL_PID + _READ_TO_END + _STAY
EXITS_3_ON_SIGTERM = (
    _TELL
    + "def leave(*_):\n    os._exit(3)\n"
    + _TRAP.format(handler="leave")
    + _TELL_PID
    + _READ_TO_END
    + _STAY
)
COUNTS_SIGTERM = (
    _TELL
    + "def count(*_):\n    os.write(2, b'sigterm_seen\\n')\n"
    + _TRAP.format(handler="count")
    + _TELL_PID
    + _READ_TO_END
    + _STAY
)
NEVER_READS_STDIN = _TELL + _TELL_PID + _STAY


def _with_grandchild(held: str, detached: bool) -> str:
    """Starts a grandchild that keeps one stream of its parent open, and tells both process ids."""
    streams = ", ".join(
        f"{name}={'None' if name == held else 'subprocess.DEVNULL'}" for name in ("stdin", "stdout", "stderr")
    )
    return (
        "grandchild = subprocess.Popen("
        "[sys.executable, '-c', 'import time; time.sleep(3600)'], "
        f"{streams}, start_new_session={detached})\n"
        + _TELL_PID
        + "print(f'grandchild_pid={grandchild.pid}', file=sys.stderr, flush=True)\n"
    )


# In the group of its host, which ignores what could be ignored: only SIGKILL of the group ends both.
WRAPPER_WITH_STDOUT_HOLDING_GRANDCHILD = (
    _TELL
    + _TRAP.format(handler="signal.SIG_IGN")
    + _with_grandchild("stdout", detached=False)
    + _READ_TO_END
    + _STAY
)
# Out of the group of its host, which leaves by itself with exit code 0.
DETACHED_STDERR_HOLDER = _TELL + _with_grandchild("stderr", detached=True)
DETACHED_STDOUT_HOLDER = _TELL + _with_grandchild("stdout", detached=True)
# Out of the group of its host; neither of them reads the pipe that both hold.
STDIN_HOLDING_HELPER = _TELL + _with_grandchild("stdin", detached=True) + _STAY


class PidProbe:
    """Reads the process ids that a child tells on stderr."""

    def __init__(self) -> None:
        self.chunks: list[str] = []

    def on_stderr(self, chunk: str) -> None:
        """Takes a piece of what the child wrote."""
        self.chunks.append(chunk)

    async def pid(self) -> int:
        """The child's process id, once told."""
        return await self._told("child_pid")

    async def grandchild_pid(self) -> int:
        """The grandchild's process id, once told."""
        return await self._told("grandchild_pid")

    async def _told(self, name: str) -> int:
        pattern = re.compile(rf"^{name}=(\d+)$", re.MULTILINE)

        async def look() -> int:
            # A whole line, so that half a number is never taken for the number.
            while (found := pattern.search(_whole_lines("".join(self.chunks)))) is None:
                await asyncio.sleep(0.01)
            return int(found.group(1))

        return await asyncio.wait_for(look(), FAILURE_CAP_S)


def _whole_lines(text: str) -> str:
    return text[: text.rfind("\n") + 1]


def is_alive(pid: int) -> bool:
    """Whether a process of this id exists, a dead one that nobody has reaped included."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_zombie(pid: int) -> bool:
    """Whether a process is dead and not reaped. Without /proc there is no telling: no."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # The name is in parentheses and may hold anything; the state comes after the last one.
    return stat[stat.rfind(")") + 1 :].split()[0] == "Z"


async def ended_within(pid: int, seconds: float) -> bool:
    """Waits for the end of a process, of which this one need not be the parent."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while is_alive(pid) and not is_zombie(pid):
        if loop.time() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


def reap(pid: int | None) -> None:
    """Ends what a test may have left, by its id."""
    if pid is None:
        return
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def fixture_host_bin() -> str | None:
    """The canned host, named in MUSE_CONFORMANCE_BIN. A name that is no file is an error."""
    named = os.environ.get("MUSE_CONFORMANCE_BIN")
    if not named:
        return None
    if not Path(named).is_file():
        raise RuntimeError(f"MUSE_CONFORMANCE_BIN: {named} is not a file")
    return named
