"""Waits for conditions, with a time limit."""

import threading
import time

# Seconds. Generous, because a busy machine with two cores runs the emulator, the functions and the test. Only
# a failing test waits for so long.
BOUND = 120
# The same for actions that take up to a minute by design, plus a minute if the machine was too slow once.
MINUTES = 120 + BOUND
_PAUSE = threading.Event()


def until(what, condition, within=BOUND):
    """Calls `condition` until it returns something true, and returns that. `what` is for the message."""
    end = time.monotonic() + within
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < end, f"timed out after {within} s waiting for {what}"
        _PAUSE.wait(0.05)
