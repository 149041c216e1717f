"""Which keywords of JSON Schema hold subschemas, and how they apply: the map every walk in here follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.dialects import DIALECTS, KeywordShape, Reach
from babelreg.schema.pointer import Pointer, find, parse
from babelreg.schema.walk import mappings

__all__ = ["Anchors", "applied_in_place", "identical", "subschemas", "without_annotations"]

_KEYWORDS = {
    name: keyword for dialect in reversed(tuple(DIALECTS.values())) for name, keyword in dialect.keywords.items()
}
"""Of all dialects; what an older one says of a keyword holds, because it allows more: ``items`` may be a list."""
_IN_PLACE = frozenset(name for name, word in _KEYWORDS.items() if word.reach in (Reach.IN_PLACE, Reach.CONDITION))
_ONE = frozenset(name for name, word in _KEYWORDS.items() if word.shape in (KeywordShape.ONE, KeywordShape.ONE_OR_LIST))
_LIST = frozenset(
    name for name, word in _KEYWORDS.items() if word.shape in (KeywordShape.LIST, KeywordShape.ONE_OR_LIST)
)
_MAP = frozenset(
    name for name, word in _KEYWORDS.items() if word.shape in (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES)
)
_ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"}
)
_KEPT_EXTENSIONS = frozenset({"x-open-enum"})


def subschemas(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """The schemas that stand directly in ``schema``, definitions included, each with the steps that lead there."""
    return _standing_in(schema, _ONE, _LIST, _MAP)


def applied_in_place(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """Those that apply to the same value as ``schema`` itself; a ``$ref`` is not followed."""
    return _standing_in(schema, _ONE & _IN_PLACE, _LIST & _IN_PLACE, _MAP & _IN_PLACE)


def _standing_in(
    schema: Any, one: frozenset[str], several: frozenset[str], named: frozenset[str]
) -> Iterator[tuple[Pointer, Any]]:
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in one and isinstance(value, (dict, bool)):
            yield (keyword,), value
        elif keyword in several and isinstance(value, list):
            yield from (((keyword, i), item) for i, item in enumerate(value) if isinstance(item, (dict, bool)))
        elif keyword in named and isinstance(value, dict):
            yield from (((keyword, name), item) for name, item in value.items() if isinstance(item, (dict, bool)))


class Anchors:
    """Where the references inside one schema document lead. Nothing outside the document is ever looked at."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._named: dict[str, tuple[Pointer, Any]] | None = None

    def target(self, reference: Any) -> tuple[Pointer, Any] | None:
        """The pointer and schema a ``$ref`` names, or None where this document has none such."""
        if not isinstance(reference, str):
            return None
        if reference in ("", "#"):
            return (), self.root
        if reference.startswith("#/"):
            return self._pointed(reference[1:])
        return self._index().get(reference)

    def _pointed(self, fragment: str) -> tuple[Pointer, Any] | None:
        from urllib.parse import unquote

        steps = parse(unquote(fragment))
        try:
            found = find(self.root, steps)
        except KeyError:
            return None
        return (steps, found) if isinstance(found, (dict, bool)) else None

    def _index(self) -> dict[str, tuple[Pointer, Any]]:
        if self._named is None:
            self._named = {}
            waiting: list[tuple[Pointer, Any]] = [((), self.root)]
            while waiting:
                pointer, schema = waiting.pop()
                if isinstance(schema, dict):
                    self._note(pointer, schema)
                waiting.extend((pointer + steps, inner) for steps, inner in subschemas(schema))
        return self._named

    def _note(self, pointer: Pointer, schema: dict[str, Any]) -> None:
        assert self._named is not None
        for keyword, spelling in (("$id", "{}"), ("id", "{}"), ("$anchor", "#{}"), ("$dynamicAnchor", "#{}")):
            name = schema.get(keyword)
            if isinstance(name, str):
                self._named.setdefault(spelling.format(name), (pointer, schema))


def without_annotations(schema: Any, *, formats: bool) -> Any:
    """``schema`` without the keywords that refuse nothing; ``format`` stays where ``formats`` is true.

    What two documents have left decides whether they are equal. A document in which a ``$ref`` leads into an
    annotation is left whole.
    """
    dropped = _ANNOTATIONS if formats else _ANNOTATIONS | {"format"}
    return schema if _refers_into(schema, dropped) else _stripped(schema, dropped)


def _annotates(keyword: str, dropped: frozenset[str]) -> bool:
    return keyword in dropped or (keyword.startswith("x-") and keyword not in _KEPT_EXTENSIONS)


def _refers_into(schema: Any, dropped: frozenset[str]) -> bool:
    references = (here.get("$ref") for here in mappings(schema))
    return any(isinstance(reference, str) and _crosses(reference, dropped) for reference in references)


def _crosses(reference: str, dropped: frozenset[str]) -> bool:
    steps = reference.partition("#")[2].split("/")
    return any(_annotates(step, dropped) for step in steps) or not reference.startswith("#")


def _stripped(schema: Any, dropped: frozenset[str]) -> Any:
    if not isinstance(schema, dict):
        return schema
    kept = {keyword: value for keyword, value in schema.items() if not _annotates(keyword, dropped)}
    for steps, inner in subschemas(kept):
        holder = kept[steps[0]]
        if len(steps) == 1:
            kept[str(steps[0])] = _stripped(inner, dropped)
            continue
        if holder is schema[steps[0]]:
            holder = kept[str(steps[0])] = list(holder) if isinstance(holder, list) else dict(holder)
        holder[steps[1]] = _stripped(inner, dropped)
    return kept


def identical(left: Any, right: Any) -> bool:
    """True if both are the same JSON. Python's ``==`` alone would call 1 and true the same."""
    if isinstance(left, dict):
        if not isinstance(right, dict) or left.keys() != right.keys():
            return False
        return all(identical(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(identical, left, right))
    return type(left) is type(right) and left == right
