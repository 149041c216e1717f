"""Strict YAML: text in, plain JSON values out, with a position for every value.

The reading is that of JSON: a plain scalar is typed only as ``true``, ``false``, ``null``, ``~``, nothing at all, or
a JSON number; everything else (``no``, ``012``, ``2026-11-20``) is text, and so is every key.
Refused, with line and column: duplicate keys, tags, anchors, aliases, merge keys, a second document, nesting deeper
than :data:`MAX_DEPTH`, numbers nothing can hold.

Built on PyYAML's event stream, because ``yaml.load`` and ``yaml.compose`` end the process on 30 kB of brackets.
``read`` makes values only; ``marks`` reads the same text again with positions, when a finding is to be placed, and
``start`` as much of it as tells where the whole begins.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from babelreg.load.files.defect import Defect
from babelreg.load.files.merge_conflict import MARK, check_merged
from babelreg.load.yaml.surrogates import Restoring, has_surrogates
from babelreg.schema.values import number_as_written

MAX_DEPTH = 128
MAX_DIGITS = 400  # well beyond any double; CPython refuses to read more than 4,300 anyway

_SHORT = 24
_LIBRARY_TOO_DEEP = "exceeded maximum nesting depth"
_LOADER = getattr(yaml, "CLoader", yaml.Loader)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
_TYPED_STARTS = frozenset(["", *"-0123456789tfn~"])
"""The first characters of plain scalars that may be something else than text."""


class Mark:
    """Position of one value: offsets into the text, and line and column counted from 1.

    ``children`` are the marks of its items or members; ``keys`` those of a mapping's keys. ``style`` is the scalar's
    quote (``'``, ``"``, ``|``, ``>``), ``{`` or ``[`` for a flow collection, else empty.
    """

    __slots__ = ("children", "column", "end", "keys", "line", "start", "style")

    def __init__(
        self,
        start: int,
        end: int,
        line: int,
        column: int,
        style: str,
        children: dict[str | int, Mark],
        keys: dict[str, Mark],
    ) -> None:
        self.start = start
        self.end = end
        self.line = line
        self.column = column
        self.style = style
        self.children = children
        self.keys = keys


def scalar(text: str, event: Any = None) -> Any:
    """Return the JSON value of a plain scalar. Raises Defect at ``event`` for a number that nothing can hold."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    first = text[0]
    if first not in "-0123456789":
        return text
    number = _NUMBER.match(text)
    if not number:
        return text
    if len(text) > MAX_DIGITS:
        raise _defect(event, "yaml-number", f"a number of {len(text)} digits", fix="quote it if it is text")
    if number[1] is None and number[2] is None:
        return int(text)
    try:
        value = number_as_written(text)
    except ValueError as err:
        fix = f"write {float(text)!r}, or quote it if it is text"
        raise _defect(event, "yaml-number", str(err), fix=fix) from None
    if value in (float("inf"), float("-inf")):
        raise _defect(event, "yaml-number", f"{text} exceeds the range of a double", fix="quote it if it is text")
    return value


def _parser(text: str) -> Any:
    return Restoring(text, _LOADER) if has_surrogates(text) else _LOADER(text)


def events(text: str) -> Iterator[Any]:
    """Yield the events of the parser for a text that :func:`read` accepts."""
    next_event = _parser(text).get_event
    while (event := next_event()) is not None:
        yield event


def read(text: str) -> Any:
    """Return the value of one YAML document; None for an empty one.

    Raises Defect with line and column.
    """
    if MARK in text:
        check_merged(text)
    try:
        return _value(_parser(text))
    except yaml.MarkedYAMLError as err:
        if err.problem == _LIBRARY_TOO_DEEP and err.problem_mark:
            # From 6.0.4 on PyYAML refuses 1,001 levels while it looks ahead, before the event of our own limit.
            _value(_parser(text[: err.problem_mark.index]))
        raise _syntax(err, text) from err
    except yaml.reader.ReaderError as err:
        raise _unreadable(err, text) from err
    except yaml.YAMLError as err:
        raise Defect("yaml-syntax", f"not YAML: {err}", 1, 1) from err


def _value(loader: Any) -> Any:
    # One loop over the parser's events and no generator between: this is what reading a registry costs.
    # The same few words stand in every file: kept once each, a large registry takes half the memory.
    next_event, same = loader.get_event, sys.intern
    stack: list[Any] = []  # the open collections
    container: Any = None  # the innermost of them
    is_mapping = key_is_due = False
    key: Any = None  # the one in ``container`` that waits for its value
    root: Any = None
    documents = 0
    while (event := next_event()) is not None:
        kind = type(event)
        if kind is ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                raise _feature(event)
            value = event.value
            if key_is_due:
                if value in container or value == "<<":
                    _check_key(event, container)
                key = same(value)
                key_is_due = False
                continue
            if event.implicit[0] and value[:1] in _TYPED_STARTS:
                value = scalar(value, event)
            elif len(value) < _SHORT:
                value = same(value)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            _check_start(event, len(stack), as_key=key_is_due)
            value = {} if kind is MappingStartEvent else []
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            stack.pop()
            container = stack[-1] if stack else None
            is_mapping = key_is_due = type(container) is dict
            continue
        else:
            documents = _between(event, documents)
            continue
        if is_mapping:
            container[key] = value
            key_is_due = True
        elif container is None:
            root = value
        else:
            container.append(value)
        if kind is not ScalarEvent:
            stack.append(value)
            container = value
            is_mapping = key_is_due = kind is MappingStartEvent
    return root


def _check_start(event: Any, depth: int, *, as_key: bool) -> None:
    if event.anchor is not None or event.tag is not None:
        raise _feature(event)
    if as_key:
        raise _defect(event, "yaml-syntax", "a key must be plain text", fix="quote the key")
    if depth >= MAX_DEPTH:
        fix = "move the inner part into a fragment below _common/ and refer to it by $ref"
        raise _defect(event, "yaml-too-deep", f"nesting is deeper than {MAX_DEPTH} levels", fix=fix)


def _between(event: Any, documents: int) -> int:
    """Handle an event that is neither scalar nor collection; return the number of documents started."""
    if type(event) is AliasEvent:
        raise _feature(event)
    if type(event) is not DocumentStartEvent:
        return documents
    if documents:
        fix = "one file declares one thing: move what follows '---' into its own file"
        raise _defect(event, "yaml-syntax", "a second document starts here", fix=fix)
    return documents + 1


def start(text: str) -> tuple[int, int]:
    """Line and column where the value of a text begins that :func:`read` accepts; of an empty one, of its beginning."""
    next_event = _parser(text).get_event
    while (event := next_event()) is not None:
        if type(event) in _STARTS:
            return event.start_mark.line + 1, event.start_mark.column + 1
    return 1, 1


def marks(text: str) -> Mark:
    """Return the positions of every value of a text that :func:`read` accepts."""
    next_event = _parser(text).get_event
    stack: list[tuple[Mark, bool]] = []
    keys: list[str | None] = []
    root = Mark(0, len(text), 1, 1, "", {}, {})
    event: Any
    while (event := next_event()) is not None:
        kind = type(event)
        if kind is ScalarEvent:
            mark = _mark(event, event.style or "", _NOTHING, _NOTHING)
            if stack and stack[-1][1] and keys[-1] is None:
                keys[-1] = event.value
                stack[-1][0].keys[event.value] = mark
                continue
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            flow = ("{" if kind is MappingStartEvent else "[") if event.flow_style else ""
            stack.append((_mark(event, flow, {}, {}), kind is MappingStartEvent))
            keys.append(None)
            continue
        elif kind is not MappingEndEvent and kind is not SequenceEndEvent:
            continue
        else:
            mark, _ = stack.pop()
            keys.pop()
            # A block collection ends where the next token starts; its own end is that of its last child.
            last = max((child.end for child in mark.children.values()), default=mark.end)
            mark.end = event.end_mark.index if mark.style else last
        if not stack:
            root = mark
        else:
            parent, is_mapping = stack[-1]
            parent.children[keys[-1] if is_mapping and keys[-1] is not None else len(parent.children)] = mark
            keys[-1] = None
    return root


_STARTS = (ScalarEvent, MappingStartEvent, SequenceStartEvent)
_NOTHING: dict[Any, Mark] = {}  # below a scalar: one for all, and nobody writes to it


def _mark(event: Any, style: str, children: dict[str | int, Mark], keys: dict[str, Mark]) -> Mark:
    start = event.start_mark
    return Mark(start.index, event.end_mark.index, start.line + 1, start.column + 1, style, children, keys)


def _check_key(event: ScalarEvent, mapping: dict[str, Any]) -> None:
    """Raise Defect for a key that ``mapping`` has already, and for a merge key."""
    if event.value in mapping:
        fix = "keep one of the two"
        raise _defect(event, "yaml-duplicate-key", f"the key {event.value!r} occurs twice in this mapping", fix=fix)
    if event.value == "<<" and event.implicit[0]:
        raise _defect(
            event, "yaml-feature", "merge keys ('<<') are not supported", fix="write the keys out, or use a $ref"
        )


def _feature(event: Any) -> Defect:
    if isinstance(event, AliasEvent):
        fix = "write the value out here"
        return _defect(event, "yaml-feature", f"the alias '*{event.anchor}' is not supported", fix=fix)
    if event.anchor is not None:
        fix = f"remove '&{event.anchor}'"
        return _defect(event, "yaml-feature", f"the anchor '&{event.anchor}' is not supported", fix=fix)
    fix = f"remove '{event.tag}'; quote the value if it is text"
    return _defect(event, "yaml-feature", f"the tag '{event.tag}' is not supported", fix=fix)


def _defect(event: Any, rule: str, message: str, *, fix: str | None = None) -> Defect:
    mark = getattr(event, "start_mark", None)
    return Defect(rule, message, mark.line + 1 if mark else 1, mark.column + 1 if mark else 1, fix=fix)


_HINTS = (
    ("mapping values are not allowed", "quote the value if it contains ': ', or correct the indentation"),
    ("cannot start any token", "indent with spaces, not tabs; quote a value that starts with %, @ or a backquote"),
    ("did not find expected key", "compare the indentation with the line above; quote values that contain quotes"),
    ("did not find expected '-' indicator", "indent every '- ' of the list alike"),
    ("did not find expected ',' or", "close the bracket, add a comma, or quote text that contains brackets"),
    ("unexpected end of stream", "close the quote or bracket that was opened here"),
    ("could not find expected ':'", "write 'key: value', with a space after the colon"),
)


def _syntax(err: yaml.MarkedYAMLError, text: str) -> Defect:
    mark = err.problem_mark or err.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem = err.problem or err.context or "cannot be read"
    content = text.rstrip()
    if mark and mark.index >= len(content):
        # The end of the file helps nobody: say where the unfinished part began, else where the text ends.
        if err.context_mark and err.context_mark.index < len(content):
            line, column = err.context_mark.line + 1, err.context_mark.column + 1
            problem = f"{err.context}, which starts here: {problem}"
        else:
            line, column = content.count("\n") + 1, max(len(content) - content.rfind("\n") - 1, 1)
    fix = next((hint for sign, hint in _HINTS if sign in problem), None)
    lines = text.splitlines()
    if line <= len(lines) and "\t" in lines[line - 1][: max(column, 1)]:
        fix = "indent with spaces: YAML does not allow tabs there"
    return Defect("yaml-syntax", f"not YAML: {problem}", line, column, fix=fix)


def _unreadable(err: yaml.reader.ReaderError, text: str) -> Defect:
    character = err.character if isinstance(err.character, int) else ord(str(err.character)[:1] or "\0")
    offset = text.find(chr(character))
    before = text[: max(offset, 0)]
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    message = f"the character U+{character:04X} is not allowed in YAML"
    return Defect(
        "yaml-syntax", message, line, column, fix=f'remove it, or write it as an escape: "\\u{character:04x}"'
    )
