"""Findings as GitHub Actions shows them: a line that is a workflow command, which becomes an annotation.

    ::error file=orders/created.yaml,line=14,col=9,title=property-required::orders/created.yaml:14:9: property …

The message names place and rule again, since the log shows nothing but the message. GitHub shows ten annotations of
each severity a step; the log has them all.

Source: GitHub, "Workflow commands for GitHub Actions", and ``ActionCommand.cs`` of actions/runner: a line is a command
when it starts with ``::``; ``%25``, ``%0D`` and ``%0A`` are undone in messages, ``%3A`` and ``%2C`` also in properties.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding, Severity
from babelreg.report.about import PLAIN, About
from babelreg.report.details import details
from babelreg.report.printable import printable

__all__ = ["SHOWN", "render"]

SHOWN = 10
"""How many annotations of each severity GitHub shows for a step."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    return "".join(f"{_command(finding)}\n" for finding in findings)


def _command(finding: Finding) -> str:
    place = finding.place
    properties = {"file": printable(place.path)}
    if place.line > 0:
        properties |= {"line": str(place.line), "col": str(max(place.column, 1))}
    properties["title"] = printable(finding.rule)
    listed = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items())
    first = f"{printable(str(place))}: {printable(finding.message)} [{printable(finding.rule)}]"
    message = "\n".join([first, *(f"  {what}: {line}" for what, line in details(finding))])
    return f"::{_COMMANDS[finding.severity]} {listed}::{message.translate(_MESSAGE)}"
