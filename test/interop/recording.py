"""A recorded session as the player reads it: what the client sends, and what it has seen before that."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Frame = dict[str, Any]

# Answers after which this client sends the same command again by itself.
SENT_AGAIN = ("backpressured", "overloaded")


@dataclass
class Step:
    """One frame of the client, after the handshake."""

    line: int
    frame: Frame
    # What the recording has above it: notifications, and the client's answers to requests of the host.
    notifications: int
    receipts: int
    # The place of the answer to it among all lines, and the kind of the error if it is one.
    answered: int | None = None
    refused: str | None = None
    # The client sends it by itself: another try, the replay of a queued turn, a page that fills a gap.
    automatic: bool = False

    @property
    def by_hand(self) -> bool:
        """Whether it is a page as this client asks for none by itself."""
        return self.method == "view/page" and not self.automatic

    @property
    def method(self) -> str | None:
        """The method, or nothing for the answer to a request of the host."""
        return self.frame.get("method")

    @property
    def params(self) -> Frame:
        """The params, empty where it has none."""
        params: Frame = self.frame.get("params", {})
        return params


@dataclass
class Recording:
    """A recorded session."""

    folder: Path
    initialize: Frame = field(default_factory=dict)
    fingerprint: str = ""
    steps: list[Step] = field(default_factory=list)
    notifications: int = 0
    receipts: int = 0


def read_recording(folder: Path) -> Recording:
    """Reads a transcript and takes the handshake out of it."""
    recording = Recording(folder)
    reader = _Reader(recording)
    # By LF alone: frames may hold U+2028 and its like, at which splitlines would cut.
    lines = (folder / "transcript.ndjson").read_text(encoding="utf-8").split("\n")
    for number, text in enumerate(lines, start=1):
        if not text:
            continue
        entry = json.loads(text)
        frame: Frame = json.loads(entry["raw"])
        if entry["dir"] == "client":
            reader.client(number, frame)
        elif "method" not in frame:
            reader.answer(number, frame)
        elif "id" not in frame:
            reader.notification(frame)
    _join_retries(recording.steps)
    return recording


class _Reader:
    """Follows a recording line by line, as far as it tells what the client does by itself."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._waiting: dict[tuple[str, Any], Step] = {}
        self._queued: dict[str, Step] = {}
        self._gap = False

    def client(self, number: int, frame: Frame) -> None:
        """Takes a frame of the client."""
        method = frame.get("method")
        if method == "initialize" and not self._recording.initialize:
            self._recording.initialize = frame["params"]
            return
        if method == "initialized":
            return
        step = Step(number, frame, self._recording.notifications, self._recording.receipts)
        self._recording.steps.append(step)
        if method is None:
            self._recording.receipts += 1
            return
        if "id" in frame:
            self._waiting[_identity(frame)] = step
        queued = self._queued.get(step.params.get("commandId", ""))
        replayed = queued is not None and queued.params == step.params
        step.automatic = replayed or (self._gap and method == "view/page" and _fills(step.params))

    def answer(self, number: int, frame: Frame) -> None:
        """Takes an answer of the host."""
        result = frame.get("result")
        if not self._recording.fingerprint and isinstance(result, dict) and "schema" in result:
            self._recording.fingerprint = str(result["schema"]["fingerprint"])
        step = self._waiting.pop(_identity(frame), None)
        if step is None:
            return
        step.answered = number
        step.refused = frame.get("error", {}).get("data", {}).get("kind")
        if isinstance(result, dict) and result.get("disposition") == "queued":
            self._queued[step.params["commandId"]] = step

    def notification(self, frame: Frame) -> None:
        """Takes a notification of the host."""
        self._recording.notifications += 1
        params = frame.get("params") or {}
        if frame["method"] == "view/gap":
            self._gap = True
        elif frame["method"] == "turn/unqueued":
            self._queued.pop(str(params.get("commandId")), None)
        elif params.get("item", {}).get("kind") == "userMessage":
            self._queued.pop(params["item"].get("commandId"), None)


def _join_retries(steps: list[Step]) -> None:
    """Marks what the client sends again by itself; the call as a whole is answered where its last try is."""
    for index, step in enumerate(steps):
        if step.automatic:
            continue
        for later in steps[index + 1 :]:
            if step.refused not in SENT_AGAIN:
                break
            if later.method == step.method and later.params == step.params:
                later.automatic = True
                step.answered, step.refused = later.answered, later.refused


def _fills(page: Frame) -> bool:
    """Whether it is a page as this client asks for one to fill a gap."""
    return page.keys() == {"sessionId", "cursor", "limit"} and page["limit"] == 200


def _identity(frame: Frame) -> tuple[str, Any]:
    # 1 and "1" are two ids.
    return (type(frame["id"]).__name__, frame["id"])
