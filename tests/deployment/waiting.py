"""Waits for conditions, with a time limit."""

import threading
import time

# Seconds. Generous, because a machine with two cores runs the emulator, the functions and the test.
BOUND = 60
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
