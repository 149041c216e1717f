"""Published properties that are gone, and which of them were only renamed."""

from __future__ import annotations

from difflib import SequenceMatcher

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.containment.fields import DeclaredProperty
from babelreg.schema.applicators import identical, without_annotations

__all__ = ["renames", "vanished"]

_ALIKE = 0.5


def vanished(pair: Pair) -> list[DeclaredProperty]:
    """The fields of the old schema that the new one has no more, each without those below it."""
    if not pair.data_changed:
        return []
    gone = [field for path, field in pair.old_fields.items() if path not in pair.new_fields]
    steps = {field.steps for field in gone}
    return [field for field in gone if not any(field.steps[:n] in steps for n in range(1, len(field.steps)))]


def renames(pair: Pair) -> list[tuple[DeclaredProperty, DeclaredProperty]]:
    """Each field that is gone with the new one beside it that takes its place, where just one does.

    It must have the same schema, and be the only candidate or have a name that is alike.
    """
    added = [field for path, field in pair.new_fields.items() if path not in pair.old_fields]
    found: list[tuple[DeclaredProperty, DeclaredProperty]] = []
    for old in vanished(pair):
        taken = {new.path for _, new in found}
        beside = [new for new in added if new.path not in taken and new.steps[:-1] == old.steps[:-1]]
        same = [new for new in beside if _same(old, new)]
        alike = [new for new in same if _ratio(old, new) >= _ALIKE]
        if len(alike) == 1:
            found.append((old, alike[0]))
        elif len(same) == 1 and len(vanished_beside(pair, old)) == 1:
            found.append((old, same[0]))
    return found


def vanished_beside(pair: Pair, old: DeclaredProperty) -> list[DeclaredProperty]:
    """The fields that are gone from the same object as ``old``, itself included."""
    return [field for field in vanished(pair) if field.steps[:-1] == old.steps[:-1]]


def _same(old: DeclaredProperty, new: DeclaredProperty) -> bool:
    return identical(*(without_annotations(field.nodes[0].schema, formats=True) for field in (old, new)))


def _ratio(old: DeclaredProperty, new: DeclaredProperty) -> float:
    return SequenceMatcher(None, old.steps[-1], new.steps[-1], autojunk=False).ratio()
