"""What clients see of a session: its cursors, its events, its row, its snapshot."""
import json
import time

from protocol import MAX_FRAME_BYTES, MspError


def stamp(at):
    """A time, Unix milliseconds, as the protocol writes times."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 1000)) + f".{at % 1000:03d}Z"


def now():
    return stamp(int(time.time() * 1000))


class View:
    """What a session shows."""

    def cursor(self, number):
        return f"v:{self.session_id}:{number}"

    @property
    def head(self):
        return self.cursor(len(self.events))

    def place(self, cursor):
        """The number of the event that a cursor is after."""
        start = f"v:{self.session_id}:"
        number, _, fragment = cursor[len(start) :].partition(".")
        known = cursor.startswith(start) and number.isdecimal() and number.isascii() and len(number) < 16
        if not known or int(number) > len(self.events) or fragment and not fragment.isdecimal():
            raise MspError("notFound", reason="missingAnchor", sessionId=self.session_id)
        return int(number)

    def publish(self):
        """Tells everybody who listens what happened since the last time."""
        told, self.outbox = self.outbox, []
        for event in told:
            for listener in list(self.listeners.values()):
                listener(*event)

    def _fleeting(self, method, params):
        """Tells an event that nobody keeps: its cursor is a fraction of a place."""
        self._fragments += 1
        cursor = f"{self.head}.{self._fragments}"
        at = int(time.time() * 1000)
        self.outbox.append((method, {"sessionId": self.session_id, "viewCursor": cursor, **params}, at))

    def row(self):
        """The description of the session."""
        loaded, about = self.log is not None, self.about
        row = {
            "sessionId": self.session_id,
            "status": "notLoaded" if not loaded else "running" if self.active else "idle",
            "turnCount": self.turn_count,
            "path": self.log.path if loaded else "",
            "createdAt": stamp(about["at"]),
            "updatedAt": stamp(self.updated_at),
            "workspaceRoot": about["workspaceRoot"],
            "providerId": about["providerId"],
            "modelId": about["modelId"],
            "approvalMode": {"mode": about["approvalMode"], "source": "startup", "lastCommandId": None},
            "forkedFrom": None,
            "activeTurnId": self.active["turnId"] if loaded and self.active else None,
        }
        if self.first_prompt is not None:
            row["firstUserPrompt"] = self.first_prompt
        if self.name is not None:
            row.update(name=self.name, nameOrigin="custom")
        return row

    def snapshot(self):
        """All that a client that joins now must know."""

        def reference(turn):
            shown = turn.get("displayText", turn["prompt"])
            return {"turnId": turn["turnId"], "commandId": turn["commandId"], "displayText": shown}

        model = {"modelId": self.about["modelId"], "providerId": self.about["providerId"], "source": "default"}
        state = {
            "items": list(self.items.values()),
            "activeTurn": self.active and reference(self.active),
            "queuedTurns": [reference(turn) for turn in self.queue],
            "pendingApprovals": [],
            "pendingUserInputs": [],
            "approvalMode": self.row()["approvalMode"],
            "effectiveModel": model if self.about["modelId"] else None,
            "goal": self.goal,
            "todoList": None,
            "branch": None,
            "tokenUsage": {"outputTokens": 0, "promptTokens": 0, "totalTokens": 0},
            "turnCount": self.turn_count,
        }
        if self.name is not None:
            state["name"] = self.name
        return {"schemaVersion": 1, "viewCursor": self.head, "state": state}


def history_of(session, exclude, preference=None):
    """The history of a session as a client asked for it, as far as it fits into a frame."""
    if exclude:
        return no_history("excluded")
    snapshot = session.snapshot()
    history = {"mode": "snapshot", "items": None, "snapshot": snapshot}
    if preference in ("inline", "anchored"):
        history = {"mode": "inline", "items": snapshot["state"]["items"], "snapshot": None}
    return history if len(json.dumps(history)) < MAX_FRAME_BYTES - 16_384 else no_history("historyBudget")


def no_history(reason):
    """No history, and why."""
    return {"mode": "none", "items": None, "snapshot": None, "noneReason": reason}


def standing(session):
    """What the reply for a session says beside its history."""
    standing = {"pendingRequests": []}
    if session.last_turn is not None:
        standing["lastTurn"] = session.last_turn
    return standing
