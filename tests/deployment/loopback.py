"""HTTP servers on loopback."""

from http.server import ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """A server on a free port."""

    daemon_threads = True
    # Python's default is five. Linux drops connections beyond that and retries after a second, which is
    # longer than the functions wait.
    request_queue_size = 1024

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
