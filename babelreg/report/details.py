"""The lines below a finding: the other place, whom it breaks, the way out."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Finding
from babelreg.report.printable import printable

__all__ = ["details"]


def details(finding: Finding) -> Iterator[tuple[str, str]]:
    """``("fix", "type: boolean")`` and the like, in the order of every report, fit to be printed on a line each."""
    if finding.against is not None:
        yield "against", printable(str(finding.against))
    for line in finding.breaks:
        yield "breaks", printable(line)
    if finding.fix:
        yield "fix", printable(finding.fix)
