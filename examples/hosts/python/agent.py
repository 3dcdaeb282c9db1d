"""The scripted test agent: what a turn does stands in its prompt. It says, waits, hangs and fails; it calls no tools."""
import re

DIRECTIVES = ("say", "wait", "tool", "approve", "ask", "fail", "fail-launch", "hang", "deaf")
LONGEST_WAIT_MS = 2_147_483_647


def parse(prompt):
    """The steps of a prompt: pairs of a word and what belongs to it."""
    steps, text, place, malformed = [], [], None, None
    for number, line in enumerate(prompt.split("\n"), 1):
        line = line[:-1] if line.endswith("\r") else line
        found = re.match(r"/([a-z-]+)(?=[ \t]|$)", line)
        if found is None or found[1] not in DIRECTIVES:
            if place is not None or line.strip(" \t"):
                place = len(steps) if place is None else place
                text.append(line)
            continue
        step = _step(found[1], line[found.end() :])
        if step == ("fail-launch", None):
            return [step]
        if step is None:
            malformed = malformed or ("malformed", f"line {number} of the script is not of its form")
        else:
            steps.append(step)
    if malformed:
        return [malformed]
    if place is not None:
        while not text[-1].strip(" \t"):
            text.pop()
        steps.insert(place, ("say", "\n".join(text)))
    return steps


def _step(name, rest):
    words = [word for word in re.split("[ \t]", rest) if word]
    if name == "say":
        return ("say", rest[1:]) if rest[1:].strip(" \t") else None
    if name in ("fail", "fail-launch", "hang"):
        return None if words else (name, None)
    if name == "wait":
        fits = len(words) == 1 and re.fullmatch("[0-9]{1,10}", words[0]) and int(words[0]) <= LONGEST_WAIT_MS
        return ("wait", int(words[0])) if fits else None
    return ("malformed", f"this host does not do /{name}")


class Run:
    """A turn at work. `tools` are its session's: say(text), end(terminal, error)."""

    def __init__(self, turn_id, steps):
        self.turn_id = turn_id
        self.steers = []
        self.wakes_at = None
        self._steps = steps

    def go_on(self, tools, now):
        """Does what can be done now (seconds). Returns when there is something to wait for, or the turn has ended."""
        while True:
            while self.steers:
                tools.say(self.steers.pop(0))
            if self.wakes_at is not None:
                if now < self.wakes_at:
                    return
                self.wakes_at = None
            if not self._steps:
                return tools.end("completed")
            word, what = self._steps.pop(0)
            if word == "say":
                tools.say(what)
            elif word == "wait":
                self.wakes_at = now + what / 1000
            elif word == "hang":
                self.wakes_at = float("inf")
            elif word == "fail":
                return tools.end("failed", ("modelError", "the script says /fail", True))
            else:
                return tools.end("failed", ("configError", what, False))
