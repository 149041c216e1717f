"""``babelreg wire encode``: JSON records as messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import examples
from babelreg.cli.wire.messages import note_empty, print_findings, write_out
from babelreg.cli.wire.options import named_format, paths_argument, wire_option
from babelreg.finding import Finding
from babelreg.sources.message_input import chunks, input_paths, opened_input, shown_path

if TYPE_CHECKING:
    from babelreg.wire.format import Format, WireError
    from babelreg.wire.lines import Lines

_LINE_FACTOR = 8
"""A record escapes control characters, and repeats the message in base64."""


@click.command(
    short_help="Encode JSON records as messages.",
    epilog=examples(
        "babelreg wire decode --wire strata in.jsonl | babelreg wire encode --wire strata",
        "babelreg wire encode --wire phpmq --canonical records.jsonl",
    ),
)
@paths_argument
@wire_option
@click.option("--canonical", is_flag=True, help="Encode every message strictly, regardless of its original bytes.")
def command(paths: tuple[Path, ...], wire: str | None, canonical: bool) -> int:
    """Write the messages of records as `babelreg wire decode` prints them, to standard output.

    A record is a JSON object on one line with a `message`. With `raw_base64` it gives these bytes, without it, or with
    `--canonical`, those that a strict writer makes of the message.

    Exit code 1 means that a record was left out, because no message can be made of it.
    """
    from babelreg.wire.format import WireError
    from babelreg.wire.json_record import parse_record
    from babelreg.wire.lines import Lines

    target = named_format(wire)
    encoder = _RecordEncoder(target, canonical=canonical)
    max_bytes, code = _LINE_FACTOR * target.limits.message_bytes, 0
    for path in input_paths(paths, f"babelreg wire encode --wire {target.name} records.jsonl"):
        lines, count = Lines(max_bytes), 0
        with opened_input(path) as stream:
            for batch in _batches(chunks(stream), lines):
                pieces = []
                for raw, offset, number in batch:
                    if not raw.strip():
                        continue
                    count += 1
                    try:
                        pieces.append(encoder(parse_record(raw, max_bytes)))
                    except WireError as err:
                        write_out(pieces)
                        pieces.clear()
                        print_findings([_finding(err, raw, offset, number, shown_path(path), target)])
                        code = 1
                write_out(pieces)
        if not count:
            note_empty(shown_path(path))
    return code


class _RecordEncoder:
    """Encodes records as one stream. A message without a line end gets one before another message follows it."""

    def __init__(self, target: Format, *, canonical: bool) -> None:
        self._target = target
        self._canonical = canonical
        self._line_open = False

    def __call__(self, entry: Mapping[str, Any]) -> bytes:
        """Return the bytes of the next record in the stream.

        Raises WireError.
        """
        from babelreg.wire.json_record import frame_bytes, frame_end

        message = frame_bytes(self._target, entry, canonical=self._canonical)
        line_end = frame_end(self._target, entry, canonical=self._canonical)
        start = b"\n" if self._line_open else b""
        self._line_open = self._target.line_based and not line_end
        return start + message + line_end


def _batches(chunks: Iterable[bytes], lines: Lines) -> Iterator[list[tuple[bytes, int, int]]]:
    for chunk in chunks:
        yield lines.feed(chunk)
    yield lines.close()


def _finding(err: WireError, raw: bytes, offset: int, number: int, path: str, target: Format) -> Finding:
    """Return the finding about one record."""
    from babelreg.cli.wire.hints import encode_hint
    from babelreg.wire.findings import error_finding

    finding = error_finding(err.rebased(offset, number, raw), path)
    return replace(finding, fix=encode_hint(target, raw))
