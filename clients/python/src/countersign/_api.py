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
from ._proofs import Expected, KnownKey, Login
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


def _path(*parts: str) -> str:
    """Returns a path. Ids come from outside, and must not name another path."""
    if not all(re.fullmatch(r"[\w-]+", part, re.ASCII) for part in parts):
        raise ValueError("an id has letters, digits, - and _ only")
    return "/" + "/".join(parts)


def _header(name: str, value: str) -> dict[str, str]:
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
        headers = _header("idempotency-key", str(uuid.uuid4()) if key is None else key)
        call = Request("POST", _path(path), headers, body_of(request))
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
        call = Request(method, _path("confirmations", id, *action), repeat=repeat)
        return read(Confirmation, (yield from self._service.call(call, limits)))

    def page(self, query: Mapping[str, Any], limits: Limits) -> Flow[ConfirmationPage]:
        call = Request("GET", _path("confirmations"), query=query_of(query))
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
        headers = _header("authorization", f"Bearer {options.key('browser_token', browser_token)}")
        call = Request("POST", _path("qr-sessions"), headers, body_of(request))
        answer = yield from self._service.call(call, limits)
        id = login_webhook_id(_id(answer, "sessionId"))
        yield from remember_once(self._driver, self._store, id, WEBHOOK_TTL_SECONDS)
        return read(NewSession, answer)

    def get(self, id: str, limits: Limits) -> Flow[InspectedSession]:
        answer = yield from self._service.call(Request("GET", _path("qr-sessions", id)), limits)
        return read(InspectedSession, answer)

    def cancel(self, id: str, limits: Limits) -> Flow[None]:
        call = Request("DELETE", _path("qr-sessions", id), may_be_empty=True)
        yield from self._service.call(call, limits)

    def verify(
        self, detail: Mapping[str, Any], origin: str, find_key: Callable[[str], Any], context: str | None
    ) -> Flow[Login]:
        app_key = self.require_app_key()
        options.origin(origin)
        if not all(isinstance(text, str) for text in detail.values()):
            raise LoginVerificationError("not four texts")
        kid = proofs.named_key(detail["proof"])
        key: KnownKey | None = yield lambda: find_key(kid)
        if key is None:
            raise LoginVerificationError("the key is unknown")
        now = yield from self._keys.time()
        expected = Expected(app_key, origin, detail["session_id"], context)
        return proofs.verify(detail["proof"], detail["payload"], detail["salt"], key, expected, now)


class AssociationKeyCalls:
    def __init__(self, service: Service) -> None:
        self._service = service

    def register(self, request: Mapping[str, Any], limits: Limits) -> Flow[AssociationKeyId]:
        call = Request("POST", _path("association-keys"), body=body_of(request))
        answer = yield from self._service.call(call, limits)
        _id(answer, "keyId")
        return read(AssociationKeyId, answer)

    def list(self, public_user_id: str, limits: Limits) -> Flow[Sequence[RegisteredAssociationKey]]:
        query = query_of({"public_user_id": public_user_id})
        answer = yield from self._service.call(Request("GET", _path("association-keys"), query=query), limits)
        return [read(RegisteredAssociationKey, key) for key in _list(answer, "keys")]

    def revoke(self, key_id: str, limits: Limits) -> Flow[AssociationKeyId]:
        call = Request("DELETE", _path("association-keys", key_id))
        return read(AssociationKeyId, (yield from self._service.call(call, limits)))
