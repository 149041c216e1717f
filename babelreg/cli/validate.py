"""``babelreg validate``: recorded messages against the registry."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from babelreg.cli.shared.grammar import LocalPath, examples
from babelreg.cli.shared.options import (
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
from babelreg.errors import BabelregError, InputError, SchemaError, UsageError
from babelreg.finding import Finding, Place, Severity

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.contract import Contract, Verdict
    from babelreg.contract.envelope import Warned
    from babelreg.model import Registry
    from babelreg.wire.format import Format

__all__ = ["command"]

_STDIN = "-"
_CHUNK_BYTES = 65_536
_BY_LINE = frozenset({"text", "jsonl", "github"})
_POISON_FIX = "a message is one JSON object in UTF-8, on one line or printed over several"
_FIXES = {
    "missing_urn": 'give it "job": the URN of its message',
    "missing_meta": "let the producer set meta: id, queue, lang, schema_version, created_at",
    "unsupported_schema_version": "this babelreg reads envelopes of schema_version 1",
    "invalid_data": 'give it "data": an object, {} when there is nothing to say',
    "missing_trace_id": 'let the producer set "trace_id": a UUID, kept over every hop',
    "invalid_attempts": 'let the producer set "attempts": 0',
}


@click.command(
    short_help="Check recorded messages against the registry.",
    epilog=examples(
        "babelreg validate messages.jsonl", "zcat dump.gz | babelreg validate --data urn:babel:orders:created"
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath(allow_dash=True))
@registry_option
@click.option("--wire", default="babelqueue", show_default=True, metavar="FORMAT", help="How a message looks as bytes.")
@click.option(
    "--data",
    "data_urn",
    metavar="URN",
    shell_complete=completed_by("urns"),
    help="The files hold bare data of this message, without envelope.",
)
@click.option(
    "--spark", is_flag=True, help="Also say what `spark ingest` would refuse: values that no column can hold."
)
@format_option
@output_option
@color_option
@fail_on_option
def command(
    paths: tuple[Path, ...],
    registry: Path | None,
    wire: str,
    data_urn: str | None,
    spark: bool,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> int:
    """Check messages as a consumer would: envelope, then the schema of their URN.

    PATH is a file of JSON envelopes, one a line or printed over several; `-` or nothing reads standard input. Files
    may be of any size. With `--spark` they are read as `spark ingest` does: a message is one line, or a frame; gzip and
    zstd are unpacked. Exit code 1 means that messages were refused.
    """
    from babelreg.cli.spark import validate_spark
    from babelreg.contract import Contract
    from babelreg.wire import formats

    inputs = _inputs(paths)
    opened = sound(open_registry(registry))
    strict = [message.urn for message in opened.messages if opened.compatibility(message.context).reader == "strict"]
    contract = Contract(opened.schemas, strict=strict)
    if data_urn is not None and data_urn not in opened.schemas:
        raise UsageError(f"the registry declares no message {data_urn!r}", fix=_nearest(data_urn, opened))
    judge = _enveloped(contract) if data_urn is None else _bare(contract, data_urn)
    split = _split(formats.find(wire))
    if spark:
        judge, split = validate_spark.stored(judge, opened, data_urn), validate_spark.lines
    tally = _FindingPrinter(style, output, fail_on)
    try:
        for path in inputs:
            for verdict, warnings, line in _judged(path, split, judge, spark):
                tally.add(_findings(verdict, warnings, Place(_shown(path), line, 1), opened, data_urn), verdict)
    except SchemaError as err:
        raise _unusable(opened, strict, err) from err
    tally.close()
    return tally.exit_code


def _unusable(registry: Registry, strict: list[str], met: SchemaError) -> BabelregError:
    """The error that names every message whose schema cannot be used, and not only that of the message ``met``."""
    from babelreg.contract.usable import unusable_by_readers
    from babelreg.lint.schema.unusable_schema import unusable_schemas

    reasons = unusable_by_readers(registry.schemas, strict)
    return unusable_schemas(registry, reasons, "a message of one was met") if reasons else met


class _FindingPrinter:
    """Prints findings as they come, so that memory does not grow with the input; counts for the last line.

    A style that is one document, and a report in a file, have to wait for the end.
    """

    def __init__(self, style: str | None, output: tuple[Output, ...], fail_on: str) -> None:
        from babelreg.cli.shared.output import default_style

        instead = any(one.style is None for one in output)
        self._style = style or ("text" if instead else default_style())
        self._output = output
        self._streams = self._style in _BY_LINE and not output
        self._fail_on = fail_on
        self._kept: list[Finding] = []
        self._good = 0
        self._refused: Counter[str] = Counter()
        self._warnings = 0
        self.exit_code = 0

    def add(self, findings: list[Finding], verdict: Verdict) -> None:
        from babelreg.cli.shared.output import emit

        if verdict.reason is None:
            self._good += 1
        else:
            self._refused[verdict.reason] += 1
        if not findings:
            return
        self._warnings += sum(finding.severity is Severity.WARNING for finding in findings)
        if self._streams:
            self.exit_code = max(self.exit_code, emit(findings, self._style, fail_on=self._fail_on))
        else:
            self._kept += findings

    def close(self) -> None:
        """Print what had to wait, and the summary on stderr."""
        from babelreg.cli.shared.options import counted
        from babelreg.cli.shared.output import emit

        refused = sum(self._refused.values())
        total = self._good + refused
        if not self._streams:
            checked = counted(total)
            self.exit_code = emit(self._kept, self._style, output=self._output, fail_on=self._fail_on, checked=checked)
        said = f"{total} message{'' if total == 1 else 's'}: {self._good} good, {refused} refused"
        if self._refused:
            said += f" ({', '.join(f'{reason} {count}' for reason, count in self._refused.most_common())})"
        if self._warnings:
            said += f", {self._warnings} warning{'' if self._warnings == 1 else 's'}"
        click.echo(said, err=True)


def _inputs(messages: tuple[Path, ...]) -> list[Path]:
    """What is to be read, checked before anything else is done."""
    if not messages:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("no messages given", fix="babelreg validate messages.jsonl, or pipe them in")
        return [Path(_STDIN)]
    for path in messages:
        if str(path) == _STDIN:
            continue
        if path.is_dir():
            raise UsageError(
                f"{path} is a folder", fix=f"name its files: babelreg validate {shlex.quote(str(path))}/*.jsonl"
            )
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a file of messages, or - for standard input")
    return list(messages)


def _shown(path: Path) -> str:
    return "<stdin>" if str(path) == _STDIN else path.as_posix()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if str(path) == _STDIN:
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="pipe messages in, or name a file of them")
        yield sys.stdin.buffer
        return
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix="name a file that can be read") from err


_Split = Callable[[BinaryIO], Iterator[tuple[bytes, int]]]
"""From a stream to its messages, each with the line it begins at."""

_Judge = Callable[[bytes], "Verdict"]
_Judged = tuple["Verdict", "tuple[Warned, ...]", int]


def _judged(path: Path, split: _Split, judge: _Judge, spark: bool) -> Iterator[_Judged]:
    from babelreg.cli.spark import validate_spark

    packed = validate_spark.packed(path) if spark and str(path) != _STDIN else None
    with packed or _chunks(path, split) as chunks:
        for body, line in chunks:
            verdict = judge(body)
            yield verdict, verdict.envelope.warnings if verdict.envelope else (), line


@contextmanager
def _chunks(path: Path, split: _Split) -> Iterator[Iterator[tuple[bytes, int]]]:
    with _opened(path) as stream:
        yield split(stream)


def _split(wire: Format) -> _Split:
    """Return a function that yields the messages of a stream, broken ones too."""
    from babelreg.wire.format import frames

    def split(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
        read = getattr(stream, "read1", stream.read)
        for frame in frames(wire.decoder(), iter(lambda: read(_CHUNK_BYTES), b"")):
            yield frame.raw, frame.line or 0

    return split


def _enveloped(contract: Contract) -> _Judge:
    return contract.verdict


def _bare(contract: Contract, urn: str) -> _Judge:
    from babelreg.contract import Verdict
    from babelreg.contract.parse import ParseError, bare

    def judge(body: bytes) -> Verdict:
        try:
            return contract.judge(urn, bare(body))
        except ParseError as err:
            return Verdict(err.reason, err.pointer, err.detail)

    return judge


def _findings(
    verdict: Verdict, warnings: tuple[Warned, ...], place: Place, registry: Registry, data_urn: str | None
) -> list[Finding]:
    urn = data_urn or (verdict.envelope.urn[:300] or None if verdict.envelope else None)
    found = []
    for warning in warnings:
        rule = "wrong_member_type" if warning.pointer == "/job" else "forbidden_key"
        fix = f"let the producer stop sending {warning.pointer}; no reader relies on it"
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
    """True for a valid message that no table can hold, which is none of the contract's reasons."""
    return verdict.reason is not None and verdict.reason.startswith("unstorable_")


def _fix(verdict: Verdict, urn: str | None, registry: Registry) -> str:
    from babelreg.cli.spark import validate_spark

    if _is_stored(verdict):
        return validate_spark.fix(verdict.reason or "")
    if verdict.kind == "unknown_urn":
        return _nearest(urn or "", registry)
    if verdict.kind == "data" and urn is not None and urn in registry.by_urn:
        folder = shown_root(registry)
        path = registry.by_urn[urn].source.path
        declared = f"{folder}/{path}" if folder else path
        return f"let the producer keep to {declared}, or allow it there and run `babelreg breaking`"
    return _FIXES.get(verdict.reason or "", _POISON_FIX)


def _nearest(urn: str, registry: Registry) -> str:
    from babelreg.suggest import closest

    near = closest(urn, registry.schemas)
    if near:
        return f"did you mean {near}?"
    return "declare it in the registry, or name another registry with --registry"
