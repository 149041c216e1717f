"""``babelreg validate``: recorded messages against the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from babelreg.cli.shared.common_options import LocalPath, MessageUrn, examples
from babelreg.cli.shared.message_findings import FindingPrinter, problem_options
from babelreg.cli.shared.registry_options import (
    color_option,
    completed_by,
    fail_on_option,
    format_option,
    open_registry,
    output_option,
    registry_option,
    shown_root,
    sound,
)
from babelreg.cli.wire.messages import note_empty
from babelreg.cli.wire.options import recorded_wire_option, whole_option
from babelreg.errors import BabelregError, InputError, SchemaError, UsageError
from babelreg.finding import Finding, Place, Severity
from babelreg.sources.message_input import chunks, input_paths, opened_input, shown_path

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.contract import Contract, Verdict
    from babelreg.contract.envelope import EnvelopeWarning
    from babelreg.model import Registry
    from babelreg.wire.format import Format, Frame

_POISON_FIX = "a message is one JSON object in UTF-8, on one line or printed over several"
_FIXES = {
    "missing_urn": 'set "job" to the URN of the message, or pass another format with --wire',
    "missing_meta": "make the producer set meta: id, queue, lang, schema_version, created_at",
    "unsupported_schema_version": "this babelreg reads envelopes of schema_version 1",
    "invalid_data": 'set "data" to an object, {} if it is empty',
    "missing_trace_id": 'make the producer set "trace_id": a UUID, passed on unchanged at every hop',
    "invalid_attempts": 'make the producer set "attempts": 0',
}


@click.command(
    short_help="Check recorded messages against the registry.",
    epilog=examples(
        "babelreg validate messages.jsonl", "zcat dump.gz | babelreg validate --data urn:babel:orders:created"
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath(allow_dash=True))
@registry_option
@recorded_wire_option
@whole_option
@click.option(
    "--data",
    "data_urn",
    metavar="URN",
    type=MessageUrn(),
    shell_complete=completed_by("urns"),
    help="The files contain only the data of this message, without an envelope.",
)
@click.option(
    "--spark", is_flag=True, help="Also report values that `lake ingest` would refuse because no column can store them."
)
@format_option
@output_option
@color_option
@fail_on_option
@problem_options
def command(
    paths: tuple[Path, ...],
    registry: Path | None,
    wire: str,
    whole: bool,
    data_urn: str | None,
    spark: bool,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    max_per_problem: int,
    statistics: bool,
) -> int:
    """Check messages as a consumer would: envelope, then the schema of their URN.

    PATH is a file of JSON envelopes, one a line or printed over several, or a folder of such files; `-` or nothing
    reads standard input. Files may be of any size. Files compressed with gzip or zstd are unpacked, and in a `.frames`
    file a message is a frame. With `--spark` a message is one line, or a frame, as for `lake ingest`. With `--wire`
    messages of another format are first converted to envelopes, by `wires` in babelreg.yaml. Exit code 1 means that
    messages were refused.
    """
    from babelreg.cli.spark import validate_spark
    from babelreg.contract import Contract
    from babelreg.model.wire_mapping import wire_notes
    from babelreg.sources.recorded_messages import lines
    from babelreg.wire import formats
    from babelreg.wire.format import NATIVE

    inputs = input_paths(paths, "babelreg validate messages.jsonl", folders=True)
    opened = sound(open_registry(registry))
    strict = [message.urn for message in opened.messages if opened.compatibility(message.context).reader == "strict"]
    contract = Contract(opened.schemas, strict=strict, aliases=opened.aliases)
    data_urn = None if data_urn is None else opened.resolve(data_urn)
    if data_urn is not None and data_urn not in opened.schemas:
        raise UsageError(f"the registry declares no message {data_urn!r}", fix=_nearest(data_urn, opened))
    judge = _enveloped(contract) if data_urn is None else _bare(contract, data_urn)
    source = formats.find(wire)
    split = _split(source, whole=whole)
    if spark:
        judge, split = validate_spark.stored(judge, opened, data_urn), lines
    foreign = source.name != NATIVE
    if foreign and data_urn is not None:
        raise UsageError("--data: bare data is in no wire format", fix="remove --wire or --data")
    tally = FindingPrinter(
        style, output, fail_on, max_per_problem=max_per_problem, statistics=statistics, registry=opened
    )
    damaged: list[InputError] = []
    for path in inputs:
        before = tally.messages
        try:
            if foreign:
                _validate_foreign(source, path, whole, opened, judge, tally)
            else:
                _validate(path, _judged(path, split, judge), opened, data_urn, tally)
        except SchemaError as err:
            raise _unusable(opened, strict, err) from err
        except InputError as err:
            damaged.append(err)  # what was read of it counts, and the other files are read
        else:
            if tally.messages == before:
                note_empty(shown_path(path))
    tally.close()
    for note in wire_notes(opened, source.name):
        click.echo(note, err=True)
    if damaged:
        raise _damaged(damaged)
    return tally.exit_code


def _damaged(errors: list[InputError]) -> InputError:
    """Return one error for all inputs that could not be read to their end."""
    if len(errors) == 1:
        return errors[0]
    return InputError("; ".join(err.message for err in errors), fix=errors[0].fix)


def _validate(
    path: Path, verdicts: Iterator[_Judged], registry: Registry, data_urn: str | None, printer: FindingPrinter
) -> None:
    for verdict, warnings, line in verdicts:
        place = Place(shown_path(path), line, 1)
        printer.add(_findings(verdict, warnings, place, registry, data_urn), verdict.reason)


def _validate_foreign(
    source: Format,
    path: Path,
    whole: bool,
    registry: Registry,
    judge: _Judge,
    printer: FindingPrinter,
) -> None:
    """Validate the messages of a file in another format by their envelopes."""
    from babelreg.cli.wire.to_envelopes import at_frame, bridged_messages
    from babelreg.model.wire_mapping import wire_mapping
    from babelreg.sources.recorded_messages import foreign_messages
    from babelreg.wire.findings import frame_place

    name, mapping = shown_path(path), wire_mapping(registry, source.name)
    with foreign_messages(path, source, whole=whole) as events:
        for message in bridged_messages(source, events, name, mapping=mapping, whole=whole):
            frame = message.frame
            if message.reason is not None:
                printer.add(message.findings, message.reason)
            elif message.body is None or frame is None:
                printer.add_control()
                printer.report(message.findings)
            else:
                verdict = judge(message.body)
                warnings = verdict.envelope.warnings if verdict.envelope else ()
                findings = _findings(verdict, warnings, frame_place(frame, name), registry, None)
                about = [at_frame(finding, source, frame, mapping) for finding in findings]
                if verdict.reason == "unknown_urn":
                    about = [replace(finding, fix=_mapped(source, frame, finding.fix)) for finding in about]
                printer.add([*message.findings, *about], verdict.reason)


def _mapped(source: Format, frame: Frame, fix: str | None) -> str | None:
    """Return the fix for a URN that the registry does not have: the one meant, else the entry of ``wires``."""
    from babelreg.cli.wire.hints import mapping_hint

    entry = mapping_hint(source, frame.value)
    return fix if entry is None or (fix or "").startswith("did you mean") else f"map its name {entry}"


def _unusable(registry: Registry, strict: list[str], met: SchemaError) -> BabelregError:
    """Return an error that names every message with an unusable schema, not only that of the message ``met``."""
    from babelreg.contract.schema_problem import reader_schema_problems
    from babelreg.lint.schema.unusable_schema import unusable_schemas

    reasons = reader_schema_problems(registry.schemas, strict)
    return unusable_schemas(registry, reasons, "a message of one was found") if reasons else met


_Split = Callable[[BinaryIO], Iterator[tuple[bytes, int]]]
"""From a stream to its messages, each with the line it begins at."""

_Judge = Callable[[bytes], "Verdict"]
_Judged = tuple["Verdict", "tuple[EnvelopeWarning, ...]", int]


def _judged(path: Path, split: _Split, judge: _Judge) -> Iterator[_Judged]:
    with _messages(path, split) as messages:
        for body, line in messages:
            verdict = judge(body)
            yield verdict, verdict.envelope.warnings if verdict.envelope else (), line


@contextmanager
def _messages(path: Path, split: _Split) -> Iterator[Iterator[tuple[bytes, int]]]:
    from babelreg.sources.recorded_messages import framed
    from babelreg.wire.length_frames import is_framed

    if is_framed(path.name):
        with framed(path) as messages:
            yield messages
    else:
        with opened_input(path, unpack=True) as stream:
            yield split(stream)


def _split(wire: Format, *, whole: bool) -> _Split:
    """Return a function that yields the messages of a stream, broken ones too."""
    from babelreg.wire.format import frames

    def split(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
        for frame in frames(wire.decoder(whole=whole), chunks(stream)):
            yield frame.raw, frame.line or 0

    return split


def _enveloped(contract: Contract) -> _Judge:
    return contract.verdict


def _bare(contract: Contract, urn: str) -> _Judge:
    from babelreg.contract import Verdict
    from babelreg.contract.parse import ParseError, bare

    def judge(body: bytes) -> Verdict:
        try:
            return contract.data_verdict(urn, bare(body))
        except ParseError as err:
            return Verdict(err.reason, err.pointer, err.detail)

    return judge


def _findings(
    verdict: Verdict, warnings: tuple[EnvelopeWarning, ...], place: Place, registry: Registry, data_urn: str | None
) -> list[Finding]:
    urn = data_urn or (verdict.envelope.urn[:300] or None if verdict.envelope else None)
    found = []
    for warning in warnings:
        rule = "wrong_member_type" if warning.pointer == "/job" else "forbidden_key"
        fix = f"make the producer stop sending {warning.pointer}; no reader relies on it"
        found.append(
            Finding(rule, Severity.WARNING, warning.message, place, urn, warning.pointer, fix=fix, reason=rule)
        )
    if verdict.reason is not None:
        fix = _fix(verdict, urn, registry)
        detail = verdict.detail or verdict.reason
        message = f"{urn}: {detail}" if urn and (_is_stored(verdict) or verdict.kind == "data") else detail
        found.append(
            Finding(
                verdict.reason, Severity.ERROR, message, place, urn, verdict.pointer, fix=fix, reason=verdict.reason
            )
        )
    return found


def _is_stored(verdict: Verdict) -> bool:
    """Return True for a valid message that no table can hold, which is none of the contract's reasons."""
    return verdict.reason is not None and verdict.reason.startswith("unstorable_")


def _fix(verdict: Verdict, urn: str | None, registry: Registry) -> str:
    from babelreg.cli.spark import validate_spark

    if _is_stored(verdict):
        return validate_spark.fix(verdict.reason or "")
    if verdict.kind == "unknown_urn":
        return _name_fix(urn or "", registry)
    if verdict.kind == "data" and urn is not None and urn in registry.by_urn:
        folder = shown_root(registry)
        path = registry.by_urn[urn].source.path
        declared = f"{folder}/{path}" if folder else path
        return f"make the producer follow {declared}, or allow it there and run `babelreg breaking`"
    return _FIXES.get(verdict.reason or "", _POISON_FIX)


def _nearest(urn: str, registry: Registry) -> str:
    from babelreg.suggest import closest

    near = closest(urn, registry.schemas)
    if near:
        return f"did you mean {near}?"
    return "declare it in the registry, or choose another registry with --registry"


def _name_fix(name: str, registry: Registry) -> str:
    """Return the fix of a message that was sent under an unknown name."""
    from babelreg.suggest import closest

    near = closest(name, registry.schemas)
    if near is None:
        return _nearest(name, registry)
    return f"did you mean {near}? Otherwise, add it to `aliases` in {registry.by_urn[near].source.path}"
