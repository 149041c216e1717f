"""A generated block between two marker lines of a file that belongs to the user, such as CODEOWNERS.

A guarded block, in Markdown, has a checksum in its first marker line: it is replaced only as long as nobody edited it.
"""

from __future__ import annotations

import re

from babelreg.errors import UsageError
from babelreg.finding import Place
from babelreg.gen.target import digest

BEGIN = "# BEGIN babelreg"
END = "# END babelreg"
"""How the marker lines start."""
_MARKDOWN = ("<!-- BEGIN babelreg", "<!-- END babelreg")
_SUM = re.compile(r"<!-- BEGIN babelreg \(sum ([0-9a-f]{16})\)")


class EditedBlockError(UsageError):
    """A guarded block that somebody edited. ``old`` is the text of its file, ``new`` what it would be."""

    def __init__(self, message: str, *, old: str, new: str, place: Place, fix: str) -> None:
        super().__init__(message, place=place, fix=fix)
        self.old = old
        self.new = new


def with_block(path: str, old: bytes, block: str) -> bytes:
    """Return ``old`` with ``block``, which has its marker lines, in place of the earlier block, else at the end.

    Line ends are those of ``old``. Raises UsageError where ``old`` has one marker line without the other, or several.
    """
    lines = old.splitlines(keepends=True)
    starts, ends = _marked(lines, BEGIN), _marked(lines, END)
    if not starts and not ends:
        return _appended(old, block)
    if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
        wrong = (starts[1:] or ends[1:] or starts or ends)[0]
        raise UsageError(
            f"the lines '{BEGIN}' and '{END}' do not enclose one block",
            place=Place(path, wrong + 1, 1),
            fix="keep one line of each, the block between them; or remove the block with both lines",
        )
    return b"".join([*lines[: starts[0]], _lines(old, block), *lines[ends[0] + 1 :]])


def guarded(text: str, about: str) -> str:
    """Return ``text`` between marker lines with its checksum; ``about`` says who renews it."""
    begin, end = _MARKDOWN
    return f"{begin} (sum {digest(text.splitlines())}): {about} -->\n{text}{end} -->\n"


def with_guarded_block(path: str, old: bytes, block: str) -> bytes:
    """Return ``old`` with ``block`` of :func:`guarded` in place of the earlier one, else at the end.

    Raises EditedBlockError where the earlier block or its marker lines were edited, or one of these is missing.
    """
    lines = old.splitlines(keepends=True)
    starts, ends = (_marked(lines, marker) for marker in _MARKDOWN)
    heading = block.splitlines()[1].encode()
    if len(starts) == len(ends) == 1 and starts[0] < ends[0]:
        new = b"".join([*lines[: starts[0]], _lines(old, block), *lines[ends[0] + 1 :]])
        body = b"".join(lines[starts[0] + 1 : ends[0]]).decode("utf-8", "surrogateescape")
        recorded = _SUM.match(lines[starts[0]].decode("utf-8", "replace"))
        if new == old or (recorded is not None and recorded[1] == digest(body.splitlines())):
            return new
        problem, at = "the block of babelreg was edited", starts[0]
    else:
        new, at = _appended(old, block), (starts or ends or [0])[0]
        headings = [number for number, line in enumerate(lines) if line.rstrip() == heading]
        if not starts and not ends and not headings:
            return new
        problem, at = "the block of babelreg lacks a marker line", (starts or ends or headings)[0]
    raise EditedBlockError(
        problem,
        old=old.decode("utf-8", "replace"),
        new=new.decode("utf-8", "replace"),
        place=Place(path, at + 1, 1),
        fix="move your own lines out of the block, remove the rest of it with its marker lines, and run again",
    )


def with_line(old: bytes, line: str) -> bytes:
    """Return ``old`` with ``line``, at the end where it is not there yet."""
    written = line.encode()
    return old if any(each.strip() == written for each in old.splitlines()) else _appended(old, f"{line}\n")


def _marked(lines: list[bytes], marker: str) -> list[int]:
    return [number for number, line in enumerate(lines) if line.startswith(marker.encode())]


def _lines(old: bytes, block: str) -> bytes:
    """Return ``block`` with the line ends of ``old``."""
    newline = b"\r\n" if b"\r\n" in old else b"\n"
    return b"".join(line.encode() + newline for line in block.splitlines())


def _appended(old: bytes, block: str) -> bytes:
    newline = b"\r\n" if b"\r\n" in old else b"\n"
    lines = old.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += newline
    return b"".join([*lines, newline if lines and lines[-1].strip() else b"", _lines(old, block)])
