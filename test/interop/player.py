"""Plays one recorded session against a host, through the public interface of muse-code-sdk."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Iterable
from typing import Any

from muse_code import (
    ApprovalDecisionInput,
    MuseClient,
    ResumeSessionOptions,
    SendUserTurnOptions,
    Session,
    StartSessionOptions,
)
from muse_code.connection import Connection, MspError

from recording import Frame, Recording, Step
from seen import Seen


class Player:
    """Does what the recorded client did, in its order.

    Some frames this client sends by itself: receipts, decisions of an approval handler, pages that fill
    a gap, another try of a queued turn. For those the player only waits; all others it causes.
    """

    def __init__(
        self, recording: Recording, client: MuseClient[Any], connection: Connection, seen: Seen
    ) -> None:
        self._recording = recording
        self._client = client
        self._connection = connection
        self._seen = seen
        self._calls: list[tuple[Step, asyncio.Task[None]]] = []
        self._decisions: dict[str, asyncio.Queue[ApprovalDecisionInput]] = {}
        self._first: dict[str, Step] = {}
        # A session of the client fills gaps its own way and starts with the options it knows. A recording
        # that does otherwise is played on the connection; a session without a connection folds what comes.
        self._by_hand = any(
            step.by_hand or (step.method == "session/start" and not _fits(StartSessionOptions, step.params))
            for step in recording.steps
        )

    async def play(self) -> None:
        """Plays to the end of the recording."""
        try:
            for step in self._recording.steps:
                await self._seen.until_host_sent(step.notifications, step.receipts)
                await self._answers_before(step.line)
                self._perform(step)
            await self._seen.until_host_sent(self._recording.notifications, self._recording.receipts)
            await self._answers_before(None)
        finally:
            calls = [call for _, call in self._calls]
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    async def _answers_before(self, line: int | None) -> None:
        for step, call in self._calls:
            if line is None or (step.answered is not None and step.answered < line):
                await call

    def _perform(self, step: Step) -> None:
        method, params = step.method, step.params
        if method is None or step.automatic:
            return
        command = params.get("commandId")
        if command is not None and command in self._first:
            self._repeat(step, command)
            return
        if command is not None:
            self._first[command] = step
            self._seen.expect_command(command)
        params = self._seen.own(params)
        if self._by_hand or not self._through_session(step, params):
            self._on_connection(step, params)

    def _through_session(self, step: Step, params: Frame) -> bool:
        """Uses the client's own call for a method, where it has one that can say all of it."""
        method = step.method
        session = self._seen.sessions.get(params.get("sessionId", ""))
        if method == "session/start" and _fits(StartSessionOptions, params):
            self._call(step, self._open(self._client.start_session(_options(StartSessionOptions, params))))
        elif method == "session/resume" and _fits(ResumeSessionOptions, params):
            options = _options(ResumeSessionOptions, params)
            options.on_approval = self._decide
            self._call(step, self._open(self._client.resume_session(options)))
        elif session is None:
            return False
        elif method == "turn/start" and _fits(SendUserTurnOptions, params, besides=("sessionId",)):
            self._call(step, self._send_turn(session, _options(SendUserTurnOptions, params)))
        elif method == "userInput/answer":
            self._call(step, session.answer_user_input(params["userInputId"], params["answers"]))
        elif method == "approval/decide":
            decision = ApprovalDecisionInput(params["choiceId"], params.get("feedback"))
            self._decision_of(params["approvalId"]).put_nowait(decision)
        else:
            return False
        return True

    def _on_connection(self, step: Step, params: Frame) -> None:
        method = str(step.method)
        if "id" not in step.frame:
            self._connection.notify(method, params or None)
        elif "commandId" not in params:
            self._call(step, self._connection.request(method, params or None))
        else:
            rest = {name: value for name, value in params.items() if name != "commandId"}
            if method == "session/start":
                self._call(step, self._open_by_hand(rest))
            else:
                self._call(step, self._connection.command(method, rest))

    def _repeat(self, step: Step, command: str) -> None:
        """Sends a command id for the second time: with the same payload, or with another."""
        own = self._seen.own(command)
        first = self._first[command]
        params = self._seen.own(step.params)
        if first.params == step.params:
            rest = {name: value for name, value in params.items() if name != "commandId"}
            self._seen.repeats += 1
            self._call(step, self._connection.command(str(step.method), rest, command_id=own))
        else:
            # The client's own call refuses it before it is sent.
            self._call(step, self._connection.request(str(step.method), params))

    async def _open(self, opening: Awaitable[Session[Any]]) -> None:
        session = await opening
        session.on_approval(self._decide)
        self._seen.opened(session)

    async def _open_by_hand(self, params: Frame) -> None:
        result = await self._connection.command("session/start", params)
        self._seen.opened(Session(result["session"]["sessionId"], self._client.durability), fold_only=True)

    async def _send_turn(self, session: Session[Any], options: SendUserTurnOptions[Any]) -> None:
        turn = await session.send_user_turn(options)
        self._seen.follow(session, turn.turn_id)

    def _decision_of(self, approval: str) -> asyncio.Queue[ApprovalDecisionInput]:
        return self._decisions.setdefault(approval, asyncio.Queue())

    async def _decide(self, request: Any) -> ApprovalDecisionInput:
        self._seen.asked += 1
        return await self._decision_of(request["approvalId"]).get()

    def _call(self, step: Step, awaitable: Awaitable[Any]) -> None:
        async def run() -> None:
            try:
                await awaitable
            except MspError as error:
                reason = error.data.get("reason")
                self._seen.errors.append(error.kind if reason is None else f"{error.kind}/{reason}")

        self._calls.append((step, asyncio.ensure_future(run())))


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)


def _members(params: Frame, besides: Iterable[str]) -> dict[str, Any]:
    return {
        _snake(name): value for name, value in params.items() if name != "commandId" and name not in besides
    }


def _fits(options: type[Any], params: Frame, besides: Iterable[str] = ()) -> bool:
    """Whether the options of a call have all members of recorded params."""
    known = {field.name for field in dataclasses.fields(options)}
    return _members(params, besides).keys() <= known


def _options(options: type[Any], params: Frame) -> Any:
    known = {field.name for field in dataclasses.fields(options)}
    return options(**{name: value for name, value in _members(params, ()).items() if name in known})
