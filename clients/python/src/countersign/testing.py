"""Phones for an app's own tests. They need a client with a test key, and no user.

phone = TestPhone(client, user_id="zoe")
opened = phone.open(approval.session["url"])
opened.confirm()
"""

import secrets
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from . import _api as api
from ._async_client import AsyncCountersign
from ._client import Countersign
from ._identity import base64url, point_of
from ._options import UNSET
from ._proofs import KnownKey
from ._requests import Request
from ._service import AsyncService, Service
from ._settings import Settings
from ._test_phone import (
    ConfirmedDetail,
    Login,
    PhoneCore,
    PhoneKey,
    Registration,
    check_decided,
    deny,
    expire,
    opening,
)
from .errors import CountersignError, PhoneRefusedError
from .types import NewSession

__all__ = [
    "AsyncOpenedLogin",
    "AsyncTestPhone",
    "ConfirmedDetail",
    "OpenedLogin",
    "Registration",
    "TestPhone",
    "start_test_login",
    "start_test_login_async",
]


class _Phone:
    """The state that both phones share."""

    # Not a test, although its name begins like one.
    __test__ = False

    def __init__(self, settings: Settings, user_id: str) -> None:
        self._core = PhoneCore(settings, user_id)

    @property
    def user_id(self) -> str:
        return self._core.user_id

    @property
    def key_id(self) -> str:
        """The id of the phone's key, which its proofs name."""
        return self._core.key.id

    @property
    def public_key(self) -> str:
        """The public half of the phone's key, as the mobile SDK gives it to your server."""
        return self._core.key.public

    @property
    def registration(self) -> Registration:
        """The key with its signature, for a test that posts it to your own registration route."""
        return self._core.registration()

    @property
    def _registered(self) -> dict[str, Any]:
        """The key for the app's server to register."""
        handed = self.registration
        return {
            "public_user_id": handed["publicUserId"],
            "public_key": handed["publicKey"],
            "signature": handed["signature"],
        }

    @property
    def known_key(self) -> KnownKey:
        """The key for your own table, which `find_key` searches."""
        return self._core.known_key


class _Opened:
    """The view of a login that both phones share."""

    def __init__(self, core: PhoneCore, login: Login) -> None:
        self._core = core
        self._login = login

    @property
    def session_id(self) -> str:
        return self._login.id

    @property
    def origin(self) -> str:
        """The page's origin, which the id covers."""
        return self._login.origin

    @property
    def context(self) -> str | None:
        """The text to approve, or None for a login without one."""
        return self._login.context

    @property
    def check_code(self) -> str | None:
        """The two digits to type at the browser, or None."""
        return self._login.check_code

    @property
    def session(self) -> dict[str, Any]:
        """The Session object of the mobile SDK, with the texts that the phone shows."""
        return self._login.session

    def _key(self, sign_with: Any) -> PhoneKey:
        if sign_with is not UNSET and not isinstance(sign_with, _Phone):
            raise ValueError("sign_with is not a test phone")
        return self._core.key if sign_with is UNSET else sign_with._core.key


def _service(countersign: Any, kind: type[Any]) -> Any:
    if not isinstance(countersign, kind):
        raise ValueError(f"the first argument is not of the class {kind.__name__}")
    return countersign._service


class TestPhone(_Phone):
    """A phone of one user, with its own key. It refuses whatever a real phone would refuse.

    It opens only logins and approvals created with a test key, and its client must have a test key of the same
    app.
    """

    def __init__(self, countersign: Countersign, *, user_id: str) -> None:
        self._service: Service = _service(countersign, Countersign)
        super().__init__(self._service.settings, user_id)

    def register(self) -> str:
        """Registers the phone's key with the service, and returns its id."""
        return self._service.call(api.register_key(self._registered)).key_id

    def open(
        self, link: str, *, as_user: str | None = UNSET, allow_unencrypted: bool = False
    ) -> "OpenedLogin":
        """Opens the link of a code, as if the phone scanned it.

        `as_user` sets a different user from the phone's, or with None no user. `allow_unencrypted` opens logins whose
        browser has no key. Raises `PhoneRefusedError` if a phone would refuse, and `ProblemError` if the service does.
        """
        named = self.user_id if as_user is UNSET else as_user
        opened = opening(link, named, allow_unencrypted)
        answer = self._service.call(opened.call)
        refusal = opened.refusal(self._core.app_key, answer)
        if refusal is None:
            return OpenedLogin(self._service, self._core, opened.opened(answer))
        if refusal != "answer_malformed":
            # The service itself may be dishonest, so its answer changes nothing.
            self._service.exchange(opened.report, self._service.settings.limits)
        raise PhoneRefusedError(refusal)


class OpenedLogin(_Opened):
    """A login on the phone's screen, waiting for a decision."""

    def __init__(self, service: Service, core: PhoneCore, login: Login) -> None:
        super().__init__(core, login)
        self._service = service

    def confirm(self, payload: str = "", *, sign_with: TestPhone = UNSET) -> ConfirmedDetail:
        """Confirms, and returns the values that the page gets, for a test that posts them to your login
        route.

        `sign_with` signs with another phone's key, which must not count.
        """
        now = self._service.clock.now()
        request, detail = self._core.confirm(self._login, payload, self._key(sign_with), now)
        self._decide(request)
        return detail

    def deny(self, payload: str = "") -> None:
        """Denies. Your server gets the payload, which the service can read."""
        self._decide(deny(self._login, payload))

    def confirm_late(self, payload: str = "") -> None:
        """Makes the login expire and then confirms, like a user who decides too late. Raises the `ProblemError`
        `session_expired`."""
        self._service.call(expire(self._login))
        self.confirm(payload)
        raise CountersignError("the service accepted a late confirmation")

    def _decide(self, request: Request) -> None:
        outcome = self._service.exchange(request, self._service.settings.limits)
        check_decided(outcome, self._service.address)


class AsyncTestPhone(_Phone):
    """A `TestPhone` for an `AsyncCountersign`."""

    def __init__(self, countersign: AsyncCountersign, *, user_id: str) -> None:
        self._service: AsyncService = _service(countersign, AsyncCountersign)
        super().__init__(self._service.settings, user_id)

    async def register(self) -> str:
        """Registers the phone's key with the service, and returns its id."""
        return (await self._service.call(api.register_key(self._registered))).key_id

    async def open(
        self, link: str, *, as_user: str | None = UNSET, allow_unencrypted: bool = False
    ) -> "AsyncOpenedLogin":
        """Opens the link of a code, as if the phone scanned it; see `TestPhone.open`."""
        named = self.user_id if as_user is UNSET else as_user
        opened = opening(link, named, allow_unencrypted)
        answer = await self._service.call(opened.call)
        refusal = opened.refusal(self._core.app_key, answer)
        if refusal is None:
            return AsyncOpenedLogin(self._service, self._core, opened.opened(answer))
        if refusal != "answer_malformed":
            # The service itself may be dishonest, so its answer changes nothing.
            await self._service.exchange(opened.report, self._service.settings.limits)
        raise PhoneRefusedError(refusal)


class AsyncOpenedLogin(_Opened):
    """A login on the phone's screen, waiting for a decision."""

    def __init__(self, service: AsyncService, core: PhoneCore, login: Login) -> None:
        super().__init__(core, login)
        self._service = service

    async def confirm(self, payload: str = "", *, sign_with: AsyncTestPhone = UNSET) -> ConfirmedDetail:
        """Confirms, and returns what the page gets; see `OpenedLogin.confirm`."""
        now = self._service.clock.now()
        request, detail = self._core.confirm(self._login, payload, self._key(sign_with), now)
        await self._decide(request)
        return detail

    async def deny(self, payload: str = "") -> None:
        """Denies. Your server gets the payload, which the service can read."""
        await self._decide(deny(self._login, payload))

    async def confirm_late(self, payload: str = "") -> None:
        """Makes the login expire and then confirms; see `OpenedLogin.confirm_late`."""
        await self._service.call(expire(self._login))
        await self.confirm(payload)
        raise CountersignError("the service accepted a late confirmation")

    async def _decide(self, request: Request) -> None:
        outcome = await self._service.exchange(request, self._service.settings.limits)
        check_decided(outcome, self._service.address)


def start_test_login(countersign: Countersign, *, origin: str) -> NewSession:
    """Creates a login on a page's behalf, with a key and a token like those of `<countersign-login>`.

    A test phone opens its `url`, and `confirm` returns what the page would get.
    """
    token, key = _page()
    return countersign.logins.create(browser_token=token, browser_public_key=key, origin=origin)


async def start_test_login_async(countersign: AsyncCountersign, *, origin: str) -> NewSession:
    """Creates a login on a page's behalf; see `start_test_login`."""
    token, key = _page()
    return await countersign.logins.create(browser_token=token, browser_public_key=key, origin=origin)


def _page() -> tuple[str, str]:
    """Returns a browser's token and public key."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    return base64url(secrets.token_bytes(32)), base64url(point_of(key))
