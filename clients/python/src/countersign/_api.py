"""The API calls: how each request is built, and how its answer is parsed. This module does no IO."""

import re
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from . import _options as options
from ._json import body_of, query_of, read
from ._requests import Call, Repeat, Request, lacking
from ._watched import WatchedConfirmationSession
from .types import (
    AssociationKeyId,
    Confirmation,
    ConfirmationPage,
    ConfirmationSession,
    CreatedPhoneRegistration,
    InspectedSession,
    NewSession,
    RegisteredAssociationKey,
    SessionPage,
    ShownPhoneRegistration,
)

Answer = Mapping[str, Any]


def path_of(*parts: str) -> str:
    """Returns a path. Ids are untrusted, and must not lead to another path."""
    if not all(re.fullmatch(r"[\w-]+", part, re.ASCII) for part in parts):
        raise ValueError("an id has letters, digits, - and _ only")
    return "/" + "/".join(parts)


def header(name: str, value: str) -> dict[str, str]:
    # The HTTP library would quote an invalid key, which is secret, in its error.
    if not re.fullmatch(r"[!-~]+(?: [!-~]+)?", value):
        raise ValueError(f"the value for the header {name} has characters that no such value has")
    return {name: value}


def bearer(token: str) -> dict[str, str]:
    return header("authorization", f"Bearer {token}")


def start_confirmation(
    path: str, members: Mapping[str, Any], idempotency_key: str | None
) -> Call[ConfirmationSession]:
    is_watched = members.get("client_channel") is True

    def started(answer: Answer) -> ConfirmationSession:
        _check_id(answer, "confirmationId")
        if is_watched and not isinstance(answer.get("client"), dict):
            raise lacking("client")
        return read(WatchedConfirmationSession if is_watched else ConfirmationSession, answer)

    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    headers = header("idempotency-key", key)
    return Call(Request("POST", path_of(path), headers, body_of(members)), started)


def confirmation(method: str, id: str, *action: str, repeat: Repeat = Repeat.SAFE) -> Call[Confirmation]:
    request = Request(method, path_of("confirmations", id, *action), repeat=repeat)
    return Call(request, partial(read, Confirmation))


def confirmation_page(query: Mapping[str, Any]) -> Call[ConfirmationPage]:
    def page(answer: Answer) -> ConfirmationPage:
        found = [read(Confirmation, one) for one in _list(answer, "confirmations")]
        return ConfirmationPage(confirmations=found, next_cursor=_next_cursor(answer))

    return Call(Request("GET", path_of("confirmations"), query=query_of(query)), page)


def login_page(query: Mapping[str, Any]) -> Call[SessionPage]:
    def page(answer: Answer) -> SessionPage:
        found = [read(InspectedSession, one) for one in _list(answer, "sessions")]
        return SessionPage(sessions=found, next_cursor=_next_cursor(answer))

    return Call(Request("GET", path_of("qr-sessions"), query=query_of(query)), page)


def create_login(browser_token: str, members: Mapping[str, Any]) -> Call[NewSession]:
    def created(answer: Answer) -> NewSession:
        _check_id(answer, "sessionId")
        return read(NewSession, answer)

    headers = bearer(options.key("browser_token", browser_token))
    return Call(Request("POST", path_of("qr-sessions"), headers, body_of(members)), created)


def get_login(id: str) -> Call[InspectedSession]:
    return Call(Request("GET", path_of("qr-sessions", id)), partial(read, InspectedSession))


def cancel_login(id: str) -> Call[None]:
    request = Request("DELETE", path_of("qr-sessions", id), may_be_empty=True)
    return Call(request, lambda _: None)


def register_key(members: Mapping[str, Any]) -> Call[AssociationKeyId]:
    def registered(answer: Answer) -> AssociationKeyId:
        _check_id(answer, "keyId")
        return read(AssociationKeyId, answer)

    return Call(Request("POST", path_of("association-keys"), body=body_of(members)), registered)


def list_keys(public_user_id: str) -> Call[Sequence[RegisteredAssociationKey]]:
    entries = key_entries(public_user_id)
    return Call(
        entries.request, lambda answer: [read(RegisteredAssociationKey, key) for key in entries.read(answer)]
    )


def key_entries(public_user_id: str) -> Call[Sequence[Answer]]:
    """Returns a user's active keys as the service lists them."""
    query = query_of({"public_user_id": public_user_id})
    return Call(Request("GET", path_of("association-keys"), query=query), partial(_list, member="keys"))


def revoke_key(key_id: str) -> Call[AssociationKeyId]:
    request = Request("DELETE", path_of("association-keys", key_id))
    return Call(request, partial(read, AssociationKeyId))


def create_phone_registration(members: Mapping[str, Any]) -> Call[CreatedPhoneRegistration]:
    def created(answer: Answer) -> CreatedPhoneRegistration:
        _check_id(answer, "registrationId")
        return read(CreatedPhoneRegistration, answer)

    return Call(Request("POST", path_of("phone-registrations"), body=body_of(members)), created)


def get_phone_registration(id: str) -> Call[ShownPhoneRegistration]:
    return Call(Request("GET", path_of("phone-registrations", id)), partial(read, ShownPhoneRegistration))


def cancel_phone_registration(id: str) -> Call[None]:
    request = Request("DELETE", path_of("phone-registrations", id), may_be_empty=True)
    return Call(request, lambda _: None)


def _check_id(answer: Answer, member: str) -> None:
    id = answer.get(member)
    if not isinstance(id, str) or not id:
        raise lacking(member)


def _next_cursor(answer: Answer) -> str | None:
    cursor = answer.get("nextCursor")
    return cursor if isinstance(cursor, str) and cursor else None


def _list(answer: Answer, member: str) -> list[Answer]:
    found = answer.get(member)
    if not isinstance(found, list):
        raise lacking(member)
    return [one for one in found if isinstance(one, dict)]
