"""A stub that opens approvals as the service does, and the phone that decides them."""

from base64 import urlsafe_b64decode
from datetime import datetime, timezone
from typing import Any

from countersign import _identity as identity

from .harness import World
from .phone import APP, ORIGIN, Phone, digest
from .stub import Answer, Asked, Stub, problem

CONTEXT = "Pay 20 EUR to Zoë"
USER = "zoe@example.com"
LINKS = "https://login.shop.example"


def iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")


class ApprovalStub:
    """Answers what the service would about approvals. A test changes `state` and `more` to cheat."""

    def __init__(self, world: World, stub: Stub) -> None:
        self.world = world
        self.stub = stub
        self.id = ""
        self.opened: dict[str, Any] = {}
        self.state = "created"
        self.proof: str | None = None
        # Members that a test replaces in the answers. `...` removes one.
        self.more: dict[str, Any] = {}
        self.opening: dict[str, Any] = {}
        self.keys: list[dict[str, Any]] = []
        stub.routes["/qr-sessions"] = self._open
        stub.routes["/association-keys"] = lambda: Answer(body={"keys": self.keys})

    def _open(self) -> Answer:
        self.opened = self.stub.asked[-1].json
        members = self.opened
        point = urlsafe_b64decode(members["browserPublicKey"] + "=")
        self.id = identity.session_id(APP, members["origin"], members["context"], point)
        self.stub.routes[f"/qr-sessions/{self.id}"] = self._show
        now = self.world.time
        body = {
            "sessionId": self.id,
            "url": f"{LINKS}?sessionId={self.id}",
            "socketUrl": "wss://countersign.example/socket",
            "expiresAt": iso(now + 60),
            "expiresIn": 60,
            "serverTime": iso(now),
        }
        return Answer(body=changed(body, self.opening))

    def _show(self) -> Answer:
        now = self.world.time
        body = {
            "sessionId": self.id,
            "state": self.state,
            "origin": self.opened["origin"],
            "context": self.opened["context"],
            "expectedPublicUserId": self.opened["publicUserId"],
            "browserPublicKey": self.opened["browserPublicKey"],
            "checkCodeRequired": False,
            "proof": self.proof,
            "confirmedAt": iso(now) if self.proof else None,
            "expiresIn": 42,
            "serverTime": iso(now),
        }
        return Answer(body=changed(body, self.more))

    def confirm(self, phone: Phone, **claims: Any) -> None:
        """Confirms as this phone would, with other claims if a test wants them."""
        phone.now = self.world.time
        ctx = digest("ctx", self.opened["context"].encode())
        self.proof = phone.proof(**{"jti": self.id, "aud": ORIGIN, "ctx": ctx, **claims})
        self.state = "confirmed"

    def register(self, phone: Phone) -> None:
        self.keys.append({"keyId": phone.key_id, "publicKey": phone.public_key, "registeredAt": iso(0)})

    def forget(self) -> None:
        """Answers as the service does once it has purged the login."""
        self.stub.routes[f"/qr-sessions/{self.id}"] = problem(404, "session_not_found")

    @property
    def opening_request(self) -> Asked:
        return self.stub.asked_for("/qr-sessions")[-1]


def changed(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**body, **changes}.items() if value is not ...}


def start(client: Any, **more: Any) -> Any:
    return client.approvals.start(**{"origin": ORIGIN, "context": CONTEXT, "user_id": USER, **more})
