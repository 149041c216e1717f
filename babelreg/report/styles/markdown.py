"""Markdown report, for a job summary on GitHub or a comment on a pull or merge request.

The services that a finding affects are collapsed below one line; the fix is always visible.

Text from files is escaped: markup, HTML, mentions (``@team``), references (``#1``), emoji (``:key:``) and links have no
effect. Text between backticks in a message becomes code. A report has at most 65,000 characters, because GitHub accepts
comments of up to 65,536; its last line then gives the number of findings left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.plural import counted
from babelreg.report.finding_details import details
from babelreg.report.markdown_text import escape, escape_code
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo
from babelreg.report.summary import summary

MAX_CHARACTERS = 65_000
_MAX_SERVICES = 4


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    extent = summary(findings, checked=run_info.checked, left_out=run_info.left_out, verb=run_info.verb)
    head = f"### {run_info.command}: {extent}\n"
    if run_info.notes:
        # After a tag, a note cannot start a list or a heading.
        head += f"\n<sub>{'; '.join(map(escape, run_info.notes))}</sub>\n"
    if not findings:
        return head
    head += "\n| Where | What |\n| --- | --- |\n"
    rows: list[str] = []
    room = MAX_CHARACTERS - len(head) - len(_left_out(len(findings)))
    for finding in findings:
        row = f"| {escape(str(finding.place))} | {_cell(finding)} |\n"
        room -= len(row)
        if room < 0:
            return head + "".join(rows) + _left_out(len(findings) - len(rows))
        rows.append(row)
    return head + "".join(rows)


def _left_out(number: int) -> str:
    return f"\n{number:,} more {'is' if number == 1 else 'are'} left out here; `--format text` prints them all.\n"


def _cell(finding: Finding) -> str:
    """Return the cell of a finding: message and fix; longer details are collapsed below their summary."""
    first = f"**{finding.severity.value}** {escape(finding.message)} {escape_code(finding.rule)}"
    lines = [(label, f"{label}: {escape(line)}") for label, line in details(finding)]
    fix, more = ([line for label, line in lines if (label == "fix") is is_fix] for is_fix in (True, False))
    if not (finding.hurts or finding.messages):
        return "<br>".join([first, *more, *fix])
    return f"{'<br>'.join([first, *fix])}<details><summary>{_impact(finding)}</summary>{'<br>'.join(more)}</details>"


def _impact(finding: Finding) -> str:
    """Return ``breaks 5 messages; hurts billing-worker, lake and 2 more``."""
    # Without a witness, `hurts` also lists services that read other fields only; they are not affected.
    no_witness = finding.direction is None
    affected = [hurt.service for hurt in finding.hurts if hurt.service and not (no_witness and hurt.reads == ())]
    services = list(dict.fromkeys(affected))
    more = f" and {len(services) - _MAX_SERVICES} more" if len(services) > _MAX_SERVICES else ""
    messages = f"breaks {counted(len(finding.messages), 'message')}"
    hurts = f"hurts {', '.join(map(escape, services[:_MAX_SERVICES]))}{more}"
    return "; ".join([messages] * bool(finding.messages) + [hurts] * bool(services)) or "whom it breaks"
