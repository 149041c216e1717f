"""Tree of a YAML text with its comments: keys, values as written, and each comment with its entry.

A comment above a key or an item belongs to it, one after a value to that value's line. A comment below the last member
of a list or mapping, and indented like it, belongs to its end. Blank lines are empty comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from babelreg.load.yaml import parser

BLANK = ""
_TOKENS = re.compile(r"#[^\n]*|\n|[^\s#]")


@dataclass(slots=True, eq=False)
class CommentedValue:
    """A value. ``raw`` is a scalar as written and ``style`` its quote or ``|`` or ``>``; ``flow`` is True for brackets.

    ``column`` is its column, from 0; for a block scalar, that of its key or dash. ``apart``: on a line below its
    key. ``feet`` are the comments at its end.
    """

    kind: str
    column: int
    flow: bool = False
    raw: str = ""
    value: str = ""
    style: str = ""
    apart: bool = False
    entries: list[CommentedMember] = field(default_factory=list)
    feet: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class CommentedMember:
    """A member or item, or, without a key, the whole document: the comments ``lead`` above it, ``trail`` after it."""

    key: CommentedValue | None
    value: CommentedValue
    lead: list[str] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Comment:
    """``own``: it has a line of its own. Without text it is a blank line."""

    text: str
    column: int
    own: bool


@dataclass(slots=True, eq=False)
class Outline:
    """A document. ``marked``: ``---`` opens it. ``tail`` are the comments below it. ``directives``: ``%`` lines."""

    root: CommentedMember
    marked: bool = False
    directives: bool = False
    tail: list[str] = field(default_factory=list)

    def comments(self) -> Iterator[str]:
        """Yield every comment, those of one entry together."""
        yield from filter(None, self.tail)
        waiting = [self.root]
        while waiting:
            entry = waiting.pop()
            node = entry.value
            yield from (text for text in (*entry.lead, *entry.trail, *node.feet) if text)
            if node.style in ("|", ">") and "#" in (header := node.raw.partition("\n")[0]):
                yield header[header.index("#") :].rstrip()
            waiting += node.entries


def outline(text: str) -> Outline:
    """Return the outline of a text that ``yaml.read`` accepts and whose lines end in LF."""
    return _Outliner(text).outlined()


class _Outliner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0  # all comments before it are assigned
        self.fresh = True  # the line of ``at`` is blank before it
        self.root = CommentedMember(None, CommentedValue("scalar", 0))
        self.outline = Outline(self.root)
        self.open: list[tuple[CommentedValue, CommentedMember]] = []  # collections, each with the entry that holds it
        self.closed: list[CommentedValue] = []  # block collections that ended since the last token
        self.key: CommentedValue | None = None
        self.pending: list[_Comment] = []  # before a collection, for its first entry
        self.last = self.root  # whose value ended last

    def outlined(self) -> Outline:
        for event in parser.events(self.text):
            if isinstance(event, ScalarEvent):
                self.scalar(event)
            elif isinstance(event, MappingStartEvent | SequenceStartEvent):
                self.start(event)
            elif isinstance(event, MappingEndEvent | SequenceEndEvent):
                self.end(event)
            elif isinstance(event, DocumentStartEvent) and event.explicit:
                self.outline.marked = True
                self.outline.directives = bool(event.version or event.tags)
                self.root.lead += [c.text for c in self.gap(event, event.end_mark)[0]]
            elif isinstance(event, StreamEndEvent):
                self.finish(event)
        return self.outline

    def scalar(self, event: Any) -> None:
        raw = self.text[event.start_mark.index : event.end_mark.index]
        node = CommentedValue("scalar", event.start_mark.column, raw=raw, value=event.value, style=event.style or "")
        if self.open and self.open[-1][0].kind == "mapping" and self.key is None:
            self.before_entry(self.gap(event, event.end_mark)[0], node.column)
            self.key = node
            return
        entry = self.placed(node, event, event.end_mark)
        entry.lead += [c.text for c in self.pending if c.text]
        self.pending.clear()
        self.last = entry
        if node.style in ("|", ">"):
            node.column = self.open[-1][0].column if self.open else 0
            self.after_block(node)

    def after_block(self, node: CommentedValue) -> None:
        """Blank lines below a block scalar that are not part of its value."""
        if "+" not in node.raw.partition("\n")[0].partition("#")[0] and node.raw.endswith("\n\n"):
            self.pending.append(_Comment(BLANK, 0, True))

    def start(self, event: Any) -> None:
        flow = bool(event.flow_style)
        kind = "mapping" if isinstance(event, MappingStartEvent) else "sequence"
        node = CommentedValue(kind, event.start_mark.column, flow=flow)
        entry = self.placed(node, event, event.end_mark if flow else event.start_mark)
        if flow:
            entry.lead += [c.text for c in self.pending if c.text]
            self.pending.clear()
        self.open.append((node, entry))
        self.last = entry

    def end(self, event: Any) -> None:
        node, entry = self.open.pop()
        if node.flow:
            comments, _ = self.gap(event, event.end_mark)
            node.feet += [c.text for c in self.trailing([*self.pending, *comments])]
            self.pending.clear()
            self.last = entry
        else:
            self.closed.append(node)

    def finish(self, event: Any) -> None:
        comments = [*self.pending, *self.gap(event, event.end_mark)[0]]
        self.outline.tail = [c.text for c in self.feet(self.trailing(comments), -1)]

    def placed(self, node: CommentedValue, event: Any, end: Any) -> CommentedMember:
        """Return the entry whose value is ``node``, with the comments around its key or dash."""
        if not self.open:
            self.root.value = node
            comments, _ = self.gap(event, end)
            self.pending += comments
            return self.root
        parent, _ = self.open[-1]
        if parent.kind == "mapping":
            assert self.key is not None
            entry, self.key = CommentedMember(self.key, node, [c.text for c in self.pending]), None
            self.pending.clear()
            line = self.at
            after, _ = self.gap(event, end)
            node.apart = "\n" in self.text[line : event.start_mark.index]
        else:
            before, after = self.gap(event, end, dash=not parent.flow)
            self.before_entry(before, parent.column)
            entry = CommentedMember(None, node, [c.text for c in self.pending])
            self.pending.clear()
        for comment in after:
            if not comment.own and not entry.trail:
                entry.trail.append(comment.text)
            else:
                self.pending.append(comment)
        parent.entries.append(entry)
        return entry

    def before_entry(self, comments: list[_Comment], column: int) -> None:
        """Leave in ``pending`` the comments that belong to the entry that begins at ``column``."""
        parent, _ = self.open[-1]
        comments = [*self.pending, *comments]
        if parent.entries or parent.flow:
            comments = self.feet(self.trailing(comments), column)
        self.pending = comments

    def trailing(self, comments: list[_Comment]) -> list[_Comment]:
        """Return ``comments`` without the one on the line of the value that ended last."""
        for index, comment in enumerate(comments):
            if comment.own:
                continue
            if not self.last.trail:
                self.last.trail.append(comment.text)
            else:
                self.last.lead.append(comment.text)
            return comments[:index] + comments[index + 1 :]
        return comments

    def feet(self, comments: list[_Comment], column: int) -> list[_Comment]:
        """Return ``comments`` without those at the end of a collection that was closed, which are indented deeper."""
        closed, self.closed = self.closed, []
        assigned = 0
        for index, comment in enumerate(comments):
            if not comment.text:
                continue
            within = [node for node in closed if node.column <= comment.column]
            if comment.column <= column or not within:
                break
            closed = closed[closed.index(within[0]) :]  # what is less deep from here on stays so
            within[0].feet += [c.text for c in comments[assigned : index + 1]]
            assigned = index + 1
        return comments[assigned:]

    def gap(self, event: Any, end: Any, *, dash: bool = False) -> tuple[list[_Comment], list[_Comment]]:
        """Return the comments before ``event``, with ``dash`` also those after its dash, and the offset after them."""
        stop = max(event.start_mark.index, self.at)
        before: list[_Comment] = []
        after: list[_Comment] = []
        target = before
        for comment in self.comments(stop):
            if comment is None:
                target = after if dash else before
            else:
                target.append(comment)
        self.at = max(end.index, stop)
        self.fresh = end.column == 0
        return before, after

    def comments(self, stop: int) -> Iterator[_Comment | None]:
        """Yield the comments and blank lines from ``at`` to ``stop``; None for each dash."""
        fresh, line = self.fresh, self.at
        for token in _TOKENS.finditer(self.text, self.at, stop):
            token_text = token[0]
            if token_text == "\n":
                if fresh:
                    yield _Comment(BLANK, 0, True)
                fresh, line = True, token.end()
            elif token_text[0] == "#":
                yield _Comment(token_text.rstrip(), token.start() - line, fresh)
                fresh = False
            else:
                if token_text == "-":
                    yield None
                fresh = False
