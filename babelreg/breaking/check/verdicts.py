"""Containment verdicts of pairs, computed once for equal comparisons.

A change of a shared fragment is the same comparison in every message that uses it in the same way. Parts that are equal
on both sides and irrelevant to the verdict are removed first, so that such comparisons are recognized as equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.containment.comparison import DirectionVerdict
from babelreg.containment.fast_path import plain_object
from babelreg.containment.schema_pair import SchemaPair
from babelreg.containment.second_validator import SecondValidator
from babelreg.containment.witness import Witness
from babelreg.errors import SchemaError
from babelreg.schema.upgrade import in_one_dialect
from babelreg.schema.values import identical, mappings

DirectionResult = tuple[str, DirectionVerdict, list[Witness]]
"""A direction, its verdict, and a witness for each refusing keyword."""
_DIRECTIONS = {"both": ("backward", "forward"), "backward": ("backward",), "forward": ("forward",)}
_DEFINITIONS = "#/$defs/"


class Verdicts:
    """Cached verdicts of one run."""

    def __init__(self, second_validator: SecondValidator | None = None) -> None:
        self.second_validator = second_validator
        self._cache: dict[tuple[str, tuple[str, ...]], Sequence[DirectionResult]] = {}

    def of(self, pair: Pair) -> Sequence[DirectionResult]:
        """Return the verdict of each configured direction, with a witness for each refusing keyword."""
        return self._results(pair, _directions(pair)) if _may_differ(pair) else ()

    def breaks(self, pair: Pair, direction: str) -> bool:
        """Return True where ``direction``, which need not be configured, is not compatible."""
        return any(verdict.kind != "compatible" for _, verdict, _ in self._results(pair, (direction,)))

    def _results(self, pair: Pair, directions: tuple[str, ...]) -> Sequence[DirectionResult]:
        if not _may_differ(pair) or pair.evidently_compatible:
            return ()
        reduced = _reduced(pair)
        key = (repr((_reader(pair), *reduced)), directions)
        if key not in self._cache:
            self._cache[key] = tuple(self._computed(pair, reduced, directions))
        return self._cache[key]

    def _computed(self, pair: Pair, reduced: tuple[Any, Any], directions: tuple[str, ...]) -> Iterator[DirectionResult]:
        try:
            schema_pair = self._schema_pair(pair, reduced)
            if schema_pair.same:
                return
            for direction in directions:
                containment = schema_pair.containment(direction)
                verdict = containment.verdict()
                yield direction, verdict, containment.every_witness() if verdict.kind == "breaking" else []
        except SchemaError as err:
            verdict = DirectionVerdict("unknown", reason=err.message, fix=err.fix)
            yield from ((direction, verdict, []) for direction in directions)

    def _schema_pair(self, pair: Pair, reduced: tuple[Any, Any]) -> SchemaPair:
        reader: Any = _reader(pair)
        old, new, dialect = in_one_dialect(*reduced)
        return SchemaPair(old, new, dialect, reader=reader, formats=True, shared=self.second_validator)


def _may_differ(pair: Pair) -> bool:
    return pair.data_changed and pair.new is not None and pair.new.status not in ("retired", "draft")


def _reader(pair: Pair) -> str:
    assert pair.new is not None
    return pair.new_registry.compatibility(pair.new.context).reader


def _directions(pair: Pair) -> tuple[str, ...]:
    assert pair.new is not None
    return _DIRECTIONS.get(pair.new_registry.compatibility(pair.new.context).direction, _DIRECTIONS["both"])


def _reduced(pair: Pair) -> tuple[Any, Any]:
    """Return both schemas without the optional properties that are equal on both sides.

    Under tolerant readers a producer may omit such a property, and a reader accepts every value that a producer sends:
    it changes neither a verdict nor its witnesses.
    """
    assert pair.new is not None
    old, new = pair.old.schema, pair.new.schema
    bare = pair.bare
    if _reader(pair) != "tolerant" or not all(map(plain_object, bare)):
        return old, new
    old_bare, new_bare = bare
    affected = _affected(old_bare.get("$defs") or {}, new_bare.get("$defs") or {})
    required = {*(old_bare.get("required") or ()), *(new_bare.get("required") or ())}
    unchanged = {
        name
        for name, schema in old_bare["properties"].items()
        if name not in required
        and name in new_bare["properties"]
        and identical(schema, new_bare["properties"][name])
        and affected.isdisjoint(_referred(schema))
    }
    if not all(schema["properties"].keys() - unchanged for schema in bare):
        return old, new
    return _without(old_bare, unchanged), _without(new_bare, unchanged)


def _affected(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the definitions that differ, and those that refer to one of them."""
    names = old.keys() | new.keys()
    affected = {name for name in names if name not in old or name not in new or not identical(old[name], new[name])}
    references = {name: _referred(old.get(name)) | _referred(new.get(name)) for name in names}
    while more := {name for name in names - affected if references[name] & affected}:
        affected |= more
    return affected


def _without(schema: dict[str, Any], unchanged: set[str]) -> dict[str, Any]:
    properties = {name: inner for name, inner in schema["properties"].items() if name not in unchanged}
    reduced = {**schema, "properties": properties}
    definitions = schema.get("$defs") or {}
    reached = _reached(definitions, properties)
    if "$defs" in schema:
        reduced["$defs"] = {name: inner for name, inner in definitions.items() if name in reached}
    return reduced


def definitions_of(schema: Any, part: Any) -> dict[str, Any]:
    """Return the definitions below ``$defs`` that ``part`` of ``schema`` refers to, directly or through others."""
    definitions = schema.get("$defs") if isinstance(schema, dict) else None
    if not isinstance(definitions, dict):
        return {}
    return {name: definitions[name] for name in _reached(definitions, part) if name in definitions}


def _reached(definitions: dict[str, Any], part: Any) -> set[str]:
    reached: set[str] = set()
    waiting = _referred(part)
    while waiting:
        reached |= waiting
        waiting = {more for name in waiting for more in _referred(definitions.get(name))} - reached
    return reached


def _referred(schema: Any) -> set[str]:
    """Return the names of the definitions that ``schema`` refers to."""
    references = (item.get("$ref") for item in mappings(schema))
    return {_name_in(reference) for reference in references if isinstance(reference, str)}


def _name_in(reference: str) -> str:
    from urllib.parse import unquote

    name = unquote(reference.removeprefix(_DEFINITIONS)).partition("/")[0]
    return name.replace("~1", "/").replace("~0", "~")
