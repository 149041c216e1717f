"""``babelreg impact``: what a change of the registry would have done to recorded messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.lake.options import threshold_option
from babelreg.cli.lake.recorded_traffic import (
    engine_option,
    opened_engine,
    seen_by_workers,
    unread,
    window_option,
)
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.output import output_option, write_report
from babelreg.cli.shared.registry_options import open_tree, registry_option, root_of, shown_root, sound, today_option
from babelreg.cli.wire.options import recorded_wire_option

if TYPE_CHECKING:
    from babelreg.analysis.impact.attribution import KnownBreak
    from babelreg.analysis.impact.impact_report import FindingImpact, ImpactReport, Masked
    from babelreg.analysis.sketch.window import Window
    from babelreg.breaking.baseline.against import Baseline
    from babelreg.cli.shared.output import Output
    from babelreg.finding import Finding
    from babelreg.lake.traffic.impact_run import ImpactOfSources
    from babelreg.model import Registry, Thresholds

_LONGEST_SAMPLE = 1_000


@click.command(
    short_help="Show what a change would have done to recorded messages.",
    epilog=examples(
        "babelreg impact recordings --window 30d",
        "babelreg impact lake --against v1.4 --fail-above 0.1%",
        "babelreg impact recordings --format json > impact.json && babelreg breaking --traffic impact.json",
    ),
)
@click.argument("sources", metavar="[PATH]...", nargs=-1, type=LocalPath(allow_dash=True))
@click.option(
    "--against",
    metavar="REV|DIR|FILE",
    help="The published state, as for `babelreg breaking`. Default: the remote's default branch, else main or master.",
)
@window_option
@registry_option
@recorded_wire_option
@engine_option
@threshold_option(
    "--fail-above", "Exit 1 when a larger share of the messages was good before and is refused now. Default: any."
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="The format of the report.",
)
@output_option
@today_option
@click.pass_context
def command(
    ctx: click.Context,
    sources: tuple[Path, ...],
    against: str | None,
    window: int | None,
    registry: Path | None,
    wire: str,
    engine: str,
    fail_above: Thresholds,
    style: str,
    output: tuple[Output, ...],
    today: date | None,
) -> None:
    """Validate recorded messages by the published registry and by this one, and count what each finding of
    `babelreg breaking` would have refused.

    PATH is a folder of recordings, a file of messages, one a line or frame, a lake with its quarantine, or `-` for
    standard input. Files compressed with gzip or zstd are unpacked. Large input is read in several processes.

    A message's time is the `created_at` of its envelope; a message without a time is always in the window. Messages
    that were refused before and are now accepted count as rescued. No value of a message is printed, except for
    numbers, listed texts and times that the registry declares and does not mark as personal.

    Exit 0: at most --fail-above of the messages were good and are now refused. 1: more; waived breaks do not count.
    """
    from babelreg.analysis.sketch.window import Window
    from babelreg.model.wire_mapping import wire_notes

    root = root_of(registry)
    published, current = _versions(root, against)
    day = today or datetime.now(UTC).date()
    period = Window(window, day) if window else None
    findings = _findings(published, current, day)
    recorded = _recorded(sources, published.registry, current, findings, period, wire, engine)
    report = _report(recorded, findings, published.registry, current, period)
    click.echo(published.headline, err=True)
    for note in (*_notes(recorded, report), *wire_notes(current, wire)):
        click.echo(note, err=True)
    _write(report, published, current, style, output, day)
    if recorded.damaged:
        raise unread(recorded.damaged)
    ctx.exit(int(report.is_above(fail_above)))


def _versions(root: Path, against: str | None) -> tuple[Baseline, Registry]:
    from babelreg.breaking.baseline import against as baseline

    published = baseline.of(root, against)
    return published, sound(open_tree(root))


def _findings(published: Baseline, current: Registry, today: date) -> list[tuple[Finding, bool]]:
    """Return the findings of ``breaking``, each with True where a waiver accepts it; none about waivers themselves."""
    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.check.grouping import merged
    from babelreg.breaking.check.run import check
    from babelreg.breaking.rules import WAIVABLE, WAIVING

    waivers = BreakingWaivers.of(current.settings, WAIVABLE, today)
    reported = check(published.registry, current, past=published.past, waivers=waivers)
    findings = [(finding, False) for finding in reported if finding.rule not in WAIVING]
    return findings + [(finding, True) for finding in merged(waivers.hidden)]


def _recorded(
    sources: Sequence[Path],
    before: Registry,
    after: Registry,
    findings: Sequence[tuple[Finding, bool]],
    window: Window | None,
    wire: str,
    engine: str,
) -> ImpactOfSources:
    from babelreg.analysis.impact.traffic_impact import TrafficImpact
    from babelreg.lake.traffic.impact_run import read_impact
    from babelreg.model.wire_mapping import wire_mapping
    from babelreg.wire.formats import find

    source = find(wire).name
    impact = TrafficImpact(before, after, _breaks(findings), window)
    with opened_engine(engine) as opened:
        urns = wire_mapping(after, source).urns
        return read_impact(opened, seen_by_workers(engine, sources), impact, wire=source, urns=urns)


def _breaks(findings: Sequence[tuple[Finding, bool]]) -> list[KnownBreak]:
    from babelreg.analysis.impact.attribution import known_break

    return [known_break(finding, accepted=accepted) for finding, accepted in findings]


def _report(
    recorded: ImpactOfSources,
    findings: Sequence[tuple[Finding, bool]],
    before: Registry,
    after: Registry,
    window: Window | None,
) -> ImpactReport:
    from babelreg.analysis.impact.impact_report import FindingImpact, MessageGroup, impact_report

    nothing = MessageGroup(0, 0)
    unfilled: list[FindingImpact] = [
        FindingImpact(finding, nothing, accepted, known.judged)
        for (finding, accepted), known in zip(findings, _breaks(findings), strict=True)
    ]
    return impact_report(recorded.counts, unfilled, before, after, window, _masked(before, after))


def _masked(before: Registry, after: Registry) -> Masked:
    from babelreg.analysis.impact.impact_report import MaskedSample
    from babelreg.lake.report.redacted_message import VersionsMasker, in_one_line

    masker = VersionsMasker([before, after])

    def masked(urn: str, sample: Any) -> MaskedSample:
        at = sample.pointer.removeprefix("/data") if sample.pointer.startswith("/data/") else ""
        lines = masker.data_lines(sample.document.get("data"), urn, at)
        return MaskedSample(in_one_line(lines, _LONGEST_SAMPLE), masker.pointer(urn, sample.pointer))

    return masked


def _notes(recorded: ImpactOfSources, report: ImpactReport) -> list[str]:
    from babelreg.cli.impact import impact_text
    from babelreg.report import printable

    lakes = [
        f"{lake}: the rows of its tables and of its quarantine; it stores no duplicates" for lake in recorded.lakes
    ]
    return [printable(note) for note in (*lakes, *impact_text.notes(report))]


def _write(
    report: ImpactReport,
    published: Baseline,
    current: Registry,
    style: str,
    output: Sequence[Output],
    today: date,
) -> None:
    """Print the report, and write it to the files asked for."""
    rendered: dict[str, str] = {}

    def text(name: str) -> str:
        if name not in rendered:
            rendered[name] = _rendered(report, published, current, name, today)
        return rendered[name]

    if not any(file.style is None for file in output):
        click.echo(text(style), nl=False)
    for file in output:
        write_report(file.path, text(file.style or style))


def _rendered(report: ImpactReport, published: Baseline, current: Registry, style: str, today: date) -> str:
    from babelreg.analysis.impact.impact_json import as_json
    from babelreg.cli.impact import impact_markdown, impact_text
    from babelreg.report.fingerprint import fingerprints

    folder = shown_root(current)
    if style == "text":
        return impact_text.render(report, folder)
    keys = fingerprints([impact.finding for impact in report.findings])
    value = as_json(report, keys, published.headline, folder)
    if style == "markdown":
        return impact_markdown.render(report, folder, published.headline, _waivers(report, keys, value, today))
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _waivers(report: ImpactReport, keys: Sequence[str], value: dict[str, Any], today: date) -> str:
    """Return the waivers that `breaking --traffic --format waivers` would write for the report ``value``."""
    from babelreg.breaking.check.recorded_impact import parsed, with_traffic
    from babelreg.report import RunInfo, render

    counted, _ = with_traffic([impact.finding for impact in report.findings], keys, parsed(value), today)
    open_findings = [each for each, impact in zip(counted, report.findings, strict=True) if not impact.accepted]
    return render(open_findings, "waivers", run_info=RunInfo("babelreg breaking"))
