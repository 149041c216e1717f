"""The marks that git leaves in a file where two sides changed the same lines."""

from __future__ import annotations

from babelreg.load.files.defect import Defect

MARK = "<<<<<<<"
_STEPS = (MARK, "=======", ">>>>>>>")


def conflict(text: str) -> Defect | None:
    """Return the first merge conflict of ``text``, as a defect at its first line; None where there is none."""
    marks: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if _is_mark(line, _STEPS[len(marks)]):
            marks.append((number, line[len(MARK) :].strip()))
            if len(marks) == len(_STEPS):
                break
    else:
        return None
    (first, ours), _, (last, theirs) = marks
    sides = " and ".join(f"'{side}'" for side in (ours, theirs) if side)
    message = f"merge conflict{f' of {sides}' if sides else ''} in lines {first} to {last}"
    fix = "keep the correct parts of both sides, and remove the lines <<<<<<<, ======= and >>>>>>>"
    return Defect("yaml-syntax", message, first, 1, fix=fix)


def _is_mark(line: str, mark: str) -> bool:
    return line.startswith(mark) and line[len(mark) : len(mark) + 1] in ("", " ", "\r")


def check_merged(text: str) -> None:
    """Raise Defect where ``text`` holds a merge conflict."""
    defect = conflict(text)
    if defect is not None:
        raise defect
