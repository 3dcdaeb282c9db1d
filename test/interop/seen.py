"""What the client saw of a session: counted at its own read surfaces, not taken from the host's word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from muse_code import Session, is_launch_failure
from muse_code.connection import Connection, ProtocolError, create_uuid_v7_mint


class HostGone(Exception):
    """The host ended before all of the recording was played."""


class Seen:
    """Watches one client. Made before the connection, since it lends it the mint of command ids."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session[Any]] = {}
        self.errors: list[str] = []
        self.protocol_errors: list[str] = []
        self.notifications = 0
        self.receipts = 0
        self.asked = 0
        self.repeats = 0
        self._changed = asyncio.Event()
        self._mint = create_uuid_v7_mint()
        self._expected: list[str] = []
        self._own: dict[str, str] = {}
        self._fold_only: dict[str, Session[Any]] = {}
        self._turns: dict[str, _TurnWatch] = {}
        self._named: list[tuple[str, str]] = []
        self._ended: set[str] = set()
        self._connection: Connection | None = None

    def mint(self) -> str:
        """A command id of the client's own, remembered beside the recorded one that it stands for."""
        own = self._mint()
        if self._expected:
            self._own[self._expected.pop(0)] = own
        return own

    def expect_command(self, recorded: str) -> None:
        """Says for which recorded id the next one is minted."""
        self._expected.append(recorded)

    def own(self, value: Any) -> Any:
        """A recorded value with the client's own command ids in it."""
        if isinstance(value, str):
            return self._own.get(value, value)
        if isinstance(value, list):
            return [self.own(element) for element in value]
        if isinstance(value, dict):
            return {name: self.own(member) for name, member in value.items()}
        return value

    def watch(self, connection: Connection) -> None:
        """Counts what reaches the handlers that the client is about to register."""
        self._connection = connection
        register_notification = connection.on_notification
        register_request = connection.on_server_request

        def on_notification(handler: Callable[[Any], None]) -> None:
            def heard(frame: Any) -> None:
                self._notified(frame)
                handler(frame)

            register_notification(heard)

        def on_server_request(handler: Callable[[Any], Any]) -> None:
            async def heard(frame: Any) -> Any:
                receipt = await handler(frame)
                # The connection writes it before anybody who waits here runs.
                self.receipts += 1
                self._changed.set()
                return receipt

            register_request(heard)

        def on_protocol_error(error: ProtocolError) -> None:
            self.protocol_errors.append(error.message)

        connection.on_notification = on_notification  # type: ignore[method-assign]
        connection.on_server_request = on_server_request  # type: ignore[method-assign]
        connection.on_protocol_error(on_protocol_error)
        connection.closed.add_done_callback(lambda _: self._changed.set())

    async def until_host_sent(self, notifications: int, receipts: int) -> None:
        """Waits until so much has come of the host, and so many requests of it are answered."""
        assert self._connection is not None
        closed = self._connection.closed
        while self.notifications < notifications or self.receipts < receipts:
            if closed.done():
                raise HostGone(
                    f"{self.notifications} of {notifications} notifications, "
                    f"{self.receipts} of {receipts} receipts"
                )
            self._changed.clear()
            # The end of the connection is a change as well.
            await self._changed.wait()

    def opened(self, session: Session[Any], *, fold_only: bool = False) -> None:
        """Takes a session that the client opened, and follows the turns that were named before."""
        self.sessions[session.session_id] = session
        if fold_only:
            self._fold_only[session.session_id] = session
        for session_id, turn_id in self._named:
            if session_id == session.session_id:
                self.follow(session, turn_id)

    def follow(self, session: Session[Any], turn_id: str) -> None:
        """Listens to a turn: its items, its deltas, its end."""
        if turn_id not in self._turns:
            self._turns[turn_id] = _TurnWatch(session.turn(turn_id))

    async def settle(self) -> None:
        """Waits for the ends of the turns that the host ended."""
        for turn_id in self._ended & self._turns.keys():
            await self._turns[turn_id].settle()

    async def stop(self) -> None:
        """Stops listening."""
        for turn in self._turns.values():
            await turn.stop()

    def _notified(self, frame: Mapping[str, Any]) -> None:
        self.notifications += 1
        self._changed.set()
        params = frame.get("params") or {}
        session_id, turn_id = params.get("sessionId"), params.get("turnId")
        if isinstance(session_id, str) and isinstance(turn_id, str):
            if frame["method"] in ("turn/completed", "turn/unqueued"):
                self._ended.add(turn_id)
            if frame["method"] in ("turn/started", "turn/completed", "turn/unqueued"):
                # Before the client folds it, so that nothing of the turn is missed.
                self._named.append((session_id, turn_id))
                if session_id in self.sessions:
                    self.follow(self.sessions[session_id], turn_id)
        if session_id in self._fold_only:
            self._fold_only[session_id].apply(frame)

    def report(self) -> dict[str, Any]:
        """The counts."""
        folds = [session.fold for session in self.sessions.values()]
        items = [(fold, item) for fold in folds for item in fold.items.list()]
        joined = [(fold.items.accumulated(str(item["itemId"])), item) for fold, item in items]
        turns = list(self._turns.values())
        return {
            "notifications": self.notifications,
            "receipts": self.receipts,
            "sessions": len(self.sessions),
            "items": [str(item["kind"]) for _, item in items],
            "itemEvents": sum(turn.items for turn in turns),
            "deltas": sum(turn.deltas for turn in turns),
            # Finished items whose text is their deltas in a row.
            "streamed": sum(
                text is not None and item.get("status") != "inProgress" and text == item.get("text")
                for text, item in joined
            ),
            "turns": [turn.end for turn in turns],
            "asked": self.asked,
            "approvals": [str(a["decision"]) for fold in folds for a in fold.resolved_approvals()],
            "openApprovals": sum(len(fold.pending_approvals()) for fold in folds),
            "questions": sum(len(fold.settled_user_inputs()) for fold in folds),
            "openQuestions": sum(len(fold.pending_user_inputs()) for fold in folds),
            "errors": self.errors,
            "repeats": self.repeats,
            "pending": sum(session.pending.size for session in self.sessions.values()),
            "current": all(fold.current for fold in folds),
            "protocolErrors": self.protocol_errors,
        }


class _TurnWatch:
    """One turn, listened to from before its first event."""

    def __init__(self, turn: Any) -> None:
        self.items = 0
        self.deltas = 0
        self.end = "open"
        self._items = asyncio.ensure_future(self._count_items(turn.items()))
        self._deltas = asyncio.ensure_future(self._count_deltas(turn.deltas()))
        self._outcome = turn.completed

    async def settle(self) -> None:
        """Takes the end of the turn, and all that came before it."""
        outcome = await self._outcome
        self.end = outcome.kind
        if outcome.kind == "completed":
            self.end = "launchFailure" if is_launch_failure(outcome) else str(outcome.params["terminal"])
        await asyncio.gather(self._items, self._deltas)

    async def stop(self) -> None:
        """Stops listening. What the client says of a host that died is heard elsewhere."""
        waiting = [self._items, self._deltas, asyncio.ensure_future(self._outcome)]
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _count_items(self, items: Any) -> None:
        async for _ in items:
            self.items += 1

    async def _count_deltas(self, deltas: Any) -> None:
        async for _ in deltas:
            self.deltas += 1
