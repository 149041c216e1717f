"""Impact report as Markdown for a pull request; text from files and messages has no effect in it.

The table of findings comes first; the matrix of verdicts, samples, and waivers to paste are collapsed below it.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

from babelreg.cli.impact import impact_text
from babelreg.plural import counted
from babelreg.report.finding_details import details
from babelreg.report.markdown_text import escape, escape_code

if TYPE_CHECKING:
    from babelreg.analysis.impact.impact_report import FindingImpact, ImpactReport, MessageGroup

MAX_CHARACTERS = 65_000
"""GitHub accepts comments of up to 65,536."""
_MOST_SAMPLE = 400
_MARK = "<!-- babelreg impact -->"
"""The first line, which identifies the comment to update."""


def render(report: ImpactReport, folder: str, against: str, waivers: str = "") -> str:
    """Return ``report`` as Markdown; ``waivers`` are settings that accept its findings."""
    head = f"{_MARK}\n### babelreg impact: {escape(impact_text.headline(report))}\n\n"
    notes = [against, *impact_text.notes(report)]
    head += f"<sub>{'; '.join(map(escape, notes))}</sub>\n"
    tail = "".join(_tail(report, waivers))
    room = MAX_CHARACTERS - len(head)
    if len(tail) > room // 2:
        tail = "\nThe tables of verdicts and of waivers are too long here; `--format text` has them.\n"
    return head + _table(report, folder, room - len(tail)) + tail


def _table(report: ImpactReport, folder: str, room: int) -> str:
    rows = list(_rows(report, folder))
    if not rows:
        return ""
    head = "\n| Change | Recorded messages |\n| --- | --- |\n"
    left_out = "\n{:,} more are left out here; `--format text` prints them all.\n"
    room -= len(head) + len(left_out) + 20
    kept: list[str] = []
    for row in rows:
        room -= len(row)
        if room < 0:
            return head + "".join(kept) + left_out.format(len(rows) - len(kept))
        kept.append(row)
    return head + "".join(kept)


def _rows(report: ImpactReport, folder: str) -> Iterator[str]:
    for impact in impact_text.shown_findings(report):
        yield f"| {_change(impact, folder)} | {_traffic(impact, report)} |\n"
    for place, group in report.unexplained:
        subject = impact_text.unexplained(place)
        text = f"refuses {group.count:,} of {counted(group.seen, 'message')} of {place.urn}"
        yield f"| {escape(subject)} | {escape(text)}{_evidence_of(group)} |\n"
    for rescue, group in report.rescued:
        subject = f"rescued: {rescue.urn}, refused before as {rescue.reason}"
        yield f"| {escape(subject)} | {escape(counted(group.count, 'message'))}{_evidence_of(group)} |\n"


def _change(impact: FindingImpact, folder: str) -> str:
    finding = impact.finding.below(folder)
    waived = "waived " if impact.accepted else ""
    first = f"**{waived}{finding.severity.value}** {escape(finding.message)} {escape_code(finding.rule)}"
    lines = [f"{label}: {escape(line)}" for label, line in details(finding)]
    place = escape(str(finding.place))
    more = f"<details><summary>whom it breaks, and how to fix it</summary>{'<br>'.join(lines)}</details>"
    return f"{first}<br>{place}{more}"


def _traffic(impact: FindingImpact, report: ImpactReport) -> str:
    return escape(impact_text.verdict(impact, report)) + _evidence_of(impact.group)


def _evidence_of(group: MessageGroup) -> str:
    if not group.count:
        return ""
    lines = [f"from {escape(impact_text.senders(group))}"]
    if told := impact_text.times(group):
        lines.append(escape(told))
    text = "<br>" + "<br>".join(lines)
    if group.sample is not None:
        sample = group.sample.text[:_MOST_SAMPLE]
        where = escape(group.sample.pointer)
        text += f"<details><summary>a sample, without its values</summary>{where}<br>{escape_code(sample)}</details>"
    return text


def _tail(report: ImpactReport, waivers: str) -> Iterator[str]:
    silent = list(impact_text.silence(report))
    if silent:
        yield "\n"
    for urn, names in silent:
        yield f"- {escape(', '.join(names))}: no message of {escape(urn)}; the counts do not cover it\n"
    for each in report.expectations:
        subject, lines = impact_text.expectation(each)
        yield f"- {escape(subject)}: {escape('; '.join(lines))}\n"
    if report.matrix:
        yield _collapsed("verdicts before and after", "\n".join(impact_text.matrix_lines(report)).lstrip("\n"))
    if waivers:
        yield _collapsed("waivers to paste into babelreg.yaml", waivers)


def _collapsed(summary: str, content: str) -> str:
    """Return text that is shown as it is when it is opened: nothing in it is markup."""
    shown = html.escape(content).replace("@", "&#64;").replace("`", "&#96;")
    return f"\n<details><summary>{summary}</summary>\n\n<pre>{shown}</pre>\n</details>\n"
