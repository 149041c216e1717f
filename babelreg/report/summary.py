"""Summary line of a run: the number of findings by severity, and of files."""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding, counts
from babelreg.plural import counted


def summary(
    findings: Sequence[Finding],
    *,
    checked: str = "",
    waived: int = 0,
    left_out: Sequence[str] = (),
    verb: str = "checked",
) -> str:
    """Return ``3 errors, 1 warning in 2 files`` or ``no findings``.

    ``checked`` is the examined input as a phrase (``5 of 100 messages``). ``left_out`` are phrases on the rest of the
    input (``95 drafts are not compared``), ``verb`` what was done with it. ``waived`` counts findings that are not in
    ``findings``.
    """
    note = f"{waived} waived" if waived else ""
    rest = "".join(f"; {phrase}" for phrase in left_out)
    if not findings:
        nothing = f"no findings in {checked}" if checked else "no findings"
        return nothing + (f" ({note})" if note else "") + rest
    parts = [counted(number, severity.value) for severity, number in counts(findings).items() if number]
    files = counted(len({finding.place.path for finding in findings}), "file")
    notes = ", ".join(filter(None, (f"{checked} {verb}" if checked else "", note)))
    return f"{', '.join(parts)} in {files}" + (f" ({notes})" if notes else "") + rest
