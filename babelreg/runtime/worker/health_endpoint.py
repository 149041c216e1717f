"""The health endpoint of a worker: its consumer's liveness as JSON over HTTP, for a supervisor such as Kubernetes.

Any path answers GET and HEAD: 200 while the consumer is alive, 503 otherwise.
"""

from __future__ import annotations

import errno
import json
import threading
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer

from babelreg.errors import UsageError
from babelreg.runtime.telemetry.liveness import DEFAULT_WITHIN_SECONDS, Liveness

_TIMEOUT_SECONDS = 10


class HealthEndpoint(AbstractContextManager["HealthEndpoint"]):
    """An HTTP server in a thread of its own; :attr:`port` is the one it listens on, also where 0 was given.

    A consumer is alive while it polled, or finished a message, within the last ``within_seconds``. Raises UsageError if
    the port cannot be used.
    """

    def __init__(
        self, liveness: Liveness, port: int, *, host: str = "0.0.0.0", within_seconds: float = DEFAULT_WITHIN_SECONDS
    ) -> None:
        class LivenessHandler(_HealthHandler):
            def status(self) -> tuple[int, dict[str, object]]:
                return _status(liveness, within_seconds)

        try:
            self._server = _HealthServer((host, port), LivenessHandler)
        except OSError as error:
            raise _unusable(port, error) from None
        except OverflowError:
            raise UsageError(f"{port} is not a port", fix="choose one from 1 to 65535, or 0 for any free one") from None
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="babelreg-health", daemon=True)
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _HealthServer(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True  # a port of a process that has just ended; one that listens is still refused

    def server_bind(self) -> None:
        # HTTPServer's looks up the name of the host, which may take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "", self.server_address[1]


class _HealthHandler(BaseHTTPRequestHandler):
    timeout = _TIMEOUT_SECONDS
    server_version = "babelreg"
    sys_version = ""

    def status(self) -> tuple[int, dict[str, object]]:
        raise NotImplementedError

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        code, status = self.status()
        text = json.dumps(status).encode() + b"\n"
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if body:
            self.wfile.write(text)

    def log_message(self, format: str, *arguments: object) -> None:
        pass  # a probe every few seconds is not news


def _status(liveness: Liveness, within_seconds: float) -> tuple[int, dict[str, object]]:
    seconds = liveness.seconds_since_activity
    if seconds is None:
        word = "not_running"
    else:
        word = "alive" if liveness.is_alive(within_seconds) else "stalled"
    status: dict[str, object] = {
        "status": word,
        "seconds_since_activity": None if seconds is None else round(seconds, 3),
        "within_seconds": within_seconds,
    }
    return (200 if word == "alive" else 503), status


def _unusable(port: int, error: OSError) -> UsageError:
    if error.errno == errno.EADDRINUSE:
        return UsageError(f"port {port} is in use", fix="choose another --health-port, or 0 for any free one")
    if error.errno == errno.EACCES:
        return UsageError(f"port {port} needs privileges that this process does not have", fix="choose one above 1023")
    return UsageError(f"cannot listen on port {port}: {error.strerror or error}", fix="choose another --health-port")
