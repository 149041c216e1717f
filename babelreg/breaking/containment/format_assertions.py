"""Asserted formats for a prover that treats ``format`` as an annotation: what it may conclude, and their lengths."""

from __future__ import annotations

from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import DEFINITIONS, NEGATING, REFERENCES, UNEVALUATED
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.subschemas import mappings, subschemas, with_subschemas
from babelreg.schema.values import is_number

__all__ = ["formats_preserved", "with_format_lengths"]

_LONGEST = {"email": 320}
"""RFC 5321, 4.5.3.1: 64 octets before the @, 255 after it."""

# Below these a format that refuses more can make the schema allow more.
_NOT_CONJUNCTIVE = NEGATING | UNEVALUATED | {"contains"}
_TRANSPARENT = frozenset({"allOf"})
_APART = frozenset({*DEFINITIONS, "contentSchema"})
_MAX_STEPS = 20_000
Path = tuple[Any, ...]


class _Undecided(Exception):
    """A format is in a place where it does not simply refuse values."""


def formats_preserved(inner: Any, outer: Any, dialect: Dialect) -> bool:
    """Return True if the inner schema asserts every format of the outer one at the same path, or excludes the path.

    A path is excluded if it goes through a property that the inner schema does not admit. False means undecided: also
    where a format of either is below a union, a negation or a condition, or where a ``$ref`` recurs.
    """
    try:
        wanted, given = _Formats(outer, dialect), _Formats(inner, dialect)
    except _Undecided:
        return False
    return all(each in given.formats or given.excludes(each[0]) for each in wanted.formats)


def with_format_lengths(schema: Any) -> Any:
    """Return ``schema`` with the length that an asserted format implies beside it; it means the same."""
    if not isinstance(schema, dict):
        return schema
    copy = with_subschemas(schema, with_format_lengths)
    longest = _LONGEST.get(schema["format"]) if isinstance(schema.get("format"), str) else None
    if longest is not None and not (is_number(schema.get("maxLength")) and schema["maxLength"] <= longest):
        copy["maxLength"] = longest
    return copy


class _Formats:
    """The formats of one schema by path, and the property names of its closed objects."""

    def __init__(self, root: Any, dialect: Dialect) -> None:
        self.formats: set[tuple[Path, str]] = set()
        self._closed: dict[Path, list[set[str]]] = {}
        root = without_ref_siblings(root, dialect)
        self._references = LocalReferences(root)
        self._asserts = _has_format(root)
        self._steps_left = _MAX_STEPS
        self._collect(root, (), frozenset(), conjunctive=True)

    def excludes(self, path: Path) -> bool:
        """Return True if ``path`` goes through a property that this schema does not admit."""
        return any(
            step == "properties" and any(path[at + 1] not in names for names in self._closed.get(path[:at], ()))
            for at, step in enumerate(path[:-1])
        )

    def _collect(self, schema: Any, path: Path, above: frozenset[int], *, conjunctive: bool) -> None:
        if not isinstance(schema, dict):
            return
        self._steps_left -= 1
        if self._steps_left < 0 or (self._asserts and id(schema) in above):
            raise _Undecided
        if id(schema) in above:
            return
        visited = id(schema)
        if isinstance(schema.get("format"), str):
            if not conjunctive:
                raise _Undecided
            self.formats.add((path, schema["format"]))
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
        target = self._references.target(reference)
        if target is None or keyword != "$ref":
            raise _Undecided
        return target[1]


def _has_format(schema: Any) -> bool:
    return any(isinstance(mapping.get("format"), str) for mapping in mappings(schema))


def _step(schema: dict[str, Any], keyword: str, steps: tuple[Any, ...]) -> Path:
    """Return the step with the keywords that define its scope: additional properties depend on the listed names."""
    if keyword == "additionalProperties":
        return (keyword, *(tuple(sorted(schema.get(k) or ())) for k in ("properties", "patternProperties")))
    if keyword in ("items", "additionalItems") and len(steps) == 1:
        prefix = schema.get("prefixItems", schema.get("items"))
        return (keyword, len(prefix) if isinstance(prefix, list) else 0)
    return steps
