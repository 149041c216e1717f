"""Messages of files and pipes in a wire format, and findings about those that cannot be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

import click

from babelreg.cli.shared.common_options import diagnostics
from babelreg.finding import Finding
from babelreg.sources.message_input import chunks

if TYPE_CHECKING:
    from babelreg.wire.format import Format, Frame, Profile, WireError

__all__ = [
    "ErrorReporter", "note_empty", "print_findings", "read_batches", "read_messages", "write_out",
]  # fmt: skip

_MAX_HINTS = 20


def read_batches(
    wire: Format, stream: BinaryIO, *, profile: Profile | None = None, whole: bool = False
) -> Iterator[tuple[Sequence[Frame | WireError], bool]]:
    """Yield the messages of a stream as they come, and whether a line feed follows each of them."""
    decoder = wire.decoder(profile=profile, whole=whole)
    for chunk in chunks(stream):
        yield decoder.feed(chunk), True
        if decoder.stopped:
            return
    yield decoder.close(), False


def read_messages(
    wire: Format, stream: BinaryIO, *, profile: Profile | None = None, whole: bool = False
) -> Iterator[Frame | WireError]:
    """Yield the messages of a stream, and the errors of those that cannot be read."""
    for events, _ in read_batches(wire, stream, profile=profile, whole=whole):
        yield from events


class ErrorReporter:
    """Findings about what is not a message, each with a fix where the mistake is a likely one."""

    def __init__(self, wire: Format, *, whole: bool = False) -> None:
        self._wire = wire
        self._whole = whole
        self._hints = 0

    def finding(self, err: WireError, path: str) -> Finding:
        """Return the finding about bytes that cannot be read."""
        from babelreg.wire.findings import error_finding

        return self.with_fix(error_finding(err, path), err.raw, err)

    def with_fix(self, finding: Finding, raw: bytes, err: WireError | None = None) -> Finding:
        """Return the finding about a message, with a fix where one is known. Only the first ones are looked into."""
        from babelreg.cli.wire.hints import hint

        self._hints += 1
        if self._hints > _MAX_HINTS:
            return finding
        return replace(finding, fix=hint(self._wire, raw, err, whole=self._whole))


def print_findings(findings: Sequence[Finding], *, notes: bool = False) -> None:
    """Print findings on stderr, where ``-q`` silences ``notes`` and nothing else."""
    from babelreg.report import render

    if findings:
        stream = sys.stderr if notes else diagnostics()
        click.echo(render(findings, "text", colour=False), file=stream, nl=False)


def note_empty(path: str) -> None:
    """Note on stderr that a file contains no message."""
    from babelreg.report import printable

    click.echo(f"{printable(path)} contains no message", err=True)


def write_out(pieces: Sequence[bytes]) -> None:
    """Write bytes to stdout at once, so that whoever reads a pipe need not wait."""
    if pieces:
        sys.stdout.buffer.write(b"".join(pieces))
        sys.stdout.buffer.flush()
