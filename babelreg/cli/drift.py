"""``babelreg drift``: what the registry declares and nobody sends, and what is sent and not declared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.infer import read_traffic
from babelreg.cli.lake.recorded_traffic import engine_option, unread, window_option
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.registry_options import (
    color_option,
    completed_by,
    emit,
    fail_on_option,
    format_option,
    open_registry,
    output_option,
    registry_option,
    shown_root,
    sound,
    today_option,
)
from babelreg.cli.wire.options import recorded_wire_option
from babelreg.errors import InputError, UsageError
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.analysis.drift.rules.rule import DriftScope
    from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
    from babelreg.cli.shared.output import Output
    from babelreg.lake.traffic.run import RecordedTraffic
    from babelreg.model import Registry
    from babelreg.model.coverage import Coverage

_DAY_MS = 86_400_000


@click.command(
    short_help="Compare the registry with recorded traffic.",
    epilog=examples(
        "babelreg drift recordings",
        "babelreg drift lake --window 30d --write coverage.json",
        "babelreg drift lake --window 30d --check --write coverage.json   # each night",
    ),
)
@click.argument("sources", metavar="[PATH]...", nargs=-1, type=LocalPath(allow_dash=True))
@registry_option
@recorded_wire_option
@window_option
@click.option(
    "--write",
    "written",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    help="Write the coverage: how often each field was sent, in classes. With --check, only if no class fell.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Fail if a class fell since the file of --write, or else of `traffic` in babelreg.yaml, was written.",
)
@click.option(
    "--ignore",
    metavar="RULE",
    multiple=True,
    shell_complete=completed_by("rules"),
    help="Skip these rules. Repeatable, or separated by commas.",
)
@engine_option
@format_option
@output_option
@color_option
@fail_on_option
@today_option
def command(
    sources: tuple[Path, ...],
    registry: Path | None,
    wire: str,
    window: int | None,
    written: Path | None,
    check: bool,
    ignore: tuple[str, ...],
    engine: str,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    today: date | None,
) -> int:
    """Report what the registry declares but nobody sends, and what is sent but not declared.

    PATH is as for `babelreg infer`: a folder of recordings, a file of messages, a lake, a saved sketch, or `-`. Each
    finding names the edit or the command that resolves it. Fields are reported only if at least 100 messages were sent.

    The coverage has one class for each field, member of an enumeration and alias: 0, 1+, 100+ or always. It changes
    only with the traffic, and contains no values of messages. --check compares windows of the same length, and only
    messages that were sent about as often; it lists all others as not judged.

    Exit 1: a class fell, or there are findings of the severity of --fail-on.
    """
    from babelreg.analysis.drift.coverage import compare_coverage, measured, text
    from babelreg.analysis.drift.findings import drift_findings
    from babelreg.model.wire_mapping import wire_notes
    from babelreg.report import printable, summary

    ignored = _ignored(ignore)
    current = sound(open_registry(registry))
    baseline = _baseline(current, written) if check else None
    recorded = _recorded(sources, current, engine, wire, window, today or datetime.now(UTC).date())
    scope = _scope(current, recorded, sources, window, baseline)
    every = sorted(drift_findings(scope), key=lambda finding: finding.sort_key)
    findings = [finding for finding in every if finding.rule not in ignored]
    compared = compare_coverage(baseline, scope.messages, scope.window_days) if baseline is not None else None
    left_out = [printable(phrase) for phrase in compared.not_judged] if compared is not None else []
    if check and baseline is None:
        left_out.append("nothing was compared: there is no coverage file yet (--write FILE)")
    if hidden := len(every) - len(findings):
        left_out.append(f"{hidden} of ignored rules")
    seen = sum(1 for each in scope.messages if each.count)
    checked = f"{recorded.traffic.total:,} messages, {seen} of {len(scope.messages)} declared kinds, in {scope.days}"
    counts = {"messages": recorded.traffic.total, "kinds": len(scope.messages), "seen": seen}
    notes = [printable(note) for note in (*wire_notes(current, wire), *_notes(scope, recorded))]
    code = emit(
        findings, style, output=output, fail_on=fail_on, prefix=shown_root(current), checked=checked,
        notes=[*notes, *left_out], left_out=left_out, counts=counts,
    )  # fmt: skip
    click.echo(summary(findings, checked=checked), err=True)
    for note in (*notes, *left_out):
        click.echo(note, err=True)
    if recorded.damaged:
        raise unread(recorded.damaged)
    if written is not None and not (compared is not None and compared.falls):
        _write(written, text(measured(scope.messages, scope.window_days)))
    return code


def _baseline(registry: Registry, written: Path | None) -> Coverage | None:
    """Return the coverage to compare with, None where it was not written yet. Raises UsageError, InputError."""
    from babelreg.load.registry import coverage_file

    if written is not None:
        return coverage_file.read(written)
    if registry.settings.traffic is None:
        raise UsageError(
            "--check needs a coverage file to compare with",
            fix="set it: --write coverage.json, or `traffic: coverage.json` in babelreg.yaml",
        )
    return registry.coverage


def _ignored(names: tuple[str, ...]) -> frozenset[str]:
    """Return the rules that ``names`` lists, with commas between. Raises UsageError for one that is not there."""
    from babelreg.analysis.drift.rules import RULES
    from babelreg.suggest import closest

    ignored = [name for text in names for name in text.split(",")]
    for name in ignored:
        if name not in RULES:
            near = closest(name, RULES, 0.5)
            fix = f"did you mean {near}?" if near else f"the rules are {', '.join(RULES)}"
            raise UsageError(f"--ignore: drift has no rule {name!r}", fix=fix)
    return frozenset(ignored)


def _recorded(
    sources: tuple[Path, ...], registry: Registry, engine: str, wire: str, days: int | None, today: date
) -> RecordedTraffic:
    from babelreg.analysis.sketch.window import Window

    window = None if days is None else Window(days, today)
    recorded = read_traffic(sources, engine=engine, wire=wire, registry=registry, window=window, command="drift")
    if recorded.traffic.messages is None:
        raise InputError(
            "the messages have more than 10,000 names, more than a sketch can distinguish",
            fix="compare recordings of fewer queues; a URN names a kind of message, not a single one",
        )
    return recorded


def _scope(
    registry: Registry,
    recorded: RecordedTraffic,
    sources: tuple[Path, ...],
    days: int | None,
    baseline: Coverage | None,
) -> DriftScope:
    from babelreg.analysis.drift.rules.rule import DriftScope
    from babelreg.analysis.infer.message_names import recorded_messages
    from babelreg.cli.shared.inference import name_rules

    rules, traffic = name_rules(), recorded.traffic
    sent = traffic.messages or {}
    return DriftScope(
        registry,
        sent,
        recorded_messages(registry, sent, rules),
        rules.holds_data,
        _span(traffic) if days is None else days,
        [path.as_posix() for path in sources],
        baseline,
    )


def _span(traffic: TrafficSketch) -> int:
    """Return the number of days from the first message to the last, 0 where no time is known."""
    sketches = (traffic.messages or {}).values()
    firsts = [each.first_ms for each in sketches if each.first_ms is not None]
    lasts = [each.last_ms for each in sketches if each.last_ms is not None]
    return max(lasts) // _DAY_MS - min(firsts) // _DAY_MS + 1 if firsts and lasts else 0


def _notes(scope: DriftScope, recorded: RecordedTraffic) -> Iterator[str]:
    """Yield what the numbers do not include."""
    traffic = recorded.traffic
    for lake in recorded.lakes:
        yield f"{lake}: the rows of its tables and of its quarantine; it stores no duplicates"
    for reason, count in sorted(traffic.refused.items()):
        yield f"{count:,} without a readable envelope: {reason}"
    if traffic.unnamed:
        yield f"{traffic.unnamed:,} under a name that is too long or not a string"
    if recorded.outside:
        yield f"{recorded.outside:,} created outside the window"
    unusable = sum(not each.has_schema for each in scope.messages)
    if unusable:
        yield f"{counted(unusable, 'kind')} whose schema cannot be used: see `babelreg lint`"
    rare = sum(1 for each in scope.messages if each.count) - len(scope.judged)
    if rare:
        yield f"{counted(rare, 'kind')} with fewer than 100 messages: fields are not compared"


def _write(path: Path, content: str) -> None:
    """Write the coverage where it differs. Raises InputError."""
    from babelreg.atomic_write import write_whole
    from babelreg.report import printable

    body = content.encode()
    try:
        if path.exists() and path.read_bytes() == body:
            return
        write_whole(path, body)
    except OSError as err:
        raise InputError(f"cannot write {path}: {err.strerror}") from err
    click.echo(printable(f"wrote {path.as_posix()}"), err=True)
