"""Drives a live host through muse-code-sdk, and says what the client got of it.

    drive_host.py FOLDER COMMAND...

COMMAND starts the host over standard streams, with a store that outlives it. FOLDER takes what the run needs. One JSON
line is printed a step: {"step", "facts"} or {"step", "error"}; after an error nothing more is done. The host has the
scripted agent: its turns do what their prompts say.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from muse_code import (
    ApprovalDecisionInput,
    MuseHostDiedError,
    ResumeSessionOptions,
    SendUserTurnOptions,
    Session,
    StartSessionOptions,
)
from muse_code.connection import MspError
from muse_code.pending import CommandErrorResponse, ReplayAck, ReplayError

from live_host import HANG_S, Frame, Host

Facts = dict[str, Any]


class Drive:
    """The steps, in their order."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self._folder = folder
        self._command = command
        self._host: Host
        self._session: Session[Any]
        self._started: list[Host] = []

    def steps(self) -> list[tuple[str, Callable[[], Awaitable[Facts]]]]:
        return [
            ("handshake", self.handshake),
            ("streamed text", self.streamed),
            ("an approval of two stages", self.approved),
            ("an approval denied", self.denied),
            ("a queued turn is taken back", self.unqueued),
            ("a steer", self.steered),
            ("an interrupt", self.interrupted),
            ("three turns queued at once", self.queued),
            ("the host is killed", self.killed),
            ("the session goes on with the next host", self.resumed),
            ("an orderly end", self.closed),
        ]

    async def handshake(self) -> Facts:
        self._host = await self._start()
        self._session = await self._host.client.start_session(StartSessionOptions())
        result = self._host.spawned.initialize_result
        return {"durability": result["sessionDurability"], "host": result["serverInfo"]["name"]}

    async def streamed(self) -> Facts:
        # The question holds the text back until somebody listens: deltas are live only.
        turn = await self._send("/ask\n/say The answer comes in several pieces.")
        deltas = turn.deltas()
        asked = await self._host.heard("userInput/requested", turnId=turn.turn_id)
        await self._session.answer_user_input(
            asked["userInputId"], [{"questionId": "choice", "selectedLabel": "second"}]
        )
        pieces = [str(delta["delta"]) async for delta in deltas]
        outcome = await self._end(turn)
        items = self._items(turn)
        (settled,) = self._session.fold.settled_user_inputs()
        return {
            "disposition": self._ack(self._command_of(turn))["disposition"],
            "kinds": [item["kind"] for item in items],
            "output": items[1]["visibleOutput"],
            "question": settled["outcome"],
            "openQuestions": len(self._session.fold.pending_user_inputs()),
            "several": len(pieces) > 1,
            "joined": "".join(pieces) == items[-1]["text"],
            "text": items[-1]["text"],
            **outcome,
        }

    async def approved(self) -> Facts:
        stages: list[int] = []

        def decide(request: Any) -> ApprovalDecisionInput:
            stages.append(request["currentRequirementId"]["sourceIndex"])
            return ApprovalDecisionInput(self._choice(request, "approved"))

        self._session.on_approval(decide)
        turn = await self._send("/approve 2")
        outcome = await self._end(turn)
        return {"stages": stages, **self._decided(turn), **outcome}

    async def denied(self) -> Facts:
        self._session.on_approval(
            lambda request: ApprovalDecisionInput(self._choice(request, "denied"), "not today")
        )
        turn = await self._send("/approve")
        outcome = await self._end(turn)
        return {**self._decided(turn), "why": self._items(turn)[-1]["failureReason"], **outcome}

    async def unqueued(self) -> Facts:
        running = await self._hang()
        turn = await self._send("never said", if_busy="queue")
        queued = self._ack(self._command_of(turn))["disposition"]
        waiting = self._session.pending.has(self._command_of(turn))
        await self._command_("turn/unqueue", turnId=turn.turn_id)
        kind = (await asyncio.wait_for(turn.completed, HANG_S)).kind
        await self._command_("turn/interrupt", turnId=running.turn_id)
        outcome = await self._end(running)
        started = [f for f in self._host.frames if f["method"] == "turn/started"]
        return {
            "disposition": queued,
            "waiting": waiting,
            "kind": kind,
            "started": any(f["params"]["turnId"] == turn.turn_id for f in started),
            "pending": self._session.pending.size,
            "running": outcome["terminal"],
        }

    async def steered(self) -> Facts:
        turn = await self._hang()
        await self._command_("turn/steer", expectedTurnId=turn.turn_id, input=_text("and this"))
        joined = await self._send("and that", if_busy="steer")
        said = lambda: [i["text"] for i in self._items(turn) if _done(i, "agentMessage")]  # noqa: E731
        await self._host.until(lambda: len(said()) == 2)
        await self._command_("turn/interrupt", turnId=turn.turn_id)
        outcome = await self._end(turn)
        wrong = await self._refused("turn/steer", expectedTurnId=turn.turn_id, input=_text("too late"))
        return {
            "same": joined.turn_id == turn.turn_id,
            "said": said(),
            "pending": self._session.pending.size,
            "late": wrong,
            **outcome,
        }

    async def interrupted(self) -> Facts:
        turn = await self._send("/tool digging 600000")
        await self._host.until(lambda: any(i["kind"] == "toolCall" for i in self._items(turn)))
        await self._command_("turn/interrupt", turnId=turn.turn_id)
        outcome = await self._end(turn)
        again = await self._refused("turn/interrupt", turnId=turn.turn_id)
        return {"tool": self._items(turn)[-1]["status"], "again": again, **outcome}

    async def queued(self) -> Facts:
        running = await self._hang()
        prompts = ("/ask\n/say number 1", "number 2", "number 3")
        turns = await asyncio.gather(*(self._send(prompt, if_busy="queue") for prompt in prompts))
        commands = [self._command_of(turn) for turn in turns]
        waiting = self._session.pending.size
        await self._command_("turn/interrupt", turnId=running.turn_id)
        # The client asks again at each start and end of another turn, for each that waits and is not on the view: for
        # the last two at the end of the first turn and at the start of the next, which then waits for an answer.
        asked = await self._host.heard("userInput/requested", turnId=turns[0].turn_id)
        await self._host.until(lambda: self._answered(commands) >= 3 + 4)
        await self._session.answer_user_input(
            asked["userInputId"], [{"questionId": "choice", "selectedLabel": "first"}]
        )
        ends = [await self._end(turn) for turn in turns]
        await self._host.until(lambda: self._host.requests == sum(map(len, self._host.answers.values())))
        answers = [self._host.answers[command] for command in commands]
        return {
            "waiting": waiting,
            "dispositions": [a[0]["disposition"] for a in answers],
            "replays": 4 <= self._answered(commands) - 3 <= 9,
            "identical": all(answer == a[0] for a in answers for answer in a),
            "terminals": [end["terminal"] for end in ends],
            "said": [self._items(turn)[-1]["text"] for turn in turns],
            "messages": [self._messages(self._host, command) for command in commands],
            "pending": self._session.pending.size,
            "protocolErrors": self._host.protocol_errors,
        }

    async def killed(self) -> Facts:
        self._orphan = await self._send("/say begun\n/hang")
        await self._host.until(lambda: any(_done(i, "agentMessage") for i in self._items(self._orphan)))
        prompts = ("/ask\n/say first", "second", "third")
        self._queued = await asyncio.gather(*(self._send(prompt, if_busy="queue") for prompt in prompts))
        waits = [asyncio.ensure_future(turn.completed) for turn in (self._orphan, *self._queued)]
        # So that each of them waits when the host dies.
        await asyncio.sleep(0)
        self._host.kill()
        ends = await asyncio.wait_for(asyncio.gather(*waits, return_exceptions=True), HANG_S)
        row = await asyncio.wait_for(self._host.client.exit, HANG_S)
        return {
            "died": sum(isinstance(end, MuseHostDiedError) for end in ends),
            "kept": self._session.pending.size,
            "exit": [row.kind, row.exit_signal],
            "protocolErrors": self._host.protocol_errors,
        }

    async def resumed(self) -> Facts:
        old, before = self._host, self._session
        orphan, *commands = [self._command_of(turn) for turn in (self._orphan, *self._queued)]
        entries = {entry.command_id for entry in before.pending.list()}
        await old.client.close()
        host = self._host = await self._start()
        self._session = session = await host.client.resume_session(
            ResumeSessionOptions(session_id=before.session_id, cursor=old.cursor())
        )
        lost = await asyncio.wait_for(session.turn(self._orphan.turn_id).completed, HANG_S)
        asked = await host.heard("userInput/requested", turnId=self._queued[0].turn_id)
        # The first of the queue runs, and waits for an answer: the other two are not on the view yet.
        for command in commands[1:]:
            session.pending.submitted(command, None)
        resent = [await self._resend(host, old, command) for command in (orphan, *commands)]
        for command, answer in zip(commands[1:], resent[2:]):
            session.replay_answered(command, ReplayAck(ack=answer))
        held = session.pending.size
        session.pending.submitted(orphan, None)
        refusal = resent[0]
        given_back = session.replay_answered(
            orphan,
            ReplayError(CommandErrorResponse(refusal.code, refusal.kind, refusal.data.get("reason"))),
        )
        await session.answer_user_input(
            asked["userInputId"], [{"questionId": "choice", "selectedLabel": "first"}]
        )
        turns = [session.turn(turn.turn_id) for turn in self._queued]
        ends = [await self._end(turn) for turn in turns]
        return {
            "entriesBefore": len(entries & {*commands}),
            "orphan": lost.params["terminal"],
            "abandoned": [refusal.code, refusal.data.get("reason"), given_back.kind],
            "sameAcks": all(old.answers[c][0] == answer for c, answer in zip(commands, resent[1:])),
            "held": held,
            "terminals": [end["terminal"] for end in ends],
            "said": [self._items(turn)[-1]["text"] for turn in turns],
            # Once each, over both hosts.
            "messages": [self._messages(old, c) + self._messages(host, c) for c in commands],
            "pending": session.pending.size,
            "protocolErrors": host.protocol_errors,
        }

    async def closed(self) -> Facts:
        await self._host.client.close()
        code = (await asyncio.wait_for(self._host.spawned.exited, HANG_S)).code
        return {"code": code, "protocolErrors": self._host.protocol_errors}

    async def _start(self) -> Host:
        self._started.append(await Host.start(self._folder, self._command))
        return self._started[-1]

    def kill(self) -> None:
        """Kills the host that was started last: the one before it has ended."""
        for host in self._started[-1:]:
            host.kill()

    async def _send(self, text: str, **options: Any) -> Any:
        return await asyncio.wait_for(
            self._session.send_user_turn(SendUserTurnOptions(input=_text(text), **options)), HANG_S
        )

    async def _hang(self) -> Any:
        """A turn that runs until it is stopped; its message is on the view."""
        turn = await self._send("/hang")
        await self._host.until(lambda: self._messages(self._host, self._command_of(turn)) == 1)
        return turn

    async def _command_(self, method: str, **params: Any) -> Frame:
        params["sessionId"] = self._session.session_id
        return await asyncio.wait_for(self._host.connection.command(method, params), HANG_S)

    async def _refused(self, method: str, **params: Any) -> str:
        try:
            await self._command_(method, **params)
        except MspError as error:
            return str(error.data.get("reason"))
        return "nothing"

    async def _resend(self, host: Host, old: Host, command: str) -> Any:
        """Sends a command of the old connection under its id: the ack, or the error."""
        params = {name: value for name, value in old.sent[command]["params"].items() if name != "commandId"}
        try:
            return await asyncio.wait_for(
                host.connection.command("turn/start", params, command_id=command), HANG_S
            )
        except MspError as error:
            return error

    async def _end(self, turn: Any) -> Facts:
        outcome = await asyncio.wait_for(turn.completed, HANG_S)
        return {"terminal": outcome.params["terminal"]}

    def _answered(self, commands: list[str]) -> int:
        """How many answers some commands got, in all."""
        return sum(len(self._host.answers[command]) for command in commands)

    def _ack(self, command: str) -> Frame:
        return self._host.answers[command][0]

    def _command_of(self, turn: Any) -> str:
        """The command whose first ack named the turn."""
        return next(
            command
            for command, answers in self._host.answers.items()
            if self._host.sent[command]["method"] == "turn/start" and answers[0]["turnId"] == turn.turn_id
        )

    def _items(self, turn: Any) -> list[Any]:
        return [item for item in self._session.fold.items.list() if item.get("turnId") == turn.turn_id]

    def _messages(self, host: Host, command: str) -> int:
        """How many messages of the user a host told for a command."""
        items = [f["params"]["item"] for f in host.frames if f["method"] == "item/completed"]
        return sum(item["kind"] == "userMessage" and item.get("commandId") == command for item in items)

    def _decided(self, turn: Any) -> Facts:
        approval = self._session.fold.resolved_approvals()[-1]
        return {
            "decision": approval["decision"],
            "tool": self._items(turn)[-1]["status"],
            "open": len(self._session.fold.pending_approvals()),
        }

    @staticmethod
    def _choice(request: Any, decision: str) -> str:
        return next(str(c["choiceId"]) for c in request["availableChoices"] if c["decision"] == decision)


def _text(text: str) -> list[Any]:
    return [{"type": "text", "text": text}]


def _done(item: Any, kind: str) -> bool:
    return item["kind"] == kind and item.get("status") == "completed"


async def drive(folder: Path, command: list[str]) -> None:
    """Takes the steps until one fails."""
    steps = Drive(folder, command)
    for name, step in steps.steps():
        try:
            facts = await step()
        except Exception:  # noqa: BLE001 - whatever it is, it is this step's result
            print(json.dumps({"step": name, "error": traceback.format_exc()}), flush=True)
            # The host would otherwise outlive this program.
            steps.kill()
            return
        print(json.dumps({"step": name, "facts": facts}), flush=True)


def main() -> None:
    """Drives the host that the words name."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    asyncio.run(drive(words.folder, words.command))


if __name__ == "__main__":
    main()
