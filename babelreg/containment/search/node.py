"""Subschemas of a document as search nodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

import orjson

from babelreg.errors import SchemaError
from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.dialects import DIALECTS, Dialect, compiling, judging
from babelreg.schema.keywords import COMBINED, IDENTIFIERS, REFERENCES, UNEVALUATED
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.regex.matching import matches
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.static_references import with_static_references
from babelreg.schema.values import is_number, mappings, may_mention

MAX_ALTERNATIVES = 12
"""Ways to satisfy a subschema that are tried; more members of a list than that are a long list."""
_MAX_COMPILED = 400_000  # values, summed over all subschemas compiled: about two seconds
_MAX_COUNT = 1e9
_DOCUMENT = "urn:babelreg:document"
_NAMING = tuple(f'"{name}"'.encode() for name in (*REFERENCES, *IDENTIFIERS, "$schema"))
_SHORT = 2_000
"""Short subschemas recur on both sides and in each version, and are compiled once for all documents."""

T = TypeVar("T")


class SearchDocument:
    """A schema document with its reference targets, and a validator for each of its subschemas.

    ``compiled`` may be a validator of the whole document.
    """

    def __init__(self, root: Any, dialect: Dialect, *, formats: bool, compiled: Any = None) -> None:
        self.root = with_static_references(without_ref_siblings(root, dialect), dialect)
        self.dialect = dialect
        self.formats = formats
        self.references = LocalReferences(self.root, dialect)
        self.shared: frozenset[int] = frozenset()
        """Identities of members of long lists that the other document has, too; the others are tried first."""
        self._validators: dict[Pointer, Any] = {} if compiled is None else {(): compiled}
        self._values_left = _MAX_COMPILED

    @property
    def node(self) -> SearchNode:
        """Return the node of the root."""
        return SearchNode(self, (), self.root)

    def validator(self, pointer: Pointer, schema: Any = None) -> Any:
        """Return the compiled subschema at ``pointer``; None where it cannot be compiled by itself.

        With ``schema``, the subschema itself, it may be one that was compiled for another document.
        """
        if pointer not in self._validators:
            self._validators[pointer] = self._alone(schema) or self._compiled(pointer)
        return self._validators[pointer]

    def compile_again(self) -> None:
        """Allow as many subschemas to be compiled as at the beginning, for another search."""
        self._values_left = _MAX_COMPILED
        self._validators = {pointer: known for pointer, known in self._validators.items() if known is not None}

    def _alone(self, schema: Any) -> Any:
        """Return the validator of a subschema without references, one for all documents; None for another one."""
        with suppress(TypeError):  # an integer beyond 64 bits
            serialized = orjson.dumps(schema) if isinstance(schema, dict) else b""
            if 0 < len(serialized) <= _SHORT and not any(name in serialized for name in _NAMING):
                return _validator_alone(serialized, self.dialect.name, self.formats)
        return None

    def _compiled(self, pointer: Pointer) -> Any:
        # One at a time and on demand: where definitions refer to each other, compiling all of them (validator_map_for)
        # takes memory and time quadratic in their number.
        import jsonschema_rs

        self._values_left -= self._size
        if self._resources is None or self._values_left < 0:
            return None
        reference = {"$ref": f"{_DOCUMENT}#{quote(text(pointer))}"}
        validator_class = getattr(jsonschema_rs, self.dialect.validator)
        with suppress(SchemaError), compiling():
            return validator_class(reference, registry=self._resources, **judging(self.formats))
        return None

    @cached_property
    def _resources(self) -> Any:
        import jsonschema_rs

        root = {**self.root, "$schema": self.dialect.uri} if isinstance(self.root, dict) else self.root
        with suppress(SchemaError), compiling():
            return jsonschema_rs.Registry([(_DOCUMENT, root)], retriever=_retrieve_nothing)
        return None

    @cached_property
    def _size(self) -> int:
        """Number of values in the document, a bound of the cost of compiling one of its subschemas."""
        waiting, size = [self.root], 0
        while waiting:
            value = waiting.pop()
            size += 1
            waiting.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        return size


def compared(inner: SearchDocument, outer: SearchDocument) -> tuple[SearchDocument, SearchDocument]:
    """Return both, after noting which members of long lists they share."""
    sides = inner, outer
    roots = [side.root for side in sides if may_mention(side.root, COMBINED)]
    lists = (mapping.get(keyword) for root in roots for mapping in mappings(root) for keyword in COMBINED)
    if any(isinstance(members, list) and len(members) > MAX_ALTERNATIVES for members in lists):
        own, other = map(_listed_members, sides)
        known = set(own.values()) & set(other.values())
        inner.shared, outer.shared = (
            frozenset(number for number, text in members.items() if text in known) for members in (own, other)
        )
    return inner, outer


def _listed_members(side: SearchDocument) -> dict[int, str]:
    """Return by the identity of each member of a list how it is written; of a reference, how its target is."""
    lists = [mapping.get(keyword) for mapping in mappings(side.root) for keyword in COMBINED]
    members = [member for listed in lists if isinstance(listed, list) for member in listed if isinstance(member, dict)]
    targets = (side.references.target(member.get("$ref")) for member in members)
    return {
        id(member): json.dumps(target[1] if target else member, sort_keys=True)
        for member, target in zip(members, targets, strict=True)
    }


@lru_cache(maxsize=2048)
def _validator_alone(serialized: bytes, dialect: str, formats: bool) -> Any:
    try:
        return DIALECTS[dialect].validator_for(orjson.loads(serialized), formats=formats)
    except SchemaError:
        return None


def allowed(validator: Any, value: Any) -> bool:
    """Return True if ``validator`` accepts ``value``, or is None."""
    try:
        return validator is None or bool(validator.is_valid(value))
    except ValueError:
        return True


def _retrieve_nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not in the document; nothing is fetched")


# Not frozen: a search creates tens of thousands, and that is three times as fast.
@dataclass(slots=True, eq=False)
class SearchNode:
    """The subschema at ``pointer`` of one document; never mutated."""

    side: SearchDocument
    pointer: Pointer
    schema: Any

    @property
    def validator(self) -> Any:
        """Return a validator of this subschema alone; None where there is none."""
        return self.side.validator(self.pointer, self.schema)

    def at(self, *steps: str | int) -> SearchNode:
        """Return the subschema at ``steps`` below."""
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return SearchNode(self.side, self.pointer + steps, schema)

    def below(self, step: str | int) -> list[SearchNode]:
        """Return the subschemas of its own that every property or item at ``step`` satisfies."""
        applied = (
            applied_to_item(self.schema, step, self.side.dialect)
            if isinstance(step, int)
            else applied_to_property(self.schema, step, self.side.dialect, found_in_name)
        )
        return [
            SearchNode(self.side, self.pointer + steps, schema)
            for steps, schema in applied
            if isinstance(schema, (dict, bool)) and steps != ("contains",)
        ]

    def referred(self) -> SearchNode | None:
        """Return the target of this node's reference, or None."""
        targets = self.side.references.targets(self.schema)
        return next((SearchNode(self.side, *target) for target in targets if target is not None), None)

    def list(self, keyword: str) -> list[SearchNode]:
        """Return the subschemas in the list under ``keyword``; an empty list where it is not a list."""
        subschemas = self.schema.get(keyword)
        if not isinstance(subschemas, list):
            return []
        return [self.at(keyword, i) for i, item in enumerate(subschemas) if isinstance(item, (dict, bool))]

    def count(self, keyword: str, absent: int = 0) -> int:
        """Return the number under ``keyword``; ``absent`` where it is not a number of items or characters."""
        value = self.schema.get(keyword)
        return int(value) if is_number(value) and 0 <= value < _MAX_COUNT else absent

    def mapping(self, keyword: str) -> dict[str, Any]:
        """Return the mapping under ``keyword``; an empty one where it is none."""
        value = self.schema.get(keyword)
        return value if isinstance(value, dict) else {}

    def required(self) -> tuple[str, ...]:
        """Return the names of required properties."""
        names = self.schema.get("required")
        return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()

    def one(self, keyword: str) -> SearchNode | None:
        """Return the subschema under ``keyword``, or None."""
        return self.at(keyword) if isinstance(self.schema.get(keyword), (dict, bool)) else None


Nodes = tuple[SearchNode, ...]


def distinct(nodes: Iterable[SearchNode]) -> Nodes:
    """Return ``nodes`` without repetition. A recursive schema reaches the same subschema in many ways."""
    return tuple({id(node.schema): node for node in nodes}.values())


def nodes_below(nodes: Nodes, step: str | int) -> Nodes:
    """Return the subschemas that apply to the property or the item at ``step``, in any spelling."""
    below = [(child.pointer[len(node.pointer)] in UNEVALUATED, child) for node in nodes for child in node.below(step)]
    # What another subschema of the same value applies to is evaluated.
    return distinct([child for last, child in below if not last] or [child for _, child in below])


def found_in_name(pattern: str, name: str) -> bool:
    """Return True when ``pattern`` matches in ``name``; False for what is not a regular expression."""
    try:
        return matches(pattern, name)
    except SchemaError:
        return False


def interleaved(sources: Iterable[Iterable[T]]) -> Iterator[T]:
    """Yield one item of each source in turn until all are exhausted."""
    running = [iter(source) for source in sources]
    while len(running) > 1:
        left = []
        for source in running:
            for item in source:
                left.append(source)
                yield item
                break
        running = left
    for source in running:
        yield from source
