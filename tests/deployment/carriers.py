"""AWS End User Messaging's lookups of carriers, which the emulator lacks."""

import contextlib

from deployment import FUNCTIONS

CARRIER = "Example Wireless"


class Carriers:
    """Answers lookups. Like AWS it refuses a function whose role lacks the right."""

    def __init__(self, deployment):
        self._deployment = deployment
        # The actions of each role.
        self._granted = {}
        # The numbers that have been looked up.
        self.asked = []

    def answer(self, caller, operation, request):
        self.asked.append(request["PhoneNumber"])
        if f"sms-voice:{operation}" not in self._granted[self._deployment.signer(caller)]:
            return 400, {"__type": "AccessDeniedException", "Message": "not authorized"}
        return 200, {"E164PhoneNumber": request["PhoneNumber"], "Carrier": CARRIER}

    @contextlib.contextmanager
    def looked_up(self):
        """Has the dispatcher look carriers up during a block, with the rights that it has when the
        block begins."""
        # Not in each answer, because the dispatcher only waits 800 ms for it.
        self._granted = {function: self._deployment.granted(function) for function in FUNCTIONS}
        former = self._deployment.set_variables("dispatcher", COUNTERSIGN_CARRIER_LOOKUP="aws")
        try:
            yield
        finally:
            self._deployment.set_variables("dispatcher", **former)
