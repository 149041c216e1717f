"""The last line of a run: how many findings in how many files."""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding, counts

__all__ = ["summary"]


def summary(findings: Sequence[Finding], *, checked: str = "") -> str:
    """``3 errors, 1 warning in 2 files``, or ``no findings``; ``checked`` says in what (``100 messages``)."""
    if not findings:
        return f"no findings in {checked}" if checked else "no findings"
    parts = [_many(number, severity.value) for severity, number in counts(findings).items() if number]
    files = _many(len({finding.place.path for finding in findings}), "file")
    return f"{', '.join(parts)} in {files}" + (f" ({checked} checked)" if checked else "")


def _many(number: int, noun: str) -> str:
    # "info" counts as a mass noun: 2 info
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"
