"""Comments for babelreg in YAML files: ``# babelreg: …``.

YAML's events hold no comments, so they are looked for in the text, outside of what its scalars cover. Files without the
word are not looked at: that is all of them, nearly always.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from babelreg.lazy_pattern import LazyPattern
from babelreg.load.registry.document import Document
from babelreg.load.yaml.parser import Mark
from babelreg.model import Remark

_WORD = "babelreg:"
_REMARK = LazyPattern(r"#\s*babelreg:(.*)")
# What ends a line for YAML's marks; str.splitlines knows more.
_BREAK = LazyPattern("\r\n|[\n\r\x85\u2028\u2029]")


def remarks(document: Document) -> list[Remark]:
    """Return the remarks of one file, from top to bottom."""
    return list(_remarks(document))[::-1] if _WORD in document.text else []


def _remarks(document: Document) -> Iterator[Remark]:
    """From bottom to top, since a comment is about the line below it."""
    text = document.text
    spans = sorted(_spans(text, document.marks))
    starts = [start for start, _ in spans]

    def in_scalar(at: int) -> bool:
        covering = bisect_right(starts, at) - 1
        return covering >= 0 and at < spans[covering][1]

    lines = list(_lines(text))
    comments = [_comment(text, start, end, in_scalar) for start, end in lines]
    about = 0
    for number in range(len(lines), 0, -1):
        (start, end), comment = lines[number - 1], comments[number - 1]
        before = text[start : end if comment is None else comment]
        if before.strip():
            about = number
        elif comment is None:
            about = 0  # a blank line: comments above it are not about a line below
        if comment is not None and (remark := _REMARK.match(text, comment, end)):
            yield Remark(document.path, number, comment - start + 1, remark[1].strip(), about)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line_break in _BREAK.finditer(text):
        yield start, line_break.start()
        start = line_break.end()
    yield start, len(text)


def _comment(text: str, start: int, end: int, in_scalar: Callable[[int], bool]) -> int | None:
    """Return the start of a line's comment: the first ``#`` after a space that is not part of a scalar."""
    at = text.find("#", start, end)
    while at >= 0:
        if (at == start or text[at - 1] in " \t") and not in_scalar(at):
            return at
        at = text.find("#", at + 1, end)
    return None


def _spans(text: str, mark: Mark) -> Iterator[tuple[int, int]]:
    """Yield the offsets that scalars cover, without the line on which a block scalar is announced."""
    if mark.style in ("|", ">"):
        header = _BREAK.search(text, mark.start, mark.end)
        yield header.end() if header else mark.end, mark.end
    elif not mark.children and mark.style not in ("{", "["):
        yield mark.start, mark.end
    for key in mark.keys.values():
        yield key.start, key.end
    for child in mark.children.values():
        yield from _spans(text, child)
