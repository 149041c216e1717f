"""``babelreg gen catalog --serve``: a server on this machine that shows the catalog and follows the registry's files.

It listens on the loopback address only, and answers only requests for that address: a page of another site cannot read
it under a name of its own (DNS rebinding).
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from babelreg.errors import BabelregError, UsageError
from babelreg.gen.hooks import RunPlace

Build = Callable[[], Mapping[str, str]]
"""Function that returns the texts of the catalog by path. It raises BabelregError where the registry is not sound."""
_CHANGES_PATH = "changes"
"""The path at which the server sends an event for each change."""
_HOST = "127.0.0.1"
_LOOK_SECONDS = 0.5
_PING_SECONDS = 15
_TYPES = {"index.html": "text/html; charset=utf-8", "catalog.json": "application/json"}
_SCRIPT = f'new EventSource("{_CHANGES_PATH}").onmessage = () => location.reload();'
_POLICY = re.compile(r"script-src ('sha256-[^']*');")
Signature = dict[str, tuple[int, int]]


class CatalogServer:
    """Serves what ``build`` returns, and builds it again when a file of the registry changes."""

    def __init__(self, place: RunPlace, build: Build, port: int) -> None:
        """Build the catalog and take the port, any free one for 0. Raises UsageError where the port is taken."""
        self._root, self._note, self._build = place.registry, place.note, build
        self._changed = threading.Condition()
        self._version = 0
        self._signature = _signature(self._root)
        self._files = self._built()
        try:
            self._server = _Server((_HOST, port), _Handler, self)
        except OSError as err:
            raise UsageError(f"port {port} cannot be used: {err.strerror}", fix="choose another with --port") from err

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{_HOST}:{self._server.server_address[1]}/"

    def serve(self) -> None:
        """Answer requests until the process is asked to stop."""
        threading.Thread(target=self._watch, daemon=True).start()
        try:
            self._server.serve_forever()
        finally:
            self._server.server_close()

    def close(self) -> None:
        """Stop :meth:`serve` in another thread."""
        self._server.shutdown()

    def file(self, path: str) -> bytes | None:
        """Return the file at ``path``, or None."""
        text = self._files.get(path)
        return None if text is None else text.encode()

    def wait(self, version: int) -> int:
        """Return the number of the current build, as soon as it is not ``version``, or after some seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._version != version, _PING_SECONDS)
            return self._version

    @property
    def version(self) -> int:
        """The number of the current build."""
        return self._version

    def look(self) -> bool:
        """Build again if a file has changed. Return True if there is a new build."""
        signature = _signature(self._root)
        if signature == self._signature:
            return False
        self._signature = signature
        try:
            files = self._built()
        except BabelregError as err:
            self._note(f"not rebuilt: {err}")
            return False
        with self._changed:
            self._files, self._version = files, self._version + 1
            self._changed.notify_all()
        self._note("rebuilt")
        return True

    def _built(self) -> dict[str, str]:

        files = dict(self._build())
        return {**files, "index.html": _live(files["index.html"])}

    def _watch(self) -> None:
        pause = threading.Event()
        while not pause.wait(_LOOK_SECONDS):
            self.look()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], catalog: CatalogServer) -> None:
        self.catalog = catalog
        super().__init__(address, handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:

        port = self.server.server_address[1]
        if self.headers.get("Host", "").lower() not in (f"{_HOST}:{port}", f"localhost:{port}"):
            self.send_error(421)
            return
        path = self.path.partition("?")[0].removeprefix("/") or "index.html"
        if path == _CHANGES_PATH:
            self._events()
            return
        content = self.server.catalog.file(path)
        if content is None:
            self.send_error(404)
            return
        self._head(_TYPES[path], len(content))
        if self.command != "HEAD":
            self.wfile.write(content)

    def _head(self, content_type: str, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _events(self) -> None:
        """Send an event for each new build, and a comment now and then, until the page is closed."""
        catalog = self.server.catalog
        self._head("text/event-stream")
        if self.command == "HEAD":
            return
        version = catalog.version
        try:
            while True:
                current = catalog.wait(version)
                self.wfile.write(b"data: changed\n\n" if current != version else b":\n\n")
                self.wfile.flush()
                version = current
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal shows builds."""


def _signature(root: Path) -> Signature:
    """Return size and time of change of each file below ``root``, without hidden folders."""
    found: Signature = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(OSError):
                state = path.stat()
                found[str(path)] = (state.st_mtime_ns, state.st_size)
    return found


def _live(page: str) -> str:
    """Return ``page`` with a script that loads it again at each change; its policy allows its own server only."""
    from babelreg.gen.targets.catalog.page import source_hash

    sources = rf"script-src \1 {source_hash(_SCRIPT)}; connect-src 'self';"
    head, end = _POLICY.sub(sources, page, count=1), "</body>"
    before, _, after = head.rpartition(end)
    return f"{before}<script>{_SCRIPT}</script>\n{end}{after}"
