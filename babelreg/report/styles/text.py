"""Report for people: one finding a line, with details and the fix below it.

    orders/created.yaml:14:9: error: property 'total' became required [property-required]
      breaks: orders-api (producer) may still send {"order_id": 1042}
      fix: make it optional again, or run `babelreg mint urn:babel:orders:created`

Lines are never truncated or wrapped. Characters that move a terminal's cursor, or hide or reorder text, are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.finding import Finding, Severity
from babelreg.report.finding_details import details
from babelreg.report.printable import printable
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.INFO: "\x1b[1;34m"}


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    return "".join(f"{line}\n" for finding in findings for line in _lines(finding, colour))


def _lines(finding: Finding, colour: bool) -> Iterator[str]:
    place, message = printable(str(finding.place)), printable(finding.message)
    if place.startswith("::"):  # at the start of a line, GitHub Actions reads it as a command
        place = f"./{place}"
    place, severity, rule = f"{place}:", f"{finding.severity.value}:", f"[{finding.rule}]"
    if colour:
        place, rule = f"{_BOLD}{place}{_RESET}", f"{_DIM}{rule}{_RESET}"
        severity = f"{_COLOURS[finding.severity]}{severity}{_RESET}"
    yield f"{place} {severity} {message} {rule}"
    for label, line in details(finding):
        yield f"  {label}: {line}"
