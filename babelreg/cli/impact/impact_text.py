"""Impact report for people, in lines of 80 columns where names and places let it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from babelreg.analysis.impact.impact_json import instant
from babelreg.breaking.changes.abbreviation import short
from babelreg.finding import Severity
from babelreg.plural import counted
from babelreg.report.printable import printable

if TYPE_CHECKING:
    from babelreg.analysis.impact.impact_counts import UnexplainedPlace
    from babelreg.analysis.impact.impact_report import (
        ExpectationImpact,
        FindingImpact,
        ImpactReport,
        MessageGroup,
    )

WIDTH = 80
_MOST_NAMED = 5
_MOST_SAMPLE = 220


def render(report: ImpactReport, folder: str) -> str:
    """Return ``report`` as text; ``folder`` is put before the paths of its findings."""
    return "".join(f"{printable(line)}\n" for line in _lines(report, folder))


def _lines(report: ImpactReport, folder: str) -> Iterator[str]:
    yield headline(report)
    yield from matrix_lines(report)
    for impact in shown_findings(report):
        yield ""
        yield from _finding_lines(impact, report, folder)
    for place, group in report.unexplained:
        yield ""
        yield unexplained(place)
        yield from _group_lines(group, place.urn)
    for rescue, group in report.rescued:
        yield ""
        yield f"rescued: {counted(group.count, 'message')} of {rescue.urn}, refused before as {rescue.reason}"
        yield from _evidence_lines(group)
    yield from _silent_lines(report)
    yield from _expectation_lines(report)


def headline(report: ImpactReport) -> str:
    """Return the first line: how many messages, and how many of them the change refuses."""
    hurt, rescued = report.refused_now, report.rescued_now
    more = f", {rescued:,} refused before {'is' if rescued == 1 else 'are'} good now" if rescued else ""
    refused = f"{hurt:,} good before {'is' if hurt == 1 else 'are'} refused now"
    return f"{counted(report.total, 'message')} {period(report)}: {refused}{more}"


def period(report: ImpactReport) -> str:
    """Return the period that was looked at, as a phrase: ``in the 30 days to 2026-11-27``."""
    if report.window is not None:
        return f"in the {report.window}"
    first, newest = instant(report.first_ms), instant(report.newest_ms)
    return f"from {first[:10]} to {newest[:10]}" if first and newest else "recorded"


def notes(report: ImpactReport) -> Iterator[str]:
    """Yield lines on messages that are not counted, or without a time."""
    if outside := report.earlier + report.later:
        later = f", {report.later:,} of them later" if report.later else ""
        yield f"{counted(outside, 'message')} outside the window{later}: not counted"
    if report.undated and report.window is not None:
        yield f"{counted(report.undated, 'message')} without a time: counted as in the window"


def matrix_lines(report: ImpactReport) -> Iterator[str]:
    """Yield the table of verdicts before and after, all messages in it."""
    if not report.matrix:
        return
    rows = [("before", "after", "messages")]
    for old, new, count in report.matrix:
        rows.append((old or "good", "the same" if old and old == new else new or "good", f"{count:,}"))
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    yield ""
    for old, new, number in rows:
        yield f"  {old:{widths[0]}}  {new:{widths[1]}}  {number:>{widths[2]}}"


def shown_findings(report: ImpactReport) -> Iterator[FindingImpact]:
    """Yield the findings that refuse most messages first, without notes that no message belongs to."""
    for impact in sorted(report.findings, key=lambda each: -each.group.count):
        if impact.group.count or impact.finding.severity is not Severity.INFO:
            yield impact


def verdict(impact: FindingImpact, report: ImpactReport) -> str:
    """Return what recorded messages say about a finding, as a phrase."""
    group = impact.group
    if not impact.judged:
        return "about data that producers do not send yet: recorded messages cannot show its effect"
    if not group.seen:
        return f"no such message {period(report)}: its effect is unknown"
    if not group.count:
        return f"breaks in theory; 0 of {counted(group.seen, 'message')} {period(report)}"
    return f"refuses {group.count:,} of {counted(group.seen, 'message')} {period(report)} ({percent(group.share)})"


def unexplained(place: UnexplainedPlace) -> str:
    """Return what is refused without a finding, as a phrase."""
    where = f"{place.path}#{place.pointer}" if place.path else place.urn
    if place.undeclared:
        return f"{where}: refuses data that the published registry does not allow, such as undeclared properties"
    return f"{where}: no finding of `babelreg breaking` explains a refusal by {place.keyword}"


def senders(group: MessageGroup) -> str:
    """Return the senders of messages with their numbers, the first few."""
    named = [f"{name} ({count:,})" for name, count in group.producers[:_MOST_NAMED]]
    more = len(group.producers) - len(named)
    return "; ".join(named) + (f" and {more} more" if more else "")


def times(group: MessageGroup) -> str:
    """Return the first and the newest time of messages; empty where no time is known."""
    first, newest = instant(group.first_ms), instant(group.newest_ms)
    return "" if first is None or newest is None else f"first {first}, newest {newest}"


def silence(report: ImpactReport) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield URNs that findings are about, with their producers of which no message was seen."""
    about = {urn for impact in shown_findings(report) for urn in _urns(impact)}
    yield from ((urn, names) for urn, names in report.silent if urn in about)


def expectation(each: ExpectationImpact) -> tuple[str, list[str]]:
    """Return the subject of an expectation, and lines on its evidence before and after."""
    subject = f"{each.service} expects {short(each.schema)} of '{each.path}' in {each.urn}"
    lines = []
    for version, evidence in (("before", each.before), ("after", each.after)):
        if evidence is None:
            lines.append(f"{version}: not expected")
        else:
            basis = "guaranteed by the schema" if evidence.promised else "not guaranteed by the schema"
            held = f"satisfied by {evidence.held:,} of {evidence.valid:,}" if evidence.valid else "no message was seen"
            lines.append(f"{version}: {held}; {basis}")
    if len({line.partition(": ")[2] for line in lines}) == 1:
        return subject, [lines[0].partition(": ")[2]]
    return subject, lines


def _urns(impact: FindingImpact) -> list[str]:
    return [impact.finding.urn] if impact.finding.urn else [use.urn for use in impact.finding.messages]


def _finding_lines(impact: FindingImpact, report: ImpactReport, folder: str) -> Iterator[str]:
    finding = impact.finding.below(folder)
    waived = "waived " if impact.accepted else ""
    yield f"{finding.place}: {waived}{finding.severity.value}: {finding.message} [{finding.rule}]"
    urns = _urns(impact)
    if len(urns) > 1:
        yield from _wrapped(f"of {urns[0]} and {len(urns) - 1} more")
    yield from _wrapped(verdict(impact, report))
    yield from _evidence_lines(impact.group)


def _group_lines(group: MessageGroup, urn: str) -> Iterator[str]:
    yield from _wrapped(
        f"refuses {group.count:,} of {counted(group.seen, 'message')} of {urn} ({percent(group.share)})"
    )
    yield from _evidence_lines(group)


def _evidence_lines(group: MessageGroup) -> Iterator[str]:
    if not group.count:
        return
    yield from _wrapped(f"from {senders(group)}")
    if told := times(group):
        yield from _wrapped(told)
    if group.sample is not None:
        text = group.sample.text
        cut = text if len(text) <= _MOST_SAMPLE else f"{text[: _MOST_SAMPLE - 1]}…"
        yield from _wrapped(f"sample, refused at {group.sample.pointer or 'the whole'}: {cut}")


def _silent_lines(report: ImpactReport) -> Iterator[str]:
    silent = list(silence(report))
    if silent:
        yield ""
    for urn, names in silent:
        yield from _wrapped(f"{', '.join(names)}: no message of {urn} {period(report)}; the counts do not cover it", "")


def _expectation_lines(report: ImpactReport) -> Iterator[str]:
    for each in report.expectations:
        subject, lines = expectation(each)
        yield ""
        yield subject
        yield from (f"  {line}" for line in lines)


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def percent(share: Fraction | None) -> str:
    """Return a share as a percentage with two significant digits."""
    if share is None:
        return "none"
    number = float(share) * 100
    return f"{number:.1f} %" if number >= 1 or not number else "<0.001 %" if number < 0.001 else f"{number:.2g} %"
