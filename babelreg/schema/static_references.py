"""References in embedded documents and to dynamic anchors, as ``$ref`` with one target each.

In a subschema with its own ``$id`` a reference is relative to that; it becomes absolute. A ``$dynamicRef`` leads to the
outermost document, of those on the way to it, that has the dynamic anchor. Where every way from the root leads to the
same one, it is a ``$ref`` to that.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import DEFINITIONS, REFERENCES
from babelreg.schema.local_references import LocalReferences, joined, named_in
from babelreg.schema.values import mappings, may_mention

_DYNAMIC = ("$dynamicRef", "$recursiveRef")


def with_static_references(root: Any, dialect: Dialect) -> Any:
    """Return ``root``, or where it has embedded documents or dynamic references a copy with static ones.

    A dynamic reference whose target depends on the way to it stays as it is.
    """
    special = {dialect.identifier, *(keyword for keyword in _DYNAMIC if dialect.knows(keyword))}
    if not may_mention(root, special):
        return root
    found = (mapping for mapping in mappings(root) if not special.isdisjoint(mapping))
    if not any(mapping is not root or special & mapping.keys() != {dialect.identifier} for mapping in found):
        return root
    document = _Document(copy.deepcopy(root), dialect)
    document.make_absolute()
    document.make_static()
    return document.root


class _Document:
    def __init__(self, root: Any, dialect: Dialect) -> None:
        self.root, self._dialect = root, dialect
        self._own = (dialect.resource_id(root) or "").rstrip("#")
        self._bases: dict[int, str] = {}
        """By the ``id()`` of a subschema, the address of the document that it is part of."""
        self._known_ways: dict[str, dict[int, set[str | None]] | None] = {}
        self._schemas: list[dict[str, Any]] = []
        waiting = [(root, self._own)]
        while waiting:
            schema, base = waiting.pop()
            if isinstance(schema, dict):
                if schema is not root and (identifier := dialect.resource_id(schema)) is not None:
                    base = joined(base, identifier).rstrip("#")
                self._bases[id(schema)] = base
                self._schemas.append(schema)
                waiting += [(below, base) for _, below in named_in(schema, dialect)]

    def make_absolute(self) -> None:
        for schema in self._schemas:
            base = self._bases[id(schema)]
            for keyword in REFERENCES:
                reference = schema.get(keyword)
                if base != self._own and isinstance(reference, str):
                    schema[keyword] = base + reference if reference.startswith("#") else joined(base, reference)

    def make_static(self) -> None:
        references = LocalReferences(self.root, self._dialect)
        static = [
            (schema, keyword, target)
            for schema in self._schemas
            for keyword in _DYNAMIC
            if keyword in schema and self._dialect.knows(keyword)
            and (target := self._static(schema, keyword, references)) is not None
        ]  # fmt: skip
        for schema, keyword, target in static:
            del schema[keyword]
            if "$ref" in schema:
                schema["allOf"] = [*schema.get("allOf", ()), {"$ref": target}]
            else:
                schema["$ref"] = target

    def _static(self, schema: dict[str, Any], keyword: str, references: LocalReferences) -> str | None:
        """Return the only reference that a dynamic one stands for; None where there may be several."""
        found = references.target(schema[keyword])
        name = str(schema[keyword]).partition("#")[2]
        if found is not None and name.startswith("/"):
            return str(schema[keyword])
        if found is None or id(found[1]) not in self._bases:
            return None
        if keyword == "$recursiveRef":
            alone = len(set(self._bases.values())) == 1
            return schema[keyword] if alone or found[1].get("$recursiveAnchor") is not True else None
        if found[1].get("$dynamicAnchor") != name:
            return str(schema[keyword])
        ways = self._ways(name, references)
        ends = {self._bases[id(found[1])] if first is None else first for first in (ways or {}).get(id(schema), ())}
        (end,) = ends if len(ends) == 1 else (None,)
        return None if end is None else f"{end}#{name}" if end != self._own else f"#{name}"

    def _ways(self, name: str, references: LocalReferences) -> dict[int, set[str | None]] | None:
        """Return by the ``id()`` of each subschema the outermost documents with the dynamic anchor ``name``.

        There is one for each way from the root to it; None for a way without one. None if unknown.
        """
        if name not in self._known_ways:
            self._known_ways[name] = self._found_ways(name, references)
        return self._known_ways[name]

    def _found_ways(self, name: str, references: LocalReferences) -> dict[int, set[str | None]] | None:
        having = {self._bases[id(s)] for s in self._schemas if s.get("$dynamicAnchor") == name}
        waiting: list[tuple[Any, str | None]] = [(self.root, None)]
        ways: dict[int, set[str | None]] = {}
        while waiting:
            item, first = waiting.pop()
            if not isinstance(item, dict):
                continue
            if id(item) not in self._bases:  # below an unknown keyword
                return None
            base = self._bases[id(item)]
            first = base if first is None and base in having else first
            if first in ways.setdefault(id(item), set()):
                continue
            ways[id(item)].add(first)
            below = list(self._below(item, references))
            if any(target is None for target in below):
                return None
            waiting += [(target, first) for target in below]
        return ways

    def _below(self, schema: dict[str, Any], references: LocalReferences) -> Iterator[Any]:
        """Yield the subschemas that apply, and the targets of references; None for one that is not here."""
        yield from (below for steps, below in named_in(schema, self._dialect) if steps[0] not in DEFINITIONS)
        for keyword in REFERENCES:
            if keyword in schema and self._dialect.knows(keyword):
                found = references.target(schema[keyword])
                yield None if found is None else found[1]
                if keyword in _DYNAMIC:
                    name = str(schema[keyword]).partition("#")[2]
                    yield from (s for s in self._schemas if s.get("$dynamicAnchor") == name)
