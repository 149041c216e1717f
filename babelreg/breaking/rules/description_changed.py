"""The description of a field of an active message changed.

No validator notices it and no reader fails. If the text changed because the meaning did, this is a hidden break: the
same number counts something else. If it only became clearer, nothing needs to be done; hence an info.

Bad::

    # before
    data:
      type: object
      properties:
        qty: {type: integer, description: Boxes.}
    # after
    data:
      type: object
      properties:
        qty: {type: integer, description: Single items.}

Good::

    # before
    data:
      type: object
      properties:
        qty: {type: integer, description: Boxes.}
    # after
    data:
      type: object
      properties:
        qty: {type: integer, description: Boxes.}
        items_qty: {type: integer, description: Single items.}

Fix::

    Compare the two texts. If they mean the same, do nothing. Otherwise keep the field as it was and add another one, or
    mint the next version.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import commonprefix

from babelreg.breaking.changes.abbreviation import short
from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.containment.fields import DeclaredProperty
from babelreg.finding import Severity
from babelreg.schema.pointer import Pointer

severity = Severity.INFO
_WORDS = "description"
_SHOWN = 76
_BESIDE = 20
"""Number of equal characters shown before the first difference."""


def check(pair: Pair) -> Iterator[Change]:
    if not pair.data_changed or pair.old.status != "active":
        return
    for path, new in pair.new_fields.items():
        old = pair.old_fields.get(path)
        before, after = (old.keyword_value(_WORDS) if old else None), new.keyword_value(_WORDS)
        if old and isinstance(before, str) and before.strip() and _read(before) != _read(after):
            same = _same(_read(before), _read(after))
            message = f"the description of '{path}' changed from {_shown(before, same)}{_to(after, same)}"
            keep = "check that the meaning is unchanged"
            yield Change(message, _place(new), _place(old), keep=keep, fields=(path,))


def _place(field: DeclaredProperty) -> Pointer:
    """Return the pointer of the description: in a fragment, or beside the ``$ref`` to it."""
    node = field.node_with(_WORDS)
    return field.pointer if node is None else (*node.pointer, _WORDS)


def _read(words: object) -> str:
    """Return the text with normalized white space; empty for anything but text."""
    return " ".join(words.split()) if isinstance(words, str) else ""


def _same(before: str, after: str) -> int:
    """Return the length of the common prefix of two long texts that can be omitted: all whole words but the last."""
    alike = len(commonprefix([before, after]))
    if max(len(before), len(after)) <= _SHOWN or alike <= _BESIDE:
        return 0
    return max(before.rfind(" ", 0, alike - _BESIDE) + 1, 0)


def _shown(words: str, same: int) -> str:
    return short(f"…{_read(words)[same:]}" if same else words)


def _to(after: object, same: int) -> str:
    return f" to {_shown(after, same)}" if isinstance(after, str) else ""
