"""``babelreg wire decode``: messages as JSON records, one a line."""

from __future__ import annotations

from pathlib import Path

import click

from babelreg.cli.shared.common_options import examples
from babelreg.cli.wire.messages import ErrorReporter, note_empty, print_findings, read_batches, write_out
from babelreg.cli.wire.options import (
    example_of,
    named_format,
    paths_argument,
    profile_of,
    reading_option,
    whole_option,
    wire_option,
)
from babelreg.sources.message_input import input_paths, opened_input, shown_path


@click.command(
    short_help="Print messages as JSON, one per line.",
    epilog=examples(
        "babelreg wire decode --wire phpmq dump.bin",
        "nc -l 9000 | babelreg wire decode --wire strata | jq .message.payload",
    ),
)
@paths_argument
@wire_option
@whole_option
@reading_option
def command(paths: tuple[Path, ...], wire: str | None, whole: bool, strict: bool | None) -> int:
    """Print each message of the files, or of standard input, as a JSON record on a line of its own.

    A record has `message`, the `offset` of its first byte, its `line` in a text format, and `raw_base64` where encoding
    the message would give other bytes; `babelreg wire encode` makes the same bytes of the records again. Records
    contain secrets: `auth` and `stack` of Strata.

    Exit code 1 means that some bytes are not a message. In phpmq nothing after them can be read.
    """
    from babelreg.wire.format import WireError
    from babelreg.wire.json_record import record, record_line

    source = named_format(wire)
    reporter, code = ErrorReporter(source, whole=whole), 0
    for path in input_paths(paths, example_of("wire decode", source)):
        name, count = shown_path(path), 0
        with opened_input(path) as stream:
            for events, line_end in read_batches(source, stream, profile=profile_of(strict), whole=whole):
                lines: list[bytes] = []
                for event in events:
                    if isinstance(event, WireError):
                        write_out(lines)
                        lines.clear()
                        print_findings([reporter.finding(event, name)])
                        code = 1
                    else:
                        lines.append(record_line(record(source, event, line_end=line_end)))
                count += len(events)
                write_out(lines)
        if not count:
            note_empty(name)
    return code
