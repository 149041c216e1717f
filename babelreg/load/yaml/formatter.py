"""Formatter of registry files: order of keys, indent, quotes, blank lines. Values and comments stay.

Two spaces a level, lists too. Text is plain where every YAML reader takes it for text, else in double quotes, or in
single ones where double ones would need a backslash; block scalars stay what they are. Brackets stay where what they
hold fits on the line, else it goes on lines of its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter

from babelreg.errors import InputError
from babelreg.load.files.defect import Defect
from babelreg.load.yaml import parser
from babelreg.load.yaml.comment_tree import (
    BLANK,
    CommentedMember,
    CommentedValue,
    Outline,
    outline,
)
from babelreg.load.yaml.key_order import below, role_named
from babelreg.load.yaml.scalar_format import lines_of, word

WIDTH = 120
_ANY_WIDTH = 1 << 20
_REMARK = "babelreg:"
_FOREIGN_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class LayoutError(InputError):
    """A text that cannot be formatted without changing its value. ``line`` and ``column`` count from 1."""

    def __init__(self, message: str, line: int = 0, column: int = 0, *, fix: str | None = None) -> None:
        super().__init__(message, fix=fix)
        self.line = line
        self.column = column


def formatted(text: str, role: str = "any") -> str:
    """Return ``text``, which ``yaml.read`` accepts, formatted as a file of ``role`` (see ``key_order``).

    Raises LayoutError where that would change a value or lose a comment.
    """
    foreign = _FOREIGN_BREAK.search(text)
    if foreign:
        line = text.count("\n", 0, foreign.start()) + 1
        column = foreign.start() - text.rfind("\n", 0, foreign.start())
        message = f"only some YAML readers treat U+{ord(foreign[0]):04X} for the end of a line"
        raise LayoutError(message, line, column, fix='end the line with a line feed, or write the character as "\\u…"')
    windows = text.count("\r\n") * 2 > text.count("\n")
    text = text.replace("\r\n", "\n")
    plan = outline(text)
    if plan.directives:
        raise LayoutError("the lines that start with % would be lost", 1, 1, fix="remove them: nothing here needs them")
    comments = Counter(plan.comments())
    laid = _Writer().document(plan, role)
    if laid != text:
        _check(text, laid, comments)
    return laid.replace("\n", "\r\n") if windows else laid


def _check(text: str, laid: str, comments: Counter[str]) -> None:
    try:
        same = (
            _canonical(parser.read(laid)) == _canonical(parser.read(text))
            and Counter(outline(laid).comments()) == comments
        )
    except Defect:
        same = False
    if not same:
        raise LayoutError("formatting this file would change its meaning", fix="write it in a simpler way")


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.keeps_blanks = False  # the last line ends a block scalar that would include every blank line below
        # By the id of the node, which lives as long as the outline, and the width to keep to.
        self.flat: dict[tuple[int, int], str | None] = {}
        self.lifted: set[int] = set()  # the ids of entries whose comments are above the dash of another

    def document(self, plan: Outline, role: str) -> str:
        root = plan.root
        first = root.value.entries[0].lead if not root.value.flow and root.value.entries else []
        header, first[:] = _header(first)
        _arrange(root, role)
        self.comments(root.lead, 0)
        if plan.marked:
            self.put("---")
        self.comments(header, 0)
        if root.value.kind == "scalar" and not root.value.raw:
            pass  # a file of comments, or of nothing
        elif root.value.kind == "scalar" or self.one_line(root.value, 0) is not None:
            self.value("", root, 0)
        else:
            self.comments(root.trail, 0)
            self.block(root.value, 0)
        self.comments(plan.tail, 0)
        while self.lines and self.lines[-1] == BLANK and not self.keeps_blanks:
            self.lines.pop()
        return "".join(f"{line}\n" for line in self.lines)

    def put(self, line: str) -> None:
        self.lines.append(line)
        self.keeps_blanks = False

    def comments(self, lead: list[str], indent: int) -> None:
        for text in lead:
            if text:
                self.put(" " * indent + text)
            elif self.lines and self.lines[-1] not in (BLANK, "---") and not self.keeps_blanks:
                self.put(BLANK)

    def block(self, node: CommentedValue, indent: int) -> None:
        """Add the members of ``node``, each on lines of its own."""
        for entry in node.entries:
            if entry.key is not None:
                self.comments(entry.lead, indent)
                self.value(" " * indent + word(entry.key, as_key=True) + ":", entry, indent)
            else:
                self.comments(entry.lead + self.hoisted(entry, indent + 2), indent)
                self.value(" " * indent + "-", entry, indent)
        self.comments(node.feet, indent)

    def hoisted(self, entry: CommentedMember, column: int) -> list[str]:
        """Return the comments between a dash and its value: they move above the dash."""
        result: list[str] = []
        if id(entry) in self.lifted:
            return result
        while entry.key is None and not entry.trail and self.one_line(entry.value, column, _widest(entry)) is None:
            if not entry.value.entries:
                break
            entry, column = entry.value.entries[0], column + 2
            self.lifted.add(id(entry))
            result += entry.lead
            entry.lead = []
        return result

    def value(self, prefix: str, entry: CommentedMember, indent: int) -> None:
        """Add ``prefix``, which ends in the key or dash, and the value of ``entry`` after or below it."""
        node = entry.value
        trail = f"  {entry.trail[-1]}" if entry.trail else ""
        if node.kind == "scalar":
            self.scalar(prefix, node, indent, trail)
            return
        flat = self.one_line(node, len(prefix) + 1 if prefix else 0, _widest(entry))
        if flat is not None:
            self.put(f"{prefix and prefix + ' '}{flat}{trail}")
        elif entry.key is None and not trail:
            at = len(self.lines)
            self.block(node, indent + 2)
            self.lines[at] = f"{prefix} {self.lines[at][indent + 2 :]}"
        else:
            self.put(prefix + trail)
            self.block(node, indent + 2)

    def scalar(self, prefix: str, node: CommentedValue, indent: int, trail: str) -> None:
        lines = lines_of(node, indent)
        keeps_blanks = node.style in ("|", ">") and "+" in lines[0].partition("#")[0]
        if node.style in ("|", ">") and trail and "#" not in lines[0]:
            lines[0], trail = lines[0] + trail, ""
        lead = prefix and f"{prefix} "
        wide = len(lines) > 1 or len(lead) + len(lines[0]) > WIDTH
        if node.apart and wide and node.style not in ("|", ">"):
            self.put(prefix)
            lead = " " * (indent + 2)
        first, *rest = lines
        for line in [(lead + first).rstrip(" ") if not first else lead + first, *rest]:
            self.put(line)
        self.lines[-1] += trail
        self.keeps_blanks = keeps_blanks

    def one_line(self, node: CommentedValue, column: int, width: int = WIDTH) -> str | None:
        """Return a list or mapping in brackets, if it is written so and fits on the line from ``column`` on."""
        if not node.entries:
            return "{}" if node.kind == "mapping" else "[]"
        if not node.flow:
            return None
        text = self.bracketed(node, width)
        return text if text is not None and column + len(text) <= width else None

    def bracketed(self, node: CommentedValue, width: int) -> str | None:
        if (id(node), width) not in self.flat:
            self.flat[id(node), width] = self._bracketed(node, width)
        return self.flat[id(node), width]

    def _bracketed(self, node: CommentedValue, width: int) -> str | None:
        parts, length = [], 2
        for entry in node.entries:
            if any(entry.lead) or entry.trail:
                return None
            key = "" if entry.key is None else f"{word(entry.key, as_key=True)}: "
            value = _inline(entry.value) if entry.value.kind == "scalar" else self.bracketed(entry.value, width)
            length += len(key) + len(value or "") + 2
            if value is None or length - 2 > width:
                return None
            parts.append(key + value)
        inside = ", ".join(parts)
        return None if any(node.feet) else f"{{{inside}}}" if node.kind == "mapping" else f"[{inside}]"


def _widest(entry: CommentedMember) -> int:
    """Return the widest line allowed. A remark for babelreg is about its line, which is therefore not split."""
    remarks = [*entry.trail, *entry.lead[-1:]]
    return _ANY_WIDTH if any(_REMARK in text for text in remarks) else WIDTH


def _inline(node: CommentedValue) -> str | None:
    lines = lines_of(node, 0)
    if len(lines) > 1 or node.style in ("|", ">"):
        return None
    return lines[0] or "null"


def _arrange(root: CommentedMember, role: str) -> None:
    """Put the keys of every mapping in order, and the comments of empty brackets where there is room for them."""
    waiting = [(root, role)]
    while waiting:
        entry, role = waiting.pop()
        node = entry.value
        if not node.entries:
            entry.lead += node.feet
            node.feet = []
        if node.kind == "mapping":
            order = role_named(role)
            node.entries.sort(key=lambda e: order.rank(e.key.value if e.key else ""))
        for member in node.entries:
            waiting.append((member, role if member.key is None else below(role, member.key.value)))


def _header(lead: list[str]) -> tuple[list[str], list[str]]:
    """Return the comments that stay at the top of a file, and those that belong to its first key.

    These are the comments below a blank line, and a remark for babelreg, which is about the line below it.
    """
    start = next((i for i, text in enumerate(lead) if text), 0)
    blank = max((i for i, text in enumerate(lead) if not text and i > start), default=len(lead))
    if blank == len(lead) and lead and _REMARK in lead[-1]:
        blank -= 2
    return lead[start : blank + 1], lead[blank + 1 :]
