"""The references inside one schema document, resolved against the base URI of each ``$id``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Dialect, identify
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import in_place, walk


class SchemaDocument:
    """The references inside one schema document, resolved against the base URI of each ``$id``.

    Subschemas are identified by object identity, so the document must not change while this is in use.
    Raises SchemaError when it nests too deep or its ``$schema`` is unknown.
    """

    def __init__(self, schema: Any, dialect: Dialect | None = None) -> None:
        self.schema = schema
        self.dialect = dialect or identify(schema)
        self._bases: dict[int, str] = {}
        self._resources: dict[str, Any] = {"": schema}
        self._anchors: dict[tuple[str, str], list[Any]] = {}
        self._targets: dict[tuple[str, str], Any] = {}
        self._index()

    @property
    def many_resources(self) -> bool:
        """True when a subschema has its own ``$id``."""
        return len({id(resource) for resource in self._resources.values()}) > 1

    def _index(self) -> None:
        identifier = self.dialect.identifier
        if isinstance(self.schema, dict) and isinstance(self.schema.get(identifier), str):
            self._resources[self.schema[identifier].rstrip("#")] = self.schema
        bases: dict[Pointer, str] = {(): self._identify(self.schema, "")}
        for node in walk(self.schema, self.dialect):
            if not isinstance(node.schema, dict):
                continue
            if node.pointer:
                base = self._base_above(node.pointer, bases)
                own = self._identify(node.schema, base)
                if own != base:
                    bases[node.pointer] = own
                    self._resources.setdefault(own, node.schema)
                if own:
                    self._bases[id(node.schema)] = own
            self._index_anchors(node.schema, self._bases.get(id(node.schema), bases[()]))
        if bases[()]:
            self._bases[id(self.schema)] = bases[()]

    @staticmethod
    def _base_above(pointer: Pointer, bases: dict[Pointer, str]) -> str:
        if len(bases) == 1:
            return bases[()]
        return next(bases[pointer[:end]] for end in range(len(pointer), -1, -1) if pointer[:end] in bases)

    def _identify(self, schema: Any, base: str) -> str:
        identifier = self.dialect.resource_id(schema)
        return base if identifier is None else joined(base, identifier).rstrip("#")

    def _index_anchors(self, schema: dict[str, Any], base: str) -> None:
        for name in dict.fromkeys(self.dialect.anchors(schema)):
            self._anchors.setdefault((base, name), []).append(schema)

    def base(self, node: Any) -> str:
        """Return the URI that references in ``node`` are relative to; empty where no ``$id`` is above it."""
        return self._bases.get(id(node), "")

    def target(self, node: dict[str, Any], keyword: str = "$ref") -> Any:
        """Return the subschema that ``node``'s reference leads to.

        Raises SchemaError when it leads nowhere or out of the document, or when its target depends on the path taken
        (``$dynamicRef`` across resources).
        """
        reference = node[keyword]
        if not isinstance(reference, str):
            raise SchemaError(f"{keyword} must be a string")
        if keyword != "$ref" and self.many_resources:
            raise SchemaError(f"{keyword} in a document of several $id leads to different places on different paths")
        own = self.base(node)
        if (own, reference) not in self._targets:
            self._targets[own, reference] = self._resolved(own, reference, keyword)
        return self._targets[own, reference]

    def _resolved(self, own: str, reference: str, keyword: str) -> Any:
        """Return the target of ``reference`` where ``own`` is the base URI. Each is resolved once."""
        base, _, fragment = reference.partition("#")
        resource_uri = joined(own, base) if base else own
        resource = self._resources.get(resource_uri.rstrip("#"))
        if resource is None:
            raise SchemaError(f"{keyword} {reference[:200]!r} leads out of the document")
        if fragment and not fragment.startswith("/"):
            anchors = self._anchors.get((resource_uri.rstrip("#"), fragment), ())
            if len(anchors) != 1:  # validators differ on which of several it is
                number = "two such anchors" if anchors else "no such anchor"
                raise SchemaError(f"{keyword} {reference[:200]!r}: there {'are' if anchors else 'is'} {number}")
            return anchors[0]
        try:
            return pointers.find(resource, pointers.parse(pointers.unquoted(fragment)))
        except (KeyError, ValueError):
            raise SchemaError(f"{keyword} {reference[:200]!r} leads nowhere in this document") from None

    def targets(self, node: Any) -> Iterator[Any]:
        """Yield the targets of the references of ``node``."""
        if isinstance(node, dict):
            for keyword in REFERENCES:
                if keyword in node and self.dialect.knows(keyword):
                    yield self.target(node, keyword)

    def in_place(self, node: Any) -> Iterator[Any]:
        """Yield the subschemas that apply to the same value one step down: targets of references, then branches."""
        yield from self.targets(node)
        yield from (subschema for _, subschema in in_place(node, self.dialect))


def joined(base: str, reference: str) -> str:
    """Return ``reference`` resolved against ``base``; as it is where there is no base, or it cannot be."""
    if not base:
        return reference
    from urllib.parse import urljoin

    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
