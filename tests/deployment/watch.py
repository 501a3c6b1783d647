"""A browser's or a phone's end of the socket (RFC 6455)."""

import json
import socket
import time

import wsproto
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)

import waiting


class Watch:
    """An open connection to the socket."""

    def __init__(self, deployment):
        host, port, name, path = deployment.socket()
        self._messages = []
        self._ended = False
        self._accepted = False
        self._protocol = wsproto.WSConnection(wsproto.ConnectionType.CLIENT)
        self._connection = socket.create_connection((host, port), timeout=waiting.BOUND)
        self._send(Request(host=name, target=path))
        self._until(lambda: self._accepted or self._ended)
        assert self._accepted, "the socket was not opened"

    def subscribe(self, session_id, token):
        """Subscribes to the changes of a login."""
        self.say(json.dumps({"sessionId": session_id, "token": token}))

    def subscribe_to_confirmation(self, session):
        """Subscribes to the verification, as the page of a confirmation does."""
        message = {"confirmationId": session["confirmationId"], "token": session["client"]["token"]}
        self.say(json.dumps(message))

    def say(self, text):
        """Sends a text message."""
        self._send(TextMessage(data=text))

    def next(self):
        """Returns the next message, or `None` once the other side has closed the connection."""
        self._until(lambda: self._messages or self._ended)
        return self._messages.pop(0) if self._messages else None

    def close(self):
        """Closes the connection, and returns the messages that came before the other side closed it."""
        if not self._ended:
            self._send(CloseConnection(code=1000))
            self._until(lambda: self._ended)
        self._connection.close()
        return self._messages

    def _send(self, event):
        self._connection.sendall(self._protocol.send(event))

    def _until(self, condition):
        end = time.monotonic() + waiting.BOUND
        while not condition():
            assert time.monotonic() < end, f"no message came within {waiting.BOUND} s"
            self._receive()

    def _receive(self):
        data = self._connection.recv(65536)
        # An empty read means the end of the stream.
        self._protocol.receive_data(data or None)
        for event in self._protocol.events():
            match event:
                case AcceptConnection():
                    self._accepted = True
                case TextMessage():
                    assert event.message_finished, "a poke fits into one frame"
                    self._messages.append(event.data)
                case Ping():
                    self._send(event.response())
                case CloseConnection():
                    self._ended = True
                    if self._protocol.state is wsproto.ConnectionState.REMOTE_CLOSING:
                        self._send(event.response())
                case RejectConnection():
                    self._ended = True
        if not data:
            self._ended = True
