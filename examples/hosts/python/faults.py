"""Faults that can be switched on by `--fault NAME`, each in one place of the code. They show that the laws find them."""

FAULTS = {
    "new-turn-on-replay": "a turn/start that is sent again starts another turn",
    "payload-not-compared": "an id that stands for another payload gets the first answer",
    "rejections-not-stored": "a rejection is forgotten as soon as it is told",
    "ack-before-write": "what is acked is written only with what comes after it",
    "queued-turn-lost": "turns that wait are dropped when the session is loaded",
    "abandoned-as-accepted": "a turn that a crash ended is settled as accepted",
    "cancel-hits-next-turn": "a turn/cancel that comes too late ends the turn that runs now",
    "two-ends": "a turn that is interrupted is told to end twice",
    "cursor-repeated": "two events in a row have one cursor",
}

chosen = None


def fault(name):
    """Whether a fault is switched on."""
    assert name in FAULTS, name
    return chosen == name
