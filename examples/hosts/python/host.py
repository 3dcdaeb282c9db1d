"""
A host of the Muse Session Protocol on standard streams, on nothing but Python's standard library.

    python3 host.py [--log DIR] [--fault NAME]

With --log it is durable, without it is ephemeral. One thread reads; everything else happens in one loop, one thing after
the other, so that nothing needs a lock.
"""
import argparse
import collections
import json
import os
import platform
import queue
import re
import signal
import sys
import threading
import time

import faults
from listing import list_sessions
from log import Folder, Memory
from protocol import (
    MAX_FRAME_BYTES,
    METHODS,
    PROTOCOL,
    MspError,
    check_params,
    mint_id,
    payload_of,
    read_frame,
    rejected,
    signature,
)
from session import Session
from view import history_of, no_history, standing

HOST_LOG = "host"


class Host:
    """What all requests have in common."""

    def __init__(self, store, write):
        self.store = store
        self.write = write
        self.durable = store.durability == "durable"
        self.sessions = {}
        self.started = {}  # commands that were to begin a session, by id: (signature, answer)
        self.greeted = False
        self.later = collections.deque()
        first = [store.first(name) for name in store.names() if name != HOST_LOG]
        for (record,) in first + (store.read(HOST_LOG) or []):
            self.started[record["command"]["id"]] = record["command"]
        self._log = None

    # --- frames

    def take(self, line):
        """Takes a line that a client wrote."""
        if not line.strip():
            return
        try:
            frame = read_frame(line)
        except ValueError:
            return self._fail(None, MspError("parseError"))
        if not isinstance(frame, dict):
            return self._fail(None, MspError("invalidRequest", "a frame is an object"))
        request, method = frame.get("id"), frame.get("method")
        if "method" not in frame and ("result" in frame or "error" in frame):
            return  # This host asks nothing, so nothing is an answer.
        if "id" in frame and (not isinstance(request, (str, int)) or isinstance(request, bool)):
            return self._fail(None, MspError("invalidRequest", "an id is a text or an integer"))
        if frame.get("jsonrpc") != "2.0" or not isinstance(method, str):
            return self._fail(request, MspError("invalidRequest", "a request has jsonrpc 2.0 and a method"))
        if "id" not in frame:
            return  # `initialized`, and what this host has no use for.
        try:
            self._answer(request, result=self._dispatch(method, frame.get("params", {})))
        except MspError as error:
            self._fail(request, error)
        self.settle()

    def refuse_long(self, start):
        """Refuses a frame that is too long; `start` is what was kept of it."""
        found = re.search(rb'"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")\s*[,}]', start[:1000])
        if found is None:
            return self._fail(None, MspError("parseError"))
        self._fail(json.loads(found[1]), MspError("inputTooLarge", limitBytes=MAX_FRAME_BYTES))

    def settle(self):
        """Tells what has happened, and does what was put off until the answer was told."""
        self._publish()
        while self.later:
            self.later.popleft()()
            self._publish()
        for session in self.sessions.values():
            session.go_on()
        self._publish()

    def _publish(self):
        for session in self.sessions.values():
            session.publish()

    def _answer(self, request, **body):
        self.write({"jsonrpc": "2.0", "id": request, **body})

    def _fail(self, request, error):
        self._answer(request, error=error.body)

    def _notify(self, method, params, at=None):
        at = int(time.time() * 1000) if at is None else at
        self.write({"jsonrpc": "2.0", "method": method, "params": params, "emittedAtMs": at})

    # --- methods

    def _dispatch(self, method, params):
        if method != "initialize" and not self.greeted:
            raise MspError("notInitialized", "initialize comes first")
        row = METHODS.get(method, {})
        if "experimental" in row:
            raise MspError("experimentalRequired", of="methodNotFound", descriptor=row["experimental"])
        if "params" not in row or row.get("durableOnly") and not self.durable:
            raise MspError("methodNotFound", f"{method} is not served")
        if not isinstance(params, dict):
            raise MspError("invalidParams", "params are an object")
        check_params(method, params)
        if "commandId" not in params:
            return getattr(self, "_" + method.replace("/", "_"))(params)
        payload = payload_of(method, params)
        command = {
            "method": method,
            "id": params["commandId"].lower(),
            "spelt": params["commandId"],
            "payload": payload,
            "signature": signature(method, payload),
        }
        if method == "session/start":
            return self._session_start(command, params)
        if method == "session/resume":
            return self._session_resume(command, params)
        return self._session(params).command(command)

    def _session(self, params):
        session = self.sessions.get(params["sessionId"].lower())
        if session is not None:
            return session
        there = self.store.read(params["sessionId"].lower()) is not None
        raise MspError("sessionNotLoaded" if there else "sessionNotFound", sessionId=params["sessionId"])

    def _initialize(self, params):
        if self.greeted:
            raise MspError("alreadyInitialized")
        self.greeted = True
        system = {"Darwin": "macos", "Windows": "windows"}.get(platform.system(), "linux")
        return {
            "serverInfo": {"name": "example_python", "version": "1.0.0"},
            "userAgent": f"example_python/1.0.0 ({system})",
            "museHome": self.store.folder if self.durable else os.getcwd(),
            "platformFamily": "windows" if system == "windows" else "unix",
            "platformOs": system,
            "schema": {"version": 1, "fingerprint": PROTOCOL["fingerprint"]},
            "grantedCapabilities": [],
            "experimentalApi": False,
            "sessionDurability": self.store.durability,
        }

    def _session_start(self, command, params):
        known = self.started.get(command["id"])
        if known is not None and known["signature"] != command["signature"]:
            raise rejected(command["method"], command["spelt"], "command_id_conflict")
        answer = known["answer"] if known is not None else self._begin(command, params)
        if "reason" in answer:
            raise rejected(command["method"], command["spelt"], answer["reason"])
        session = self.sessions.get(answer["ack"]["session"]["sessionId"].lower())
        if session is not None:
            self._listen(session, 0)
        return answer["ack"]

    def _begin(self, command, params):
        root = self._root(params)
        session_id = params.get("sessionId") or mint_id()
        key = session_id.lower()
        reason = None
        if "permissionProfile" in params:
            reason = f"permission_profile_{'unknown' if self.durable else 'ephemeral_fixed'}"
        elif key in self.sessions or self.store.read(key) is not None:
            reason = "session_id_conflict"
        row = {"id": command["id"], "signature": command["signature"]}
        if reason is not None:
            return self._reject(row, reason)
        at = int(time.time() * 1000)
        about = {"type": "session", "sessionId": session_id, "workspaceRoot": root, "at": at, "command": row}
        about["approvalMode"] = params.get("approvalMode") or "promptUnmatched"
        about["modelId"] = params.get("modelId", "scripted")
        about["providerId"] = params.get("providerId") or ("example" if about["modelId"] == "scripted" else None)
        session = Session([[about]], None, self.later.append)
        shown = {**session.row(), "status": "idle", "path": self.store.path(key)}
        row["answer"] = {"ack": {"session": shown, "viewCursor": session.head}}
        # The session, its command and the answer are there together or not at all.
        session.log = self.store.create(key, [about])
        self.sessions[key] = session
        self.started[command["id"]] = row
        self._notify("session/started", {"session": shown})
        return row["answer"]

    def _reject(self, row, reason):
        row["answer"] = {"reason": reason}
        if not faults.fault("rejections-not-stored"):
            self.started[row["id"]] = row
            record = {"command": row}
            if self._log is not None:
                self._log.append([record])
            elif self.durable and self.store.read(HOST_LOG) is not None:
                self._log = self.store.open(HOST_LOG)
                self._log.append([record])
            else:
                self._log = self.store.create(HOST_LOG, [record])
        return row["answer"]

    @staticmethod
    def _root(params):
        roots = params.get("workspaceRoots") or [params.get("workspaceRoot", os.getcwd())]
        if params.get("workspaceRoot", roots[0]) != roots[0]:
            raise MspError("invalidParams", "/workspaceRoots must begin with workspaceRoot")
        for root in roots:
            if not os.path.isabs(root) or "\0" in root or not os.path.isdir(root):
                raise MspError("invalidParams", "a workspace root must be an absolute path of a folder")
        return roots[0]

    def _session_resume(self, command, params):
        key = params["sessionId"].lower()
        session = self.sessions.get(key)
        if session is not None:
            row = session.passing.get(command["id"]) or session.ledger.get(command["id"])
            if row is not None and row["signature"] != command["signature"]:
                raise rejected(command["method"], command["spelt"], "command_id_conflict")
            if row is not None:
                self._listen(session, len(session.events))
                return row["answer"]
        if "permissionProfile" in params:
            raise rejected(command["method"], command["spelt"], "permission_profile_unknown")
        if session is None:
            session = self._load(key, params["sessionId"])
        cursor = params.get("cursor")
        head = len(session.events)
        start = head if cursor is None else session.place(cursor)
        session.listeners.clear()
        self._listen(session, start)
        history = no_history("cursorSuffix")
        if cursor is None:
            history = history_of(session, params.get("excludeItems", False), params.get("history"))
        answer = {"session": session.row(), "viewCursor": session.head, "history": history, **standing(session)}
        session.passing[command["id"]] = {"signature": command["signature"], "answer": answer}
        return answer

    def _load(self, key, session_id):
        if self.store.read(key) is None:
            raise MspError("sessionNotFound", sessionId=session_id)
        log = self.store.open(key)
        session = self.sessions[key] = Session(self.store.read(key), log, self.later.append)
        session.recover()
        return session

    def _session_read(self, params):
        key = params["sessionId"].lower()
        session = self.sessions.get(key)
        if session is None:
            entries = self.store.read(key)
            if entries is None:
                raise MspError("sessionNotFound", sessionId=params["sessionId"])
            session = Session(entries)
        history = history_of(session, params.get("excludeItems", True))
        return {"session": session.row(), "viewCursor": session.head, "history": history, **standing(session)}

    def _session_list(self, params):
        keys = {*self.sessions, *self.store.names()} - {HOST_LOG}
        return list_sessions((self.sessions.get(key) or Session(self.store.read(key)) for key in keys), params)

    # --- the view

    def _view_subscribe(self, params):
        session = self._session(params)
        head = len(session.events)
        start = session.place(params["after"]) if "after" in params else head
        session.listeners.clear()
        self._listen(session, start)
        return {"viewCursor": session.head}

    def _view_unsubscribe(self, params):
        session = self.sessions.get(params["sessionId"].lower())
        if session is not None:
            session.listeners.clear()
        return {}

    def _view_page(self, params):
        session = self._session(params)
        if "anchor" in params:
            if "cursor" in params:
                raise MspError("invalidParams", "cursor and anchor must not both be there")
            raise MspError("noBoundary", anchor=params["anchor"], latestBoundaryCursor=None)
        forward = params.get("direction", "forward") == "forward"
        end = len(session.events)
        start = 0 if forward else end + 1
        if "cursor" in params:
            start = session.place(params["cursor"])
        events = session.events[start:] if forward else session.events[: max(0, start - 1)][::-1]
        page, room = [], MAX_FRAME_BYTES - 4096
        for method, event in events[: int(params["limit"])]:
            room -= len(json.dumps(event)) + 100
            if room < 0 and page:
                break
            page.append({"method": method, "params": event})
        last = page[-1]["params"]["viewCursor"] if len(page) < len(events) else None
        return {"events": page if forward else page[::-1], "nextCursor": last}

    def _listen(self, session, start):
        """Lets the client listen to a session, from an event on; what was before it goes out after the answer."""
        if self in session.listeners:
            return
        missed = [(*event, None) for event in session.events[start:]]

        def begin():
            for event in missed:
                self._notify(*event)

        session.listeners[self] = self._notify
        self.later.append(begin)


def read_lines(stream, lines):
    """Puts the lines of a stream into a queue; None at its end. What is too long is put as a pair."""
    while True:
        line = stream.readline(MAX_FRAME_BYTES + 1)
        if not line:
            return lines.put(None)
        if line.endswith(b"\n") or len(line) <= MAX_FRAME_BYTES:
            lines.put(line)
            continue
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(65536)
        lines.put(("tooLong", line[:1000]))


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--log", metavar="DIR")
    words.add_argument("--fault", choices=faults.FAULTS)
    chosen = words.parse_args()
    faults.chosen = chosen.fault

    def write(frame):
        rest = json.dumps(frame, separators=(",", ":")).encode() + b"\n"
        try:
            while rest:
                rest = rest[os.write(1, rest) :]
        except BrokenPipeError:
            pass  # Nobody listens any more. The end of standard input says so, too.

    host = Host(Memory() if chosen.log is None else Folder(os.path.abspath(chosen.log)), write)
    lines = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(sys.stdin.buffer, lines), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: lines.put(None))
    while True:
        wakes = [session.run.wakes_at for session in host.sessions.values() if session.run]
        patience = min((at for at in wakes if at is not None), default=float("inf")) - time.monotonic()
        try:
            line = lines.get(timeout=max(0, min(patience, 3600)))
        except queue.Empty:
            host.settle()
            continue
        if line is None:
            break
        if isinstance(line, tuple):
            host.refuse_long(line[1])
        else:
            host.take(line)
    for session in host.sessions.values():
        session.shut_down()


if __name__ == "__main__":
    main()
