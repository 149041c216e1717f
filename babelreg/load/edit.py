"""Changes to YAML text at positions: comments, quotes and every untouched byte survive.

Each edit is a function from text to text. It looks up where the value stands, replaces just those characters, reads
the result again and compares it with what was meant; an edit that would have changed anything else raises EditError and
nothing is lost.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from babelreg.errors import BabelregError
from babelreg.load import yaml
from babelreg.load.defect import Defect
from babelreg.schema import pointer as pointers
from babelreg.schema.pointer import Pointer

__all__ = ["EditError", "insert", "remove", "rename_key", "replace", "spell"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./+@-]*(?::[A-Za-z0-9_./+@-]+)*(?: [A-Za-z0-9_./+@-]+)*\Z")
_AMBIGUOUS = re.compile(r"(?:y|n|yes|no|on|off|true|false|null|nan|inf)\Z", re.IGNORECASE)
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class EditError(BabelregError):
    """An edit that cannot be made without touching something else."""


def replace(text: str, pointer: Pointer, value: Any) -> str:
    """``text`` with the value at ``pointer`` replaced.

    Raises EditError when nothing stands there.
    """
    document = _read(text)
    _there(document, pointer)
    mark = _mark(text, pointer)
    end = mark.start + len(text[mark.start : mark.end].rstrip())
    before, spelled = text[: mark.start], spell(value)
    if mark.start == end:
        # `key:` with nothing behind it.
        spelled = spelled if not before or before[-1].isspace() else " " + spelled
    elif not mark.style and mark.children:
        # A block collection starts on its own line; what replaces it fits on the line of its key.
        key = before.rstrip()
        before = key + " " if key.endswith((":", "-")) else before
    return _checked(before + spelled + text[end:], _with(document, pointer, value))


def insert(text: str, pointer: Pointer, value: Any, *, after: str | None = None, block: bool = False) -> str:
    """``text`` with a new member of a mapping: ``pointer`` names mapping and key.

    It is put behind the member ``after``, else at the end. ``block`` writes a list or mapping over several lines.
    Raises EditError when the key is there already, or its parent is no mapping.
    """
    document = _read(text)
    parent, key = pointer[:-1], str(pointer[-1])
    mapping = {} if document is None and not parent else _there(document, parent)
    if not isinstance(mapping, dict):
        raise EditError(f"what stands at '{pointers.text(parent)}' is no mapping")
    if key in mapping:
        raise EditError(f"the key '{key}' is there already")
    wanted = _with_member(document, parent, key, value, after)
    if not mapping:
        if not parent:
            return _checked(_ended(text) + f"{spell(key)}: {spell(value)}\n", wanted)
        return replace(text, parent, {key: value})
    mark = _mark(text, parent)
    neighbour = mark.children[after if after is not None and after in mapping else next(reversed(mapping))]
    if mark.style == "{":
        at = _value_end(text, neighbour)
        return _checked(f"{text[:at]}, {spell(key)}: {spell(value)}{text[at:]}", wanted)
    indent = " " * (min(mark.keys[k].column for k in mapping) - 1)
    at = _line_end(text, _value_end(text, neighbour))
    spelled = _block(value, indent + "  ") if block and isinstance(value, dict | list) and value else " " + spell(value)
    return _checked(f"{text[:at]}{_newline(text)}{indent}{spell(key)}:{spelled}{text[at:]}", wanted)


def remove(text: str, pointer: Pointer) -> str:
    """``text`` without the member or item at ``pointer``, and without the comment on its line.

    Raises EditError when nothing stands there.
    """
    document = _read(text)
    _there(document, pointer)
    if not pointer:
        raise EditError("a file without any value is no file of the registry", fix="remove the file")
    wanted = _without(document, pointer)
    parent = _mark(text, pointer[:-1])
    siblings = list(parent.children)
    if len(siblings) == 1:
        return replace(text, pointer[:-1], [] if isinstance(_there(document, pointer[:-1]), list) else {})
    mark = parent.children[pointer[-1]]
    start = parent.keys[str(pointer[-1])].start if parent.keys else mark.start
    end = _value_end(text, mark)
    if parent.style:
        return _checked(_without_comma(text, start, end, last=siblings[-1] == pointer[-1]), wanted)
    line_start = text.rfind("\n", 0, start) + 1
    if text[line_start:start].strip(" -"):
        raise EditError("this member shares its line with others", fix="edit it by hand")
    lead = text[line_start:start]
    if "-" in lead and parent.keys:
        # The first member of a mapping that is an item: the dash stays, the next member moves up to it.
        following = parent.keys[str(siblings[1])].start
        return _checked(text[:start] + text[following:], wanted)
    line_end = min(_line_end(text, end) + len(_newline(text)), len(text))
    return _checked(text[:line_start] + text[line_end:], wanted)


def rename_key(text: str, pointer: Pointer, key: str) -> str:
    """``text`` with the key at ``pointer`` spelled ``key``; its value and its place stay."""
    document = _read(text)
    _there(document, pointer)
    mapping = _there(document, pointer[:-1]) if pointer else None
    if not isinstance(mapping, dict):
        raise EditError(f"what stands at '{pointers.text(pointer)}' has no key")
    if key in mapping:
        raise EditError(f"the key '{key}' is there already")
    mark = _mark(text, pointer[:-1]).keys[str(pointer[-1])]
    renamed = {key if k == pointer[-1] else k: v for k, v in mapping.items()}
    wanted = _with(document, pointer[:-1], renamed)
    return _checked(text[: mark.start] + spell(key) + text[mark.end :], wanted)


def spell(value: Any) -> str:
    """``value`` as YAML on one line: text plain where every reader takes it for text, else in double quotes.

    Raises EditError where it nests deeper than :data:`yaml.MAX_DEPTH`.
    """
    return _spelled(value, 0)


def _spelled(value: Any, depth: int) -> str:
    if depth > yaml.MAX_DEPTH:
        raise EditError(f"the value nests deeper than {yaml.MAX_DEPTH} levels")
    if isinstance(value, str):
        if _PLAIN.match(value) and not _AMBIGUOUS.match(value):
            return value
        quoted = json.dumps(value, ensure_ascii=False)
        return _UNPRINTABLE.sub(lambda m: f"\\U{ord(m[0]):08x}", quoted)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_spelled(str(k), 0)}: {_spelled(v, depth + 1)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_spelled(item, depth + 1) for item in value) + "]"
    return json.dumps(value, allow_nan=False)


def _block(value: Any, indent: str) -> str:
    """A list or mapping below its key, one member a line."""
    if isinstance(value, dict):
        return "".join(f"\n{indent}{spell(str(k))}: {spell(v)}" for k, v in value.items())
    return "".join(f"\n{indent}- {spell(item)}" for item in value)


def _read(text: str) -> Any:
    try:
        return yaml.read(text)
    except Defect as defect:
        raise EditError(f"line {defect.line}: {defect.message}", fix="mend the file first") from defect


def _checked(text: str, wanted: Any) -> str:
    """``text``, if it says exactly ``wanted``, members in the same order."""
    try:
        said = yaml.read(text)
    except Defect:
        said = Ellipsis
    if json.dumps(said, default=repr) != json.dumps(wanted):
        raise EditError("this edit cannot be made in place", fix="edit the file by hand")
    return text


def _there(document: Any, pointer: Pointer) -> Any:
    try:
        return pointers.find(document, pointer)
    except KeyError as err:
        raise EditError(f"nothing stands at '{pointers.text(pointer)}'") from err


def _mark(text: str, pointer: Pointer) -> yaml.Mark:
    mark = yaml.marks(text)
    for step in pointer:
        mark = mark.children[step]
    return mark


def _with(document: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    changed = copy.deepcopy(document)
    pointers.find(changed, pointer[:-1])[pointer[-1]] = value
    return changed


def _with_member(document: Any, parent: Pointer, key: str, value: Any, after: str | None) -> Any:
    mapping = _there(document, parent) if document is not None else {}
    members = dict(mapping)
    if after in members:
        changed = {}
        for k, v in members.items():
            changed[k] = v
            if k == after:
                changed[key] = value
    else:
        changed = {**members, key: value}
    return _with(document, parent, changed)


def _without(document: Any, pointer: Pointer) -> Any:
    changed = copy.deepcopy(document)
    del pointers.find(changed, pointer[:-1])[pointer[-1]]
    return changed


def _without_comma(text: str, start: int, end: int, *, last: bool) -> str:
    if last:
        comma = text.rfind(",", 0, start)
        return text[:comma] + text[end:]
    comma = text.index(",", end)
    behind = comma + 1
    while behind < len(text) and text[behind] in " \t":
        behind += 1
    return text[:start] + text[behind:]


def _value_end(text: str, mark: yaml.Mark) -> int:
    return mark.start + len(text[mark.start : mark.end].rstrip())


def _line_end(text: str, at: int) -> int:
    """Where the line of offset ``at`` ends, before its line break."""
    end = text.find("\n", at)
    if end == -1:
        return len(text)
    return end - 1 if text[end - 1] == "\r" and end - 1 >= at else end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
