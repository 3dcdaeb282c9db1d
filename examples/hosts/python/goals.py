"""The commands of goals: a session has one goal or none. Setting, editing and resuming one wakes a turn."""
from protocol import mint_id, record


class Goals:
    """What a session decides about its goal."""

    def _goal_set(self, command):
        goal = {"objective": command["payload"]["objective"], "status": "active", "percentComplete": 0}
        return self._change_goal(command, goal, wakes=True)

    def _goal_edit(self, command):
        goal = self.goal and {**self.goal, "objective": command["payload"]["objective"], "percentComplete": 0}
        return self._change_goal(command, goal, wakes=True)

    def _goal_pause(self, command):
        return self._change_goal(command, self.goal and {**self.goal, "status": "paused"}, wakes=False)

    def _goal_resume(self, command):
        return self._change_goal(command, self.goal and {**self.goal, "status": "active"}, wakes=True)

    def _goal_clear(self, command):
        if self.goal is None:
            return self._reject(command, "missing_goal")
        return self._accept(command, {}, self._event("session/goalChanged", {"goal": None}))

    def _change_goal(self, command, goal, wakes):
        if goal is None:
            return self._reject(command, "missing_goal")
        changed = goal != self.goal and self._event("session/goalChanged", {"goal": goal})
        if wakes and self.active:
            return self._accept(command, {"turnId": self.active["turnId"]}, changed)
        if not wakes or goal["status"] != "active" or self.queue:
            return self._accept(command, {}, changed)
        woken = {"turnId": mint_id(), "commandId": command["spelt"], "prompt": goal["objective"]}
        turn = record("turn", **woken, place="now", goal=True)
        return self._accept(command, {"turnId": turn["turnId"]}, changed, turn, *self._launch(turn))
