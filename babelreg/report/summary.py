"""The last line of a run: how many findings in how many files."""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding, counts

__all__ = ["summary"]


def summary(findings: Sequence[Finding], *, checked: str = "", waived: int = 0) -> str:
    """``3 errors, 1 warning in 2 files``, or ``no findings``; ``checked`` says in what (``100 messages``).

    ``waived`` findings are counted apart.
    """
    beside = f"{waived} waived" if waived else ""
    if not findings:
        return (f"no findings in {checked}" if checked else "no findings") + (f" ({beside})" if beside else "")
    parts = [_many(number, severity.value) for severity, number in counts(findings).items() if number]
    files = _many(len({finding.place.path for finding in findings}), "file")
    beside = ", ".join(filter(None, (f"{checked} checked" if checked else "", beside)))
    return f"{', '.join(parts)} in {files}" + (f" ({beside})" if beside else "")


def _many(number: int, noun: str) -> str:
    # "info" counts as a mass noun: 2 info
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"
