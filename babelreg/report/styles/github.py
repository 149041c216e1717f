"""Annotations of GitHub Actions: one workflow command a line.

    ::error file=orders/created.yaml,line=14,col=9,title=property-required::orders/created.yaml:14:9: property …

The message repeats place and rule, because the log shows the message only. GitHub shows ten annotations of each
severity per step; the log has them all. Input that was not examined is a notice without a place.

Source: GitHub, "Workflow commands for GitHub Actions", and ``ActionCommand.cs`` of actions/runner: a line is a command
when it starts with ``::``; ``%25``, ``%0D`` and ``%0A`` are decoded in messages, in properties
also ``%3A`` and ``%2C``.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding, Severity
from babelreg.report.finding_details import details
from babelreg.report.printable import printable
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo

MAX_SHOWN = 10
"""The number of annotations of each severity that GitHub shows for a step."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    lines = [_command(finding) for finding in findings]
    if run_info.left_out:
        title, text = run_info.command.translate(_PROPERTY), printable(run_info.extent).translate(_MESSAGE)
        lines.append(f"::notice title={title}::{text}")
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding) -> str:
    place = finding.place
    properties = {"file": printable(place.path)}
    if place.line > 0:
        properties |= {"line": str(place.line), "col": str(max(place.column, 1))}
    properties["title"] = printable(finding.rule)
    joined = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items())
    first = f"{printable(str(place))}: {printable(finding.message)} [{printable(finding.rule)}]"
    message = "\n".join([first, *(f"  {label}: {line}" for label, line in details(finding))])
    return f"::{_COMMANDS[finding.severity]} {joined}::{message.translate(_MESSAGE)}"
