"""The calls of the API as flows: what each sends, when it is repeated, and what becomes of the answer."""

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _options as options
from . import _proofs as proofs
from ._acts import AnyStore, remember_once
from ._flow import AnyDriver, AsyncDriver, Flow
from ._json import body_of, query_of, read
from ._keys import KeySet
from ._proofs import Brought, Expected, KnownKey, Login
from ._requests import Limits, Repeat, Request, lacking
from ._service import Service
from ._watched import WatchedConfirmationSession
from .errors import CountersignError, LoginVerificationError
from .store import WEBHOOK_TTL_SECONDS, login_webhook_id
from .types import (
    AssociationKeyId,
    Confirmation,
    ConfirmationPage,
    ConfirmationSession,
    InspectedSession,
    NewSession,
    RegisteredAssociationKey,
)


def path_of(*parts: str) -> str:
    """Returns a path. Ids come from outside, and must not name another path."""
    if not all(re.fullmatch(r"[\w-]+", part, re.ASCII) for part in parts):
        raise ValueError("an id has letters, digits, - and _ only")
    return "/" + "/".join(parts)


def header(name: str, value: str) -> dict[str, str]:
    # The HTTP library would quote a wrong one, which is a secret, in its error.
    if not re.fullmatch(r"[!-~]+(?: [!-~]+)?", value):
        raise ValueError(f"the value for the header {name} has characters that no such value has")
    return {name: value}


def _id(answer: Mapping[str, Any], member: str) -> str:
    id = answer.get(member)
    if not isinstance(id, str) or not id:
        raise lacking(member)
    return id


def _list(answer: Mapping[str, Any], member: str) -> list[Mapping[str, Any]]:
    found = answer.get(member)
    if not isinstance(found, list):
        raise lacking(member)
    return [one for one in found if isinstance(one, dict)]


class ConfirmationCalls:
    def __init__(self, driver: AnyDriver, service: Service, store: AnyStore) -> None:
        self._driver = driver
        self._service = service
        self._store = store

    def start(
        self, path: str, request: Mapping[str, Any], key: str | None, on_started: Any, limits: Limits
    ) -> Flow[ConfirmationSession]:
        if on_started is not None:
            is_asynchronous = isinstance(self._driver, AsyncDriver)
            options.callback("on_started", on_started, 1, asynchronous=is_asynchronous)
        headers = header("idempotency-key", str(uuid.uuid4()) if key is None else key)
        call = Request("POST", path_of(path), headers, body_of(request))
        answer = yield from self._service.call(call, limits)
        id = _id(answer, "confirmationId")
        is_watched = request.get("client_channel") is True
        if is_watched and not isinstance(answer.get("client"), dict):
            raise lacking("client")
        started = read(WatchedConfirmationSession if is_watched else ConfirmationSession, answer)

        def act() -> Any:
            return None if on_started is None else on_started(started)

        yield from remember_once(self._driver, self._store, id, WEBHOOK_TTL_SECONDS, act)
        return started

    def one(
        self, limits: Limits, method: str, id: str, *action: str, repeat: Repeat = Repeat.SAFE
    ) -> Flow[Confirmation]:
        call = Request(method, path_of("confirmations", id, *action), repeat=repeat)
        return read(Confirmation, (yield from self._service.call(call, limits)))

    def page(self, query: Mapping[str, Any], limits: Limits) -> Flow[ConfirmationPage]:
        call = Request("GET", path_of("confirmations"), query=query_of(query))
        answer = yield from self._service.call(call, limits)
        cursor = answer.get("nextCursor")
        return ConfirmationPage(
            confirmations=[read(Confirmation, one) for one in _list(answer, "confirmations")],
            next_cursor=cursor if isinstance(cursor, str) and cursor else None,
        )


class LoginCalls:
    def __init__(
        self, driver: AnyDriver, service: Service, store: AnyStore, keys: KeySet, app_key: str | None
    ) -> None:
        self._driver = driver
        self._service = service
        self._store = store
        self._keys = keys
        self._app_key = app_key

    def require_app_key(self) -> str:
        if not self._app_key:
            raise CountersignError("logins are verified with the app key: set app_key")
        return self._app_key

    def create(self, browser_token: str, request: Mapping[str, Any], limits: Limits) -> Flow[NewSession]:
        headers = header("authorization", f"Bearer {options.key('browser_token', browser_token)}")
        call = Request("POST", path_of("qr-sessions"), headers, body_of(request))
        answer = yield from self._service.call(call, limits)
        id = login_webhook_id(_id(answer, "sessionId"))
        yield from remember_once(self._driver, self._store, id, WEBHOOK_TTL_SECONDS)
        return read(NewSession, answer)

    def get(self, id: str, limits: Limits) -> Flow[InspectedSession]:
        answer = yield from self._service.call(Request("GET", path_of("qr-sessions", id)), limits)
        return read(InspectedSession, answer)

    def cancel(self, id: str, limits: Limits) -> Flow[None]:
        call = Request("DELETE", path_of("qr-sessions", id), may_be_empty=True)
        yield from self._service.call(call, limits)

    def verify(
        self,
        detail: Mapping[str, Any],
        origin: str,
        find_key: Callable[[str], Any],
        context: str | None,
        opened_by_server: bool = False,
    ) -> Flow[Login]:
        """Verifies what a page brought. `opened_by_server` says that the caller knows the browser by itself."""
        app_key = self.require_app_key()
        options.origin(origin)
        options.flag("opened_by_server", opened_by_server)
        payload, salt = detail["payload"], detail["salt"]
        is_bare = opened_by_server and payload is None and salt is None
        texts = [detail["session_id"], detail["proof"], *([] if is_bare else [payload, salt])]
        if not all(isinstance(text, str) for text in texts):
            raise LoginVerificationError("not four texts")
        brought = None if is_bare else Brought(payload, salt)
        expected = Expected(app_key, origin, detail["session_id"], context)
        return (yield from self.prove(detail["proof"], brought, find_key, expected))

    def prove(
        self,
        proof: str,
        brought: Brought | None,
        find_key: Callable[[str], Any],
        expected: Expected,
        at: float | None = None,
    ) -> Flow[Login]:
        """Verifies a proof at a time, which is the service's if it is not given."""
        kid = proofs.named_key(proof)
        key: KnownKey | None = yield lambda: find_key(kid)
        if key is None:
            raise LoginVerificationError("the key is unknown")
        now = (yield from self._keys.time()) if at is None else at
        return proofs.verify(proof, brought, key, expected, now)


class AssociationKeyCalls:
    def __init__(self, service: Service) -> None:
        self._service = service

    def register(self, request: Mapping[str, Any], limits: Limits) -> Flow[AssociationKeyId]:
        call = Request("POST", path_of("association-keys"), body=body_of(request))
        answer = yield from self._service.call(call, limits)
        _id(answer, "keyId")
        return read(AssociationKeyId, answer)

    def list(self, public_user_id: str, limits: Limits) -> Flow[Sequence[RegisteredAssociationKey]]:
        entries = yield from self.entries(public_user_id, limits)
        return [read(RegisteredAssociationKey, key) for key in entries]

    def entries(self, public_user_id: str, limits: Limits) -> Flow[Sequence[Mapping[str, Any]]]:
        """Returns the active keys of a user as the service tells them."""
        query = query_of({"public_user_id": public_user_id})
        call = Request("GET", path_of("association-keys"), query=query)
        return _list((yield from self._service.call(call, limits)), "keys")

    def revoke(self, key_id: str, limits: Limits) -> Flow[AssociationKeyId]:
        call = Request("DELETE", path_of("association-keys", key_id))
        return read(AssociationKeyId, (yield from self._service.call(call, limits)))
