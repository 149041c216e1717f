"""A run of ``drain`` or ``tap``: signals, progress, and the summary, also of a run that fails."""

from __future__ import annotations

import json
import logging
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared import debugging
from babelreg.cli.shared.graceful_stop import GracefulStop
from babelreg.errors import UsageError
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.runtime.recording.drain import Drained
    from babelreg.runtime.recording.queue_source import QueueSource

_LOG_SECONDS = 10.0


def import_runtime() -> None:
    """Import babelqueue. Raises UsageError where the extra is missing."""
    try:
        import babelqueue  # noqa: F401
    except ImportError as err:
        raise UsageError("babelqueue is not installed", fix="pip install 'babelreg[recording]'") from err
    if not debugging.enabled():
        logging.getLogger("pika").setLevel(logging.CRITICAL + 1)  # its errors are reported by us


class RecordingRun:
    """Records from a source of ``url`` into ``folder``.

    Ctrl-C and SIGTERM end it after the current batch, with a complete file and the summary; a second one at once.
    """

    def __init__(self, url: BrokerUrl, folder: Path, name: str, per_file: int) -> None:
        from babelreg.runtime.bytes.frame_files import FrameFiles, stem_of
        from babelreg.runtime.recording.drain import Recording

        self._url = url
        self._stopping = GracefulStop()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown_at = time.monotonic()
        self._recording = Recording(
            FrameFiles(folder, stem_of(name), max_messages=per_file),
            stop=self._stopping.event,
            told=self._show,
            failed=self._retrying,
        )

    def record(
        self,
        connect: Callable[[], QueueSource],
        *,
        limit: int | None,
        follow: bool,
        summarize: Callable[[Drained], None],
    ) -> int:
        """Return the exit code: 0, or 128 and the number of the signal that ended an incomplete run."""
        try:
            with self._stopping:
                result = self._recording.run(connect, limit=limit, follow=follow)
        except Exception as err:
            self._clear()
            if self._recording.result.messages:
                summarize(self._recording.result)
            raise self._url.explained(err) from err
        self._clear()
        summarize(result)
        return 0 if follow else self._stopping.exit_code()

    def _show(self, messages: int, size_bytes: int) -> None:
        now = time.monotonic()
        if now - self._shown_at < (0.1 if self._terminal else _LOG_SECONDS):
            return
        self._shown_at = now
        text = f"{messages:,} messages, {size_bytes / 1e6:,.1f} MB"
        click.echo(f"\r\x1b[K{text} …" if self._terminal else text, err=True, nl=not self._terminal)

    def _retrying(self, err: Exception, seconds: float) -> None:
        self._clear()
        click.echo(f"{self._url.explained(err).message}; next try in {seconds:.0f} s", err=True)

    def _clear(self) -> None:
        if self._terminal:
            with suppress(OSError):
                click.echo("\r\x1b[K", err=True, nl=False)


def note_next(result: Drained, folder: Path) -> None:
    """Print the command that ingests what was recorded."""
    if result.messages:
        click.echo(f"Next: babelreg lake ingest --input {shlex.quote(str(folder))} --lake lake", err=True)


def summarized(what: str, result: Drained, style: str, extra: Mapping[str, Any]) -> str:
    """Return the summary of a run as text or JSON; ``extra`` are further members of the JSON."""
    if style == "json":
        document = {
            "messages": result.messages,
            "bytes": result.size_bytes,
            "files": [str(path) for path in result.files],
            "recovered": [str(path) for path in result.recovered],
            **extra,
        }
        return json.dumps(document, indent=2, ensure_ascii=False)
    count = f"{counted(result.messages, 'message')} ({result.size_bytes:,} bytes)" if result.messages else "no message"
    lines = [f"{what}: {count}"]
    lines += [f"  {path}" for path in result.files]
    lines += [f"  {path} (completed: an earlier run had left it)" for path in result.recovered]
    return "\n".join(lines)
