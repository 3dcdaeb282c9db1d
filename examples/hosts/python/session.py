"""
A session: its state is what its records say, one after the other. To decide a command means to read the state and to
write records; an entry of records is durable before it is applied, and applied before anybody is told.
"""
import time

import agent
from faults import fault
from goals import Goals
from protocol import METHODS, MspError, mint_id, record, rejected
from view import View, now


def prompt_of(parts):
    return "".join(part["text"] for part in parts if part["type"] == "text")


class Session(Goals, View):
    """A session that is loaded, or, without `log`, one that is looked at. `after_answer`: does something later."""

    def __init__(self, entries, log=None, after_answer=None):
        self.log = log
        self.after_answer = after_answer
        self.listeners = {}  # by connection: functions that get a method and its params
        self.outbox = []  # events that were decided and not told yet
        self.passing = {}  # commands that are remembered while the host lives, by id: (signature, answer)
        self.run = None
        # What the records say:
        self.ledger = {}  # by command id: the record `received`, with its settlement
        self.events = []  # of the view, durable ones: (method, params)
        self.items = {}
        self.active = None
        self.queue = []
        self.ended = {}  # turns that are over, by id: how
        self.goal = self.name = self.last_turn = self.first_prompt = None
        self.turn_count = 0
        self._fragments = 0
        self._sequences = {}
        for entry in entries:
            for record in entry:
                self._apply(record)

    # --- records

    def commit(self, *records):
        """Makes records durable, then applies them."""
        at = int(time.time() * 1000)
        entry = [{**record, "at": at} for record in records if record]
        self.log.append(entry)
        for record in entry:
            event = self._apply(record)
            if event:
                self.outbox.append((*event, at))

    def _apply(self, record):
        kind, self.updated_at = record["type"], record["at"]
        if kind == "session":
            self.about = record
            self.session_id = record["sessionId"]
        elif kind == "received":
            self.ledger[record["id"]] = {"settled": False, **record}
        elif kind == "settled":
            row = self.ledger[record["id"]]
            row["settled"] = True
            row["answer"] = record.get("answer", row["answer"])
        elif kind == "turn":
            if record["place"] == "now":
                self.active = record
            else:
                self.queue.insert(0 if record["place"] == "first" else len(self.queue), record)
        else:
            return self._apply_event(record)

    def _apply_event(self, record):
        method, stream = record["method"], record["stream"]
        number = len(self.events) + 1
        self._sequences[stream] = self._sequences.get(stream, 0) + 1
        place = {"id": f"r{number}", "sequence": self._sequences[stream]}
        of = "session" if stream == self.session_id else "run"
        params = {
            "sessionId": self.session_id,
            "viewCursor": self.cursor(number - 1 if fault("cursor-repeated") and number % 2 == 0 else number),
            "sourceRange": {"stream": {"kind": of, "id": stream}, "first": place, "last": place},
            **record["params"],
        }
        self.events.append((method, params))
        self._fragments = 0
        turn_id = params.get("turnId")
        if method == "turn/started" and (self.active or {}).get("turnId") != turn_id:
            self.active = self.queue.pop(0)
        elif method == "turn/completed":
            waiting = next((turn for turn in self.queue if turn["turnId"] == turn_id), None)
            if waiting:
                self.queue.remove(waiting)
            else:
                self.active = None
            self.turn_count += 1
            self.last_turn = {key: params[key] for key in ("turnId", "terminal", "reason", "error") if key in params}
            self.ended[turn_id.lower()] = params["terminal"]
        elif method == "turn/unqueued":
            self.queue = [turn for turn in self.queue if turn["turnId"] != turn_id]
            self.ended[turn_id.lower()] = "unqueued"
        elif method.startswith("item/"):
            item = params["item"]
            self.items[item["itemId"]] = item
            if item["kind"] == "userMessage" and self.first_prompt is None:
                self.first_prompt = item["text"]
        elif method == "session/goalChanged":
            self.goal = params["goal"]
        elif method == "session/nameChanged":
            self.name = params["name"]
        return method, params

    # --- commands

    def command(self, command):
        """What a command is answered: an ack. Raises the error where it is rejected or refused."""
        method, spelt, key = command["method"], command["spelt"], command["id"]
        row = self.ledger.get(key) or self.passing.get(key)
        if row and fault("new-turn-on-replay") and method == "turn/start":
            command, row = {**command, "turnId": mint_id()}, None
        if row is None:
            decide = getattr(self, "_" + method.replace("/", "_"))
            row = {"signature": command["signature"], "answer": decide(command)}
            if METHODS[method]["record"] != "durable":
                self.passing[key] = row
        elif row["signature"] != command["signature"] and not fault("payload-not-compared"):
            raise rejected(method, spelt, "command_id_conflict")
        answer = row["answer"]
        if "reason" in answer:
            raise rejected(method, spelt, answer["reason"])
        return {"commandId": spelt, "status": "accepted", **answer["ack"]}

    def _accept(self, command, ack, *records, settled=True):
        answer = {"ack": ack}
        received = record("received", id=command["id"], signature=command["signature"], answer=answer)
        self.commit(received, settled and record("settled", id=command["id"]), *records)
        return answer

    def _reject(self, command, reason):
        answer = {"reason": reason}
        received = record("received", id=command["id"], signature=command["signature"], answer=answer)
        if not fault("rejections-not-stored"):
            self.commit(received, record("settled", id=command["id"]))
        return answer

    def _turn_start(self, command):
        payload = command["payload"]
        missing_parts(self.session_id, payload)
        how = payload.get("ifBusy")
        if self.active and how == "steer":
            turn_id = self.active["turnId"]
            return self._steer(command, {"turnId": turn_id, "startedNewTurn": False, "disposition": "steered"})
        idle = self.active is None and not self.queue
        place = "now" if idle else "first" if how == "replace" else "last"
        turn_id = command.get("turnId", command["spelt"])
        turn = record("turn", turnId=turn_id, commandId=command["spelt"], place=place, prompt=prompt_of(payload["input"]))
        if "displayText" in payload:
            turn["displayText"] = payload["displayText"]
        ack = {"turnId": turn_id, "startedNewTurn": idle, "disposition": "started" if idle else "queued"}
        answer = self._accept(command, ack, turn, *(self._launch(turn) if idle else []), settled=False)
        if how == "replace" and self.active and not idle:
            self.after_answer(lambda: self._stop("replaced by a later turn"))
        return answer

    def _turn_steer(self, command):
        if self.active is None or self.active["turnId"].lower() != command["payload"]["expectedTurnId"]:
            return self._reject(command, "turn_not_running")
        missing_parts(self.session_id, command["payload"])
        return self._steer(command, {"turnId": self.active["turnId"]})

    def _steer(self, command, ack):
        text = prompt_of(command["payload"]["input"])
        message = self._user_message(self.active["turnId"], command["spelt"], text, command["payload"], steered=True)
        if self.run and text.strip():
            self.run.steers.append(text)
        return self._accept(command, ack, message)

    def _turn_interrupt(self, command):
        target = command["payload"].get("turnId")
        active = self.active and self.active["turnId"]
        late = fault("cancel-hits-next-turn") and command["method"] == "turn/cancel"
        if active is None or target is not None and target != active.lower() and not late:
            return {"reason": "already_terminal" if target in self.ended else "missing_run"}
        retract = command["payload"].get("retract", False)
        self.after_answer(lambda: self._stop("stopped by the client", retract, active))
        return {"ack": {"turnId": active}}

    _turn_cancel = _turn_interrupt

    def _turn_unqueue(self, command):
        target = command["payload"]["turnId"]
        turn = next((turn for turn in self.queue if turn["turnId"].lower() == target), None)
        if turn is None:
            started = self.active and self.active["turnId"].lower() == target
            over = self.ended.get(target, "unqueued") != "unqueued"
            return self._reject(command, "turn_already_started" if started or over else "missing_run")
        unqueued = {"turnId": turn["turnId"], "commandId": turn["commandId"]}
        settled = record("settled", id=turn["commandId"].lower())
        return self._accept(command, {"turnId": turn["turnId"]}, settled, self._event("turn/unqueued", unqueued))

    def _session_rename(self, command):
        name = command["payload"]["name"]
        changed = {"name": name, "nameOrigin": "custom"}
        return self._accept(
            command, {"name": name}, name != self.name and self._event("session/nameChanged", changed)
        )

    # --- turns

    def _launch(self, turn):
        """The records of a launch: the turn begins, or it ends without having begun."""
        turn_id, command_id = turn["turnId"], turn["commandId"]
        steps = agent.parse(turn["prompt"])
        if steps == [("fail-launch", None)]:
            reason = "the script says /fail-launch"
            error = {"kind": "launchError", "message": reason, "retryable": False}
            end = {"turnId": turn_id, "terminal": "failed", "reason": reason, "error": error}
            # The ack of a turn that waited said that it would run.
            answer = {} if turn["place"] == "now" else {"answer": {"reason": "deferred_start_failed"}}
            return [self._event("turn/completed", end, turn_id), self._settled(command_id, **answer)]
        self.run = agent.Run(turn_id, steps)
        started = self._event("turn/started", {"turnId": turn_id, "commandId": command_id}, turn_id)
        if turn.get("goal"):
            return [started]
        return [started, self._user_message(turn_id, command_id, turn["prompt"], turn)]

    def go_on(self):
        """Lets the agent do what it can, and launches what waits. Tells nothing: `publish` does."""
        while True:
            if self.run:
                self.run.go_on(self, time.monotonic())
            if self.active or not self.queue:
                return
            self.commit(*self._launch(self.queue[0]))

    def say(self, text):
        """The agent says something, in one piece."""
        item = {"itemId": mint_id(), "kind": "agentMessage", "turnId": self.run.turn_id}
        self._fleeting("item/started", {"item": {**item, "revision": 1, "status": "inProgress", "text": ""}})
        self._fleeting("item/delta", {"itemId": item["itemId"], "field": "text", "delta": text})
        done = {**item, "revision": 2, "status": "completed", "recordedAt": now(), "text": text}
        self.commit(self._event("item/completed", {"item": done}, self.run.turn_id))

    def end(self, terminal, error=None, reason=None, *more):
        """The turn that runs is over."""
        turn, self.run = self.active, None
        end = {"turnId": turn["turnId"], "terminal": terminal}
        if error:
            kind, reason, retryable = error
            end["error"] = {"kind": kind, "message": reason, "retryable": retryable}
        if reason:
            end["reason"] = reason
        completed = self._event("turn/completed", end, turn["turnId"])
        self.commit(completed, self._settled(turn["commandId"]), *more)
        if fault("two-ends") and terminal == "cancelled":
            self.commit(completed)

    def _stop(self, reason, retract=False, turn_id=None):
        turn = self.active
        if turn is None or turn_id not in (None, turn["turnId"]):
            return
        if turn.get("goal") and self.goal and self.goal["status"] == "active":
            self.commit(self._event("session/goalChanged", {"goal": {**self.goal, "status": "paused"}}))
        self.end("cancelled", None, reason, *(self._retracted(turn) if retract else []))

    def _retracted(self, turn):
        """Withdraws the user's message, where the agent has said nothing to it."""
        items = [item for item in self.items.values() if item["turnId"] == turn["turnId"]]
        message = next((item for item in items if item.get("commandId") == turn["commandId"]), None)
        accepted = message is not None and not any(item["kind"] == "agentMessage" for item in items)
        outcome = {"outcome": "accepted" if accepted else "declined"}
        told = self._event("turn/retracted", {"turnId": turn["turnId"], "commandId": turn["commandId"], **outcome})
        if not accepted:
            return [told]
        item = {**message, "revision": message["revision"] + 1, "recordedAt": now(), "retracted": True}
        return [told, self._event("item/updated", {"item": item})]

    def recover(self):
        """Settles what the last host left open: a turn that ran has ended with it; turns that wait go on waiting."""
        if self.active:
            turn = self.active
            end = {"turnId": turn["turnId"], "terminal": "failed", "reason": "crash"}
            answer = {} if fault("abandoned-as-accepted") else {"answer": {"reason": "abandoned"}}
            self.commit(self._event("turn/completed", end, turn["turnId"]), self._settled(turn["commandId"], **answer))
        if fault("queued-turn-lost"):
            self.queue = []
        self.outbox = []

    def shut_down(self):
        """Ends in order: the turn that runs is cancelled, those that wait are left to the next host."""
        if self.active:
            self.end("cancelled", None, "the host shuts down")
        self.publish()
        self.log.close()

    # --- parts of records and answers

    def _event(self, method, params, stream=None):
        return record("event", method=method, params=params, stream=stream or self.session_id)

    def _settled(self, command_id, **answer):
        """Settles a command that was taken in before; nothing where it is settled."""
        row = self.ledger.get(command_id.lower())
        if row is None or not row["settled"]:
            return record("settled", id=command_id.lower(), **answer)

    def _user_message(self, turn_id, command_id, text, payload, **more):
        item = {"itemId": mint_id(), "kind": "userMessage", "turnId": turn_id, "revision": 1, "status": "completed"}
        item.update(recordedAt=now(), text=text, commandId=command_id, **more)
        if "displayText" in payload:
            item["displayText"] = payload["displayText"]
        return self._event("item/completed", {"item": item}, turn_id)


def missing_parts(session_id, payload):
    """Refuses parts that name what this host does not have. Found anew each time: it is no rejection."""
    for part in payload["input"]:
        if part["type"] == "skill":
            raise MspError("skillNotFound", sessionId=session_id, selector=part["selector"])
        if part["type"] == "video":
            raise MspError("uploadNotFound", sessionId=session_id, uploadId=part["uploadId"])
