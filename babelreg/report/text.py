"""Findings for people, one a line, with what it breaks and a way out below it.

    orders/created.yaml:14:9: error: property 'total' became required [property-required]
      breaks: orders-api (producer) may still send {"order_id": 1042}
      fix: make it optional again, or run `babelreg mint urn:babel:orders:created`

Lines are never cut or wrapped. Characters that would move a terminal's cursor, or hide or reorder text, are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.finding import Finding, Severity
from babelreg.report.about import PLAIN, About
from babelreg.report.details import details
from babelreg.report.printable import printable

__all__ = ["render"]

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.INFO: "\x1b[1;34m"}


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    return "".join(f"{line}\n" for finding in findings for line in _lines(finding, colour))


def _lines(finding: Finding, colour: bool) -> Iterator[str]:
    place, message = printable(str(finding.place)), printable(finding.message)
    if place.startswith("::"):  # a command to GitHub Actions, were it to begin a line
        place = f"./{place}"
    place, severity, rule = f"{place}:", f"{finding.severity.value}:", f"[{finding.rule}]"
    if colour:
        place, rule = f"{_BOLD}{place}{_PLAIN}", f"{_DIM}{rule}{_PLAIN}"
        severity = f"{_COLOURS[finding.severity]}{severity}{_PLAIN}"
    yield f"{place} {severity} {message} {rule}"
    for what, line in details(finding):
        yield f"  {what}: {line}"
