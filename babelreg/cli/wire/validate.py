"""``babelreg wire validate``: messages against the rules of their own format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import examples
from babelreg.cli.shared.message_findings import FindingPrinter, problem_options
from babelreg.cli.shared.registry_options import color_option, fail_on_option, format_option, output_option
from babelreg.cli.wire.messages import ErrorReporter, note_empty, read_messages
from babelreg.cli.wire.options import (
    example_of,
    named_format,
    paths_argument,
    profile_of,
    profile_option,
    whole_option,
    wire_option,
)
from babelreg.errors import UsageError
from babelreg.finding import Finding, Place, Severity
from babelreg.sources.message_input import input_paths, opened_input, shown_path

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.wire.format import Diagnostic, Frame


@click.command(
    short_help="Check messages against the rules of their format.",
    epilog=examples(
        "babelreg wire validate --wire phpmq dump.bin",
        "babelreg wire validate --wire flowlayer --session --format json session.jsonl",
    ),
)
@paths_argument
@wire_option
@whole_option
@profile_option
@click.option(
    "--session",
    is_flag=True,
    help="Read each file as one FlowLayer session, and check that each command has one ack, then one result.",
)
@format_option
@output_option
@color_option
@fail_on_option
@problem_options
def command(
    paths: tuple[Path, ...],
    wire: str | None,
    whole: bool,
    strict: bool | None,
    session: bool,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    max_per_problem: int,
    statistics: bool,
) -> int:
    """Check the envelopes of the files, or of standard input, against the rules of their format.

    No registry is read: `babelreg validate --wire FORMAT` also checks the payloads. The code in brackets is the
    format's own, or babelreg's where the format names none. `--format json` prints an array of findings, each with its
    `code`.

    Exit code 1 means that messages were refused.
    """
    from babelreg.wire.format import WireError

    source = named_format(wire)
    if session and source.session() is None:
        raise UsageError(f"messages of {source.name} have no sessions", fix=f"remove --session, or {_with_sessions()}")
    profile = profile_of(strict)
    printer = FindingPrinter(
        style, output, fail_on, max_per_problem=max_per_problem, statistics=statistics, json_array=True
    )
    reporter = ErrorReporter(source, whole=whole)
    for path in input_paths(paths, example_of("wire validate", source)):
        name, count = shown_path(path), 0
        conversation = source.session() if session else None
        with opened_input(path) as stream:
            for event in read_messages(source, stream, profile=profile, whole=whole):
                count += 1
                if isinstance(event, WireError):
                    printer.add([reporter.finding(event, name)], event.code)
                    continue
                defects = source.validate(event.value, profile=profile)
                if conversation is not None:
                    defects += conversation.observe(event.value)
                if defects:
                    printer.add(_findings(defects, event, name, reporter), _reason(defects))
                else:
                    printer.add((), None)
        if conversation is not None:
            printer.report([_open(defect, name) for defect in conversation.close()])
        if not count:
            note_empty(name)
    printer.close()
    return printer.exit_code


def _with_sessions() -> str:
    """Return the option that names a format whose messages refer to each other."""
    from babelreg.wire.formats.table import FORMATS

    return " or ".join(f"--wire {name}" for name, wire in FORMATS.items() if wire.session() is not None)


def _findings(defects: list[Diagnostic], frame: Frame, path: str, reporter: ErrorReporter) -> list[Finding]:
    from babelreg.wire.findings import message_finding

    findings = [message_finding(defect, frame, path) for defect in defects]
    if _reason(defects) is not None:
        findings[0] = reporter.with_fix(findings[0], frame.raw)
    return findings


def _reason(defects: list[Diagnostic]) -> str | None:
    """Return the code for which the message is refused; None for one with warnings alone."""
    return next((defect.code for defect in defects if defect.severity is Severity.ERROR), None)


def _open(defect: Diagnostic, path: str) -> Finding:
    """Return the finding about the end of a session."""
    return replace(defect.finding(Place(path)), code=defect.code)
