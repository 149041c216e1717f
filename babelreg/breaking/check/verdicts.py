"""What containment says of pairs, asked once for each distinct use of what changed.

A change of a shared fragment is the same question in every message that uses it in the same way. Whatever is the same
on both sides and has no part in the answer is left out first, so that such messages are seen to ask the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.containment.compare import SchemaPair
from babelreg.breaking.containment.fast_path import plain_object
from babelreg.breaking.containment.prover import Prover
from babelreg.breaking.containment.witness import Witness
from babelreg.errors import SchemaError
from babelreg.model.comparison import DirectionVerdict
from babelreg.schema.dialects import identify
from babelreg.schema.simplify import without_annotations
from babelreg.schema.subschemas import mappings
from babelreg.schema.values import identical

__all__ = ["DirectionResult", "Verdicts"]

DirectionResult = tuple[str, DirectionVerdict, list[Witness]]
"""A direction, its verdict, and a witness for each keyword that breaks."""
_DIRECTIONS = {"both": ("backward", "forward"), "backward": ("backward",), "forward": ("forward",)}
_DEFINITIONS = "#/$defs/"


class Verdicts:
    """The answers of one run."""

    def __init__(self, prover: Prover | None = None) -> None:
        self._prover = prover
        self._known: dict[tuple[str, tuple[str, ...]], Sequence[DirectionResult]] = {}

    def of(self, pair: Pair) -> Sequence[DirectionResult]:
        """The verdict of each direction that counts, with a witness for each keyword that breaks."""
        return self._answered(pair, _directions(pair)) if _may_differ(pair) else ()

    def breaks(self, pair: Pair, direction: str) -> bool:
        """True where the direction, which may be one that nobody asked about, is not compatible."""
        return any(verdict.kind != "compatible" for _, verdict, _ in self._answered(pair, (direction,)))

    def _answered(self, pair: Pair, directions: tuple[str, ...]) -> Sequence[DirectionResult]:
        if not _may_differ(pair) or pair.evidently_compatible:
            return ()
        key = (_comparison_key(pair), directions)
        if key not in self._known:
            self._known[key] = tuple(self._asked(pair, directions))
        return self._known[key]

    def _asked(self, pair: Pair, directions: tuple[str, ...]) -> Iterator[DirectionResult]:
        try:
            schema_pair = self._schema_pair(pair)
            if schema_pair is None or schema_pair.same:
                return
            for direction in directions:
                containment = schema_pair.containment(direction)
                verdict = containment.verdict()
                yield direction, verdict, containment.every_witness() if verdict.kind == "breaking" else []
        except SchemaError as err:
            yield from ((direction, DirectionVerdict("unknown", reason=err.message), []) for direction in directions)

    def _schema_pair(self, pair: Pair) -> SchemaPair | None:
        if not _may_differ(pair):
            return None
        assert pair.new is not None
        reader: Any = _reader(pair)
        if identify(pair.old.schema) != identify(pair.new.schema):
            raise SchemaError("the published schema is written in another dialect of JSON Schema ($schema)")
        old, new = _reduced(pair)
        return SchemaPair(old, new, identify(new), reader=reader, formats=True, shared=self._prover)


def _comparison_key(pair: Pair) -> str:
    """What stands for all pairs of which containment says the same."""
    return repr((_reader(pair), *_reduced(pair))) if _may_differ(pair) else ""


def _may_differ(pair: Pair) -> bool:
    return pair.data_changed and pair.new is not None and pair.new.status not in ("retired", "draft")


def _reader(pair: Pair) -> str:
    assert pair.new is not None
    return pair.new_registry.compatibility(pair.new.context).reader


def _directions(pair: Pair) -> tuple[str, ...]:
    assert pair.new is not None
    return _DIRECTIONS.get(pair.new_registry.compatibility(pair.new.context).direction, _DIRECTIONS["both"])


def _reduced(pair: Pair) -> tuple[Any, Any]:
    """Both schemas without the optional properties that are the same on both sides.

    Under tolerant readers a producer may leave such a property out, and what it sends there a reader takes: it changes
    neither a verdict nor its witnesses.
    """
    assert pair.new is not None
    old, new = pair.old.schema, pair.new.schema
    bare = [without_annotations(schema, formats=True) for schema in (old, new)]
    if _reader(pair) != "tolerant" or not all(map(plain_object, bare)):
        return old, new
    one, other = bare
    affected = _affected(one.get("$defs") or {}, other.get("$defs") or {})
    required = {*(one.get("required") or ()), *(other.get("required") or ())}
    gone = {
        name
        for name, schema in one["properties"].items()
        if name not in required
        and name in other["properties"]
        and identical(schema, other["properties"][name])
        and affected.isdisjoint(_referred(schema))
    }
    if not all(schema["properties"].keys() - gone for schema in bare):
        return old, new
    return _without(one, gone), _without(other, gone)


def _affected(ours: dict[str, Any], theirs: dict[str, Any]) -> set[str]:
    """The definitions that differ, and those that refer to one of them."""
    every = ours.keys() | theirs.keys()
    found = {
        name for name in every if name not in ours or name not in theirs or not identical(ours[name], theirs[name])
    }
    references = {name: _referred(ours.get(name)) | _referred(theirs.get(name)) for name in every}
    while more := {name for name in every - found if references[name] & found}:
        found |= more
    return found


def _without(schema: dict[str, Any], gone: set[str]) -> dict[str, Any]:
    left = {name: inner for name, inner in schema["properties"].items() if name not in gone}
    reduced = {**schema, "properties": left}
    definitions = schema.get("$defs") or {}
    reached: set[str] = set()
    waiting = _referred(left)
    while waiting:
        reached |= waiting
        waiting = {more for name in waiting for more in _referred(definitions.get(name))} - reached
    if "$defs" in schema:
        reduced["$defs"] = {name: inner for name, inner in definitions.items() if name in reached}
    return reduced


def _referred(schema: Any) -> set[str]:
    """The names of the definitions that ``schema`` refers to, as they are written in a pointer."""
    references = (item.get("$ref") for item in mappings(schema))
    return {_name_in(reference) for reference in references if isinstance(reference, str)}


def _name_in(reference: str) -> str:
    from urllib.parse import unquote

    name = unquote(reference.removeprefix(_DEFINITIONS)).partition("/")[0]
    return name.replace("~1", "/").replace("~0", "~")
