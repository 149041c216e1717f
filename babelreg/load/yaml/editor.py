"""Several edits of one YAML text, which is parsed once: characters are replaced in place, everything else stays.

Every edit speaks of the text as it was, so edits may be given in any order. Those that touch the same characters as an
earlier one are not taken; whoever wants them reads the new text and asks again.
"""

from __future__ import annotations

import copy
import json
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from babelreg.load.files.defect import Defect
from babelreg.load.yaml import parser
from babelreg.load.yaml.emitter import EditError, block, spell
from babelreg.model import Edit
from babelreg.schema import pointer as pointers
from babelreg.schema.pointer import Pointer

_GONE = object()
Neighbour = Callable[[Pointer, Sequence[str]], str | None]


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Replacement of the characters from ``start`` to ``end`` by ``text``."""

    start: int
    end: int
    text: str


class Draft:
    """``text`` and the edits accepted so far. ``neighbour`` names the key after which a new one goes, if any."""

    def __init__(self, text: str, neighbour: Neighbour = lambda pointer, keys: None) -> None:
        """Raises EditError when ``text`` is not strict YAML."""
        self.text = text
        self.neighbour = neighbour
        try:
            self.value = parser.read(text)
        except Defect as defect:
            raise EditError(f"line {defect.line}: {defect.message}", fix="correct the file first") from defect
        self._taken: list[Edit] = []
        self._splices: list[Splice] = []
        self._before: dict[int, dict[str | int, parser.Mark]] = {}  # the members before others, by id of their parent

    @cached_property
    def _marks(self) -> parser.Mark:
        return parser.marks(self.text)

    def plan(self, edits: Iterable[Edit]) -> list[Splice]:
        """Return the splices that ``edits`` would make.

        Raises EditError where one cannot be made.
        """
        return [self._plan(edit) for edit in edits]

    def fits(self, splices: Iterable[Splice]) -> bool:
        """Return True when ``splices`` overlap neither accepted splices nor each other."""
        new: list[Splice] = []
        return not any(_meets(self._splices, s) or _meets(new, s) or insort(new, s) for s in splices)

    def take(self, edits: Iterable[Edit], splices: Iterable[Splice]) -> None:
        """Accept ``edits``, whose ``splices`` fit."""
        self._taken.extend(edits)
        for splice in splices:
            insort(self._splices, splice)

    def clear(self) -> None:
        """Forget the accepted edits."""
        self._taken.clear()
        self._splices.clear()

    def result(self) -> str:
        """Return the new text.

        Raises EditError when it would not say what was meant.
        """
        parts, at = [], 0
        for splice in self._splices:
            parts += [self.text[at : splice.start], splice.text]
            at = splice.end
        return checked("".join([*parts, self.text[at:]]), self._wanted())

    def there(self, pointer: Pointer) -> Any:
        """Return the value at ``pointer``.

        Raises EditError when there is none.
        """
        try:
            return pointers.find(self.value, pointer)
        except KeyError as err:
            raise EditError(f"there is no value at '{pointers.text(pointer)}'") from err

    def _mark(self, pointer: Pointer) -> parser.Mark:
        mark = self._marks
        for step in pointer:
            mark = mark.children[step if step in mark.children else int(step)]
        return mark

    def _plan(self, edit: Edit) -> Splice:
        if edit.kind == "replace":
            return self.replacing(edit.pointer, edit.value)
        if edit.kind == "insert":
            return self.inserting(edit.pointer, edit.value, self._after(edit))
        return self.removing(edit.pointer)

    def _after(self, edit: Edit) -> str | None:
        mapping = self.there(edit.pointer[:-1])
        return self.neighbour(edit.pointer, list(mapping)) if isinstance(mapping, dict) else None

    def replacing(self, pointer: Pointer, value: Any) -> Splice:
        self.there(pointer)
        text, mark = self.text, self._mark(pointer)
        start, end, spelled = mark.start, _value_end(text, mark), spell(value)
        if start == end:
            # `key:` without a value.
            spelled = spelled if not start or text[start - 1].isspace() else " " + spelled
        elif not mark.style and mark.children:
            # A block collection starts on its own line; what replaces it fits on the line of its key.
            key = text[:start].rstrip()
            if key.endswith((":", "-")):
                start, spelled = len(key), " " + spelled
        return Splice(start, end, spelled)

    def inserting(self, pointer: Pointer, value: Any, after: str | None, *, as_block: bool = False) -> Splice:
        """See ``Edit``. After the member ``after``, else at the end; ``as_block`` writes it over several lines."""
        text, parent, key = self.text, pointer[:-1], str(pointer[-1])
        mapping = {} if self.value is None and not parent else self.there(parent)
        if not isinstance(mapping, dict):
            raise EditError(f"'{pointers.text(parent)}' is not a mapping")
        if key in mapping:
            raise EditError(f"the key '{key}' already exists")
        if not mapping:
            if parent:
                return self.replacing(parent, {key: value})
            lead = "" if not text or text.endswith("\n") else "\n"
            return Splice(len(text), len(text), f"{lead}{spell(key)}: {spell(value)}\n")
        mark = self._mark(parent)
        neighbour = mark.children[after if after is not None and after in mapping else next(reversed(mapping))]
        at = _value_end(text, neighbour)
        if mark.style == "{":
            return Splice(at, at, f", {spell(key)}: {spell(value)}")
        first = next(iter(mark.keys.values()))  # the keys of a block mapping are in one column
        indent, at = " " * (first.column - 1), _line_end(text, at)
        is_block = as_block and isinstance(value, dict | list) and value
        spelled = block(value, indent + "  ") if is_block else " " + spell(value)
        return Splice(at, at, f"{_newline(text)}{indent}{spell(key)}:{spelled}")

    def removing(self, pointer: Pointer) -> Splice:
        """See ``Edit``. The comment on its line goes too."""
        text = self.text
        self.there(pointer)
        if not pointer:
            raise EditError("a file without any value is not a registry file", fix="remove the file")
        parent, mark = self._mark(pointer[:-1]), self._mark(pointer)
        if len(parent.children) == 1:
            return self.replacing(pointer[:-1], [] if isinstance(self.there(pointer[:-1]), list) else {})
        start = parent.keys[str(pointer[-1])].start if parent.keys else mark.start
        end = _value_end(text, mark)
        if parent.style:
            return self._without_comma(parent, pointer[-1], start, end)
        line_start = text.rfind("\n", 0, start) + 1
        lead = text[line_start:start]
        if lead.strip(" -"):
            raise EditError("this member shares its line with others", fix="edit it by hand")
        if "-" in lead and parent.keys:
            # The first member of a mapping that is an item: the dash stays, the next member moves up to it.
            following = list(parent.keys.values())[1]
            return Splice(start, following.start, "")
        return Splice(line_start, min(_line_end(text, end) + len(_newline(text)), len(text)), "")

    def _without_comma(self, parent: parser.Mark, step: str | int, start: int, end: int) -> Splice:
        """Include the comma before it, for the first the one after it, so that neighbours can be removed together."""
        if id(parent) not in self._before:
            self._before[id(parent)] = dict(
                zip(islice(parent.children, 1, None), parent.children.values(), strict=False)
            )
        before = self._before[id(parent)].get(step)
        if before is not None and "#" not in self.text[before.end : start]:
            return Splice(_value_end(self.text, before), end, "")
        if step == next(reversed(parent.children)):
            return Splice(self.text.rfind(",", 0, start), end, "")
        behind = self.text.index(",", end) + 1
        while behind < len(self.text) and self.text[behind] in " \t":
            behind += 1
        return Splice(start, behind, "")

    def _wanted(self) -> Any:
        """Return the value that the new text must have."""
        root = [copy.deepcopy(self.value)]  # so that the root, too, is a member of something
        changes: dict[int, _Change] = {}
        for edit in self._taken:
            path: Pointer = (0, *edit.pointer)
            holder = pointers.find(root, path[:-1])
            if holder is None and len(path) == 2:  # an empty file
                holder = root[0] = {}
            step = int(path[-1]) if isinstance(holder, list) else str(path[-1])
            if edit.kind == "replace":
                holder[step] = edit.value
            elif edit.kind == "remove":
                holder[step] = _GONE
                changes.setdefault(id(holder), _Change(holder))
            else:
                change = changes.setdefault(id(holder), _Change(holder))
                change.inserted.append((step, edit.value, self._after(edit)))
        for change in changes.values():
            change.settle()
        return root[0]


class _Change:
    """Edits of one list or mapping, collected."""

    def __init__(self, holder: Any) -> None:
        self.holder = holder
        self.inserted: list[tuple[Any, Any, str | None]] = []

    def settle(self) -> None:
        if isinstance(self.holder, list):
            self.holder[:] = [item for item in self.holder if item is not _GONE]
            return
        members = dict(self.holder)
        behind: dict[str | None, list[tuple[Any, Any]]] = {}
        for key, value, after in self.inserted:
            behind.setdefault(after if after in members else None, []).append((key, value))
        self.holder.clear()
        for key, value in members.items():
            if value is not _GONE:
                self.holder[key] = value
            self.holder.update(behind.get(key, ()))
        self.holder.update(behind.get(None, ()))


def checked(text: str, wanted: Any) -> str:
    """Return ``text`` if its value is exactly ``wanted``, with members in the same order.

    Raises EditError else.
    """
    try:
        value_read = parser.read(text)
    except Defect:
        value_read = Ellipsis
    if json.dumps(value_read, default=repr) != json.dumps(wanted):
        raise EditError("this edit cannot be made in place", fix="edit the file by hand")
    return text


def _meets(splices: list[Splice], new: Splice) -> bool:
    """Return True when ``new`` overlaps one of ``splices``, which are sorted, or starts where it does."""
    at = bisect_left(splices, new)
    adjacent = splices[max(at - 1, 0) : at + 1]
    return any((s.start < new.end and new.start < s.end) or s.start == new.start for s in adjacent)


def _value_end(text: str, mark: parser.Mark) -> int:
    return mark.start + len(text[mark.start : mark.end].rstrip())


def _line_end(text: str, at: int) -> int:
    """Return the end of the line of offset ``at``, before its line break."""
    end = text.find("\n", at)
    if end == -1:
        return len(text)
    return end - 1 if text[end - 1] == "\r" and end - 1 >= at else end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
