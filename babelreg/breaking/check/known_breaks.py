"""Which breaks of an older version were published with the newest one, and are not this change's.

Whoever accepted a break when it was made is not asked again with every later edit. Such a break has the same rule,
direction, place in the older version and words, which say what stood there before and what stands there now.

Nothing new hides behind one. What the newest version takes and the one at hand refuses is reported of the newest
version itself, save where a document has a property that the newest version does not list: what was dropped and comes
back with another meaning. That shows at this property, of which the newest version says nothing. Only what judges
several properties at once may speak of it in the words of another break: such a rule repeats one only where what judges
there is the same.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.containment.fields import judging
from babelreg.breaking.rules.rule import Change, Shown
from babelreg.schema.applicators import identical, without_annotations
from babelreg.schema.pointer import Pointer

__all__ = ["Kind", "kind", "repeats"]

Kind = tuple[str, str, Pointer, str]
"""Rule, direction, place in the older version, and what is said."""

_OF_SEVERAL = frozenset({"union-changed", "property-names-changed", "data-incompatible"})


def kind(rule: str, change: Change, example: Shown) -> Kind:
    """What tells one break of an older version from another."""
    return rule, example.direction, change.old, change.message


def repeats(earlier: Pair, known: Collection[Kind], rule: str, change: Change, example: Shown) -> bool:
    """True where what ``example`` shows of ``earlier`` is among the ``known`` breaks of the newest version."""
    if kind(rule, change, example) not in known:
        return False
    return rule not in _OF_SEVERAL or _judged_alike(earlier, example)


def _judged_alike(earlier: Pair, example: Shown) -> bool:
    """True where the newest version and the one at hand say the very same of the value that is refused."""
    messages = [message for message in (earlier.newest, earlier.new) if message is not None]
    newest, now = (_said(message.schema, example) for message in messages)
    return identical(newest, now)


def _said(schema: Any, example: Shown) -> list[Any]:
    bare = without_annotations(schema, formats=True)
    found = [node.schema for node in judging(bare, example.refusal.instance)]
    # What is referred to from further down is not among them.
    beside = [bare.get(key) for key in ("$defs", "definitions")] if isinstance(bare, dict) else []
    return [*found, *beside] if '"$ref"' in json.dumps(found) else found
