"""Objects: a struct of the declared properties, a map where only the values are declared, else JSON text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from babelreg.schema.conjuncts import Conjunct
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES, CONDITIONAL
from babelreg.schema.types import KINDS
from babelreg.typemap.names import visible
from babelreg.typemap.spark.column_names import folded
from babelreg.typemap.spark.type_union import either
from babelreg.typemap.spark.types import Json, LeftOut, Map, SparkType, Struct, StructField

_COMMENT_LENGTH = 300
_JSON_TEXT = "JSON text"


class Mapper(Protocol):
    """Interface of the mapper of values inside an object."""

    def branches(self, node: Conjunct, keywords: Sequence[str]) -> list[Conjunct]: ...

    def facets(self, nodes: list[Conjunct], above: frozenset[str]) -> list[Conjunct]: ...

    def type_of(
        self, nodes: list[Conjunct], above: frozenset[str], depth: int, kinds: frozenset[str] = KINDS
    ) -> SparkType: ...


def type_for(mapper: Mapper, conjuncts: list[Conjunct], above: frozenset[str], depth: int) -> SparkType:
    """Return the type of an object for which all of ``conjuncts`` (flat) hold."""
    declared = _gathered(_properties(conjuncts))
    sometimes = _gathered(_properties(_conditional(mapper, conjuncts)))
    fields: dict[str, StructField] = {}
    left_out: list[LeftOut] = []
    for name, nodes in _in_order(declared, sometimes):
        if any(node.schema is False for node in declared.get(name, ())):
            continue
        if (why := _unusable(name, fields)) is not None:
            left_out.append(LeftOut(name, why, nodes[0].pointer))
        elif name in declared:
            kind = mapper.type_of(nodes, above, depth + 1)
            fields[folded(name)] = _field(name, kind, mapper.facets(nodes, above), certain=True)
        else:
            kind = _any_of(mapper, nodes, above, depth)
            fields[folded(name)] = _field(name, kind, mapper.facets(nodes, above), certain=False)
    if not fields:
        return _map(mapper, conjuncts, above, depth)
    return Struct(tuple(fields.values()), (*left_out, *_others(conjuncts)))


def _in_order(
    declared: dict[str, list[Conjunct]], sometimes: dict[str, list[Conjunct]]
) -> Iterator[tuple[str, list[Conjunct]]]:
    yield from declared.items()
    yield from ((name, nodes) for name, nodes in sometimes.items() if name not in declared)


def _properties(nodes: list[Conjunct]) -> Iterator[tuple[str, Conjunct]]:
    for node in nodes:
        properties = node.schema.get("properties") if isinstance(node.schema, dict) else None
        if isinstance(properties, dict):
            for name in properties:
                yield str(name), node.child("properties", name)


def _gathered(pairs: Iterator[tuple[str, Conjunct]]) -> dict[str, list[Conjunct]]:
    by_name: dict[str, list[Conjunct]] = {}
    for name, node in pairs:
        by_name.setdefault(name, []).append(node)
    return by_name


def _conditional(mapper: Mapper, conjuncts: list[Conjunct]) -> list[Conjunct]:
    """Return the subschemas that apply to some messages: ``then``, ``else``, ``dependentSchemas``, also nested ones."""
    conditional: list[Conjunct] = []
    waiting = list(conjuncts)
    while waiting:
        below = mapper.branches(waiting.pop(0), CONDITIONAL)
        conditional += below
        waiting += below
    return conditional


def _any_of(mapper: Mapper, nodes: list[Conjunct], above: frozenset[str], depth: int) -> SparkType:
    mixed = Json("its declarations have different types", nodes[0].pointer)
    union: SparkType | None = None
    for node in nodes:
        kind = mapper.type_of([node], above, depth + 1)
        union = kind if union is None else either(union, kind, mixed)
    return mixed if union is None else union


def _unusable(name: str, fields: dict[str, StructField]) -> str | None:
    twin = fields.get(folded(name))
    if twin is not None:
        return f"Spark ignores case, and there is already a column {twin.name!r}"
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        return "its name is not Unicode text"
    return None


def _map(mapper: Mapper, conjuncts: list[Conjunct], above: frozenset[str], depth: int) -> SparkType:
    """Return a map where all values have one schema, else the type of a free-form object."""
    every: list[Conjunct] = []
    patterns: list[Conjunct] = []
    for node in conjuncts:
        if isinstance(node.schema, dict):
            for key in ADDITIONAL_PROPERTIES:
                if isinstance(node.schema.get(key), dict) and node.schema[key]:
                    every.append(node.child(key))
            group = node.schema.get("patternProperties")
            patterns += [node.child("patternProperties", name) for name in group] if isinstance(group, dict) else []
    at = conjuncts[0].pointer if conjuncts else ()
    if not every and (not patterns or _explicitly_open(conjuncts)):
        return Json("its properties are not declared", at)
    if not patterns:
        return Map(mapper.type_of(every, above, depth + 1))
    kinds = [*patterns] if not every else [every[0], *patterns]
    return Map(_any_of(mapper, kinds, above, depth), certain=bool(every))


def _explicitly_open(conjuncts: list[Conjunct]) -> bool:
    return any(n.schema.get("additionalProperties") in (True, {}) for n in conjuncts if isinstance(n.schema, dict))


def _others(conjuncts: list[Conjunct]) -> Iterator[LeftOut]:
    """Yield the undeclared properties that the schema explicitly admits."""
    for node in conjuncts:
        if not isinstance(node.schema, dict):
            continue
        for key in (*ADDITIONAL_PROPERTIES, "patternProperties"):
            value = node.schema.get(key)
            if value is True or isinstance(value, dict):
                yield LeftOut("*", f"{key} allows undeclared names", (*node.pointer, key))
                return


def _field(name: str, kind: SparkType, nodes: list[Conjunct], *, certain: bool) -> StructField:
    return StructField(name, kind, _comment(nodes, kind), _sensitive(nodes), certain)


def _comment(nodes: list[Conjunct], kind: SparkType) -> str | None:
    """Return the first description, as one line of printable text."""
    text = next((t for n in nodes if (t := _word(n.schema, "description"))), None)
    line = " ".join(visible(text or "").split())
    if len(line) > _COMMENT_LENGTH:
        line = line[: _COMMENT_LENGTH - 1].rstrip() + "…"
    if isinstance(kind, Json):
        return f"{line} ({_JSON_TEXT})" if line else _JSON_TEXT
    return line or None


def _sensitive(nodes: list[Conjunct]) -> str | None:
    for node in nodes:
        marked: Any = node.schema.get("x-gdpr-sensitive") if isinstance(node.schema, dict) else None
        if marked is True:
            return "true"
        if isinstance(marked, str) and marked:
            return " ".join(visible(marked).split()) or "true"
    return None


def _word(schema: Any, key: str) -> str | None:
    value = schema.get(key) if isinstance(schema, dict) else None
    return value if isinstance(value, str) else None
