"""The answer to a request with `client_channel=True`."""

from dataclasses import dataclass

from .types import ConfirmationClient, ConfirmationSession


@dataclass(frozen=True, kw_only=True)
class WatchedConfirmationSession(ConfirmationSession):
    """A confirmation whose page learns its status: `client` is there."""

    client: ConfirmationClient
