"""Waiting for what happens elsewhere, within a bound."""

import threading
import time

# Generous: a machine with two cores runs the emulator, the functions and the test at once.
BOUND = 60
_PAUSE = threading.Event()


def until(what, condition, within=BOUND):
    """Asks `condition` until it answers with something true, and returns that."""
    end = time.monotonic() + within
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < end, f"{within} s went by without: {what}"
        _PAUSE.wait(0.05)
