"""AWS End User Messaging's look-ups of carriers, which the emulator lacks."""

import contextlib

CARRIER = "Example Wireless"


class Carriers:
    """Answers look-ups. Like AWS it refuses a function whose role lacks the right."""

    def __init__(self, deployment):
        self._deployment = deployment

    def answer(self, caller, operation, request):
        function = self._deployment.signer(caller)
        if f"sms-voice:{operation}" not in self._deployment.granted(function):
            return 400, {"__type": "AccessDeniedException", "Message": "not authorized"}
        return 200, {"E164PhoneNumber": request["PhoneNumber"], "Carrier": CARRIER}

    @contextlib.contextmanager
    def looked_up(self):
        """Has the dispatcher look carriers up during a block."""
        former = self._deployment.set_variables("dispatcher", COUNTERSIGN_CARRIER_LOOKUP="aws")
        try:
            yield
        finally:
            self._deployment.set_variables("dispatcher", **former)
