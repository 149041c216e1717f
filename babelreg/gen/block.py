"""A generated block between two marker lines of a file that belongs to the user, such as CODEOWNERS."""

from __future__ import annotations

from babelreg.errors import UsageError
from babelreg.finding import Place

__all__ = ["BEGIN", "END", "with_block"]

BEGIN = "# BEGIN babelreg"
END = "# END babelreg"
"""How the marker lines start."""


def with_block(path: str, old: bytes, block: str) -> bytes:
    """Return ``old`` with ``block``, which has its marker lines, in place of the earlier block, else at the end.

    Line ends are those of ``old``. Raises UsageError where ``old`` has one marker line without the other, or several.
    """
    newline = b"\r\n" if b"\r\n" in old else b"\n"
    lines = old.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith(BEGIN.encode())]
    ends = [number for number, line in enumerate(lines) if line.startswith(END.encode())]
    text = b"".join(line.encode() + newline for line in block.splitlines())
    if not starts and not ends:
        if lines and not lines[-1].endswith(b"\n"):
            lines[-1] += newline
        return b"".join([*lines, newline if lines and lines[-1].strip() else b"", text])
    if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
        wrong = (starts[1:] or ends[1:] or starts or ends)[0]
        raise UsageError(
            f"the lines '{BEGIN}' and '{END}' do not enclose one block",
            place=Place(path, wrong + 1, 1),
            fix="keep one line of each, the block between them; or remove the block with both lines",
        )
    return b"".join([*lines[: starts[0]], text, *lines[ends[0] + 1 :]])
