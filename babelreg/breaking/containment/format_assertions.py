"""When a proof that took ``format`` for an annotation still holds where formats are asserted."""

from __future__ import annotations

from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import DEFINITIONS, NEGATING, REFERENCES, UNEVALUATED
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.subschemas import mappings, subschemas

__all__ = ["formats_preserved"]

# Under these a format that refuses more makes the whole allow more, or other things than it says by itself.
_NOT_CONJUNCTIVE = NEGATING | UNEVALUATED | {"contains"}
_TRANSPARENT = frozenset({"allOf"})
_APART = frozenset({*DEFINITIONS, "contentSchema"})
_MOST_STEPS = 20_000
Path = tuple[Any, ...]


class _Undecided(Exception):
    """The formats of a schema do not all stand where they simply refuse."""


def formats_preserved(inner: Any, outer: Any, dialect: Dialect) -> bool:
    """True if the inner schema asserts every format of the outer one at the same path, or the format has no part there.

    It has no part at a property that the inner schema admits nowhere. False too where a format of either stands under
    a union, a negation or a condition, or where a ``$ref`` recurs.
    """
    try:
        wanted, given = _Formats(outer, dialect), _Formats(inner, dialect)
    except _Undecided:
        return False
    return all(said in given.found or given.excludes(said[0]) for said in wanted.found)


class _Formats:
    """The formats of one schema by path, and the names that its closed objects list."""

    def __init__(self, root: Any, dialect: Dialect) -> None:
        self.found: set[tuple[Path, str]] = set()
        self._closed: dict[Path, list[set[str]]] = {}
        root = without_ref_siblings(root, dialect)
        self._anchors = LocalReferences(root)
        self._asserts = _mentions(root)
        self._left = _MOST_STEPS
        self._collect(root, (), frozenset(), conjunctive=True)

    def excludes(self, path: Path) -> bool:
        """True if ``path`` goes through a property that this schema does not admit."""
        return any(
            step == "properties" and any(path[at + 1] not in names for names in self._closed.get(path[:at], ()))
            for at, step in enumerate(path[:-1])
        )

    def _collect(self, schema: Any, path: Path, above: frozenset[int], *, conjunctive: bool) -> None:
        if not isinstance(schema, dict):
            return
        self._left -= 1
        if self._left < 0 or (self._asserts and id(schema) in above):
            raise _Undecided
        if id(schema) in above:
            return
        visited = id(schema)
        if isinstance(schema.get("format"), str):
            if not conjunctive:
                raise _Undecided
            self.found.add((path, schema["format"]))
        if conjunctive and schema.get("additionalProperties") is False and not schema.get("patternProperties"):
            self._closed.setdefault(path, []).append(set(schema.get("properties") or ()))
        below = above | {visited}
        for keyword in REFERENCES:
            if keyword in schema:
                self._collect(self._target(keyword, schema[keyword]), path, below, conjunctive=conjunctive)
        for steps, inner in subschemas(schema):
            keyword = str(steps[0])
            if keyword not in _APART:
                deeper = path if keyword in _TRANSPARENT else (*path, *_step(schema, keyword, steps))
                self._collect(inner, deeper, below, conjunctive=conjunctive and keyword not in _NOT_CONJUNCTIVE)

    def _target(self, keyword: str, reference: Any) -> Any:
        target = self._anchors.target(reference)
        if target is None or keyword != "$ref":
            raise _Undecided
        return target[1]


def _mentions(schema: Any) -> bool:
    return any(isinstance(here.get("format"), str) for here in mappings(schema))


def _step(schema: dict[str, Any], keyword: str, steps: tuple[Any, ...]) -> Path:
    """The step, with what decides which values it is for: the rest of an object depends on the names beside it."""
    if keyword == "additionalProperties":
        return (keyword, *(tuple(sorted(schema.get(k) or ())) for k in ("properties", "patternProperties")))
    if keyword in ("items", "additionalItems") and len(steps) == 1:
        prefix = schema.get("prefixItems", schema.get("items"))
        return (keyword, len(prefix) if isinstance(prefix, list) else 0)
    return steps
