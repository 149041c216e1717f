"""Tagged unions: objects in which the text of one property decides which other properties they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from babelreg.analysis.sketch.text_detection import is_digest
from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch

__all__ = ["TaggedUnion", "tagged_union"]

_LEAST_BRANCHES = 2


class TaggedUnion(NamedTuple):
    """The property whose text is the tag, and by tag the names that all of its objects have."""

    tag: str
    required: Mapping[str, frozenset[str]]


def tagged_union(sketch: ValueSketch, members: ObjectSketch, seen: int) -> TaggedUnion | None:
    """Return the union that the objects of ``sketch`` show, each branch at least ``seen`` times; None without one.

    A tag is in every object. Each of its texts decides for some properties whether its objects have them, all or none,
    and has at least one of these: a text that adds nothing is a state, not a kind, and more of them may follow.
    """
    if members.properties is None or members.shapes is None or sketch.objects < seen:
        return None
    optional = {name for name, item in members.properties.items() if item.count < sketch.objects}
    best: tuple[int, str, TaggedUnion] | None = None
    for tag, by_text in sorted(members.texts.items()):
        item = members.properties[tag]
        if item.strings != sketch.objects or len(by_text) < _LEAST_BRANCHES or any(map(is_digest, by_text)):
            continue
        branches = {text: _Branch(shapes) for text, shapes in by_text.items()}
        if any(branch.count < seen for branch in branches.values()):
            continue
        decided = {name for name in optional if all(branch.decides(name) for branch in branches.values())}
        if decided and _differ(branches, decided) and (best is None or len(decided) > best[0]):
            required = {text: branch.required for text, branch in branches.items()}
            best = len(decided), tag, TaggedUnion(tag, required)
    return best[2] if best else None


class _Branch:
    def __init__(self, shapes: Mapping[frozenset[str], int]) -> None:
        self.count = sum(shapes.values())
        names = list(shapes)
        self.required = frozenset.intersection(*names)
        self._present = frozenset.union(*names)

    def decides(self, name: str) -> bool:
        """Return True where all objects of the branch have the property, or none has."""
        return name in self.required or name not in self._present

    def has(self, names: set[str]) -> frozenset[str]:
        return self.required & names


def _differ(branches: Mapping[str, _Branch], decided: set[str]) -> bool:
    """Return True where each branch has some of the ``decided`` properties, and no two branches have the same."""
    owned = [branch.has(decided) for branch in branches.values()]
    return all(owned) and len(set(owned)) == len(owned)
