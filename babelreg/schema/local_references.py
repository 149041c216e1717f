"""The references inside one schema document. Nothing outside it is ever looked at.

:class:`LocalReferences` answers None where a reference leads nowhere: for schemas whose references were checked before,
and where a doubt must not raise. :class:`StrictReferences` resolves against the base URI of each ``$id`` and raises; it
is for the views that validators are built from.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Dialect, dialect_of, identify
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import mappings, may_mention
from babelreg.schema.walk import check_depth, held, in_place


def references(schema: Any) -> Iterator[str]:
    """Yield the text of every reference in ``schema``, of all dialects; also of what only looks like one, in data."""
    for mapping in mappings(schema) if may_mention(schema, REFERENCES) else ():
        yield from (mapping[keyword] for keyword in REFERENCES if isinstance(mapping.get(keyword), str))


def fragment_steps(reference: str) -> list[str]:
    """Return the steps of the pointer in the fragment of ``reference``, decoded; a plain name is one step."""
    fragment = pointers.unquoted(reference.partition("#")[2])
    return [str(step) for step in pointers.parse(fragment if fragment.startswith("/") else f"/{fragment}")]


def local_pointer(reference: Any) -> Pointer | None:
    """Return the pointer that a reference such as ``#/$defs/a`` has in its document; None for a name and a file."""
    if not isinstance(reference, str) or (reference != "#" and not reference.startswith("#/")):
        return None
    return pointers.parse(pointers.unquoted(reference[1:]))


def local_target(document: Any, reference: Any) -> tuple[Pointer, Any] | None:
    """Return the pointer and the value that a reference such as ``#/$defs/a`` names; None where there is none."""
    steps = local_pointer(reference)
    if steps is None:
        return None
    try:
        return steps, pointers.find(document, steps)
    except KeyError:
        return None


class LocalReferences:
    """The references inside one schema document, which must not change while this is in use.

    Those of the root resource: a reference below another ``$id`` is resolved as if it stood outside.
    """

    def __init__(self, root: Any, dialect: Dialect | None = None) -> None:
        self.root = root
        self.dialect = dialect or dialect_of(root)
        self._base = (self.dialect.resource_id(root) or "").rstrip("#")

    def target(self, reference: Any) -> tuple[Pointer, Any] | None:
        """Return the pointer and schema that a reference leads to, or None without one.

        A name counts in the dialects that have it, so that both validators find the same target; one that is there
        twice names nothing.
        """
        if not isinstance(reference, str):
            return None
        if reference in ("", "#"):
            return (), self.root
        if reference.startswith("#/"):
            found = local_target(self.root, reference)
        else:
            found = self._found(reference, self._base)
        return found if found is not None and isinstance(found[1], (dict, bool)) else None

    def _found(self, reference: str, base: str) -> tuple[Pointer, Any] | None:
        """Return the pointer and the value that ``reference`` leads to, from a place whose URI is ``base``."""
        address, _, fragment = reference.partition("#")
        uri = joined(base, address) if address else base
        pointed = not fragment or fragment.startswith("/")
        found = self._named.get((uri, "" if pointed else fragment))
        if found is None or not fragment or not pointed:
            return found
        below = local_target(found[1], f"#{fragment}")
        return None if below is None else (found[0] + below[0], below[1])

    def targets(self, schema: Any) -> Iterator[tuple[Pointer, Any] | None]:
        """Yield where each reference of ``schema`` leads, None for one that leads nowhere."""
        if isinstance(schema, dict):
            for keyword in REFERENCES:
                if keyword in schema and self.dialect.knows(keyword):
                    yield self.target(schema[keyword])

    def in_place(
        self, schema: Any, pointer: Pointer = (), *, conditions: bool = False
    ) -> Iterator[tuple[Pointer, Any]]:
        """Yield the subschemas that apply to the same value, one step down: targets of references, then branches.

        ``pointer`` is where ``schema`` is. ``not`` and ``if`` only with ``conditions``.
        """
        yield from (target for target in self.targets(schema) if target is not None)
        yield from ((pointer + steps, below) for steps, below in in_place(schema, self.dialect, conditions=conditions))

    @property
    def _named(self) -> dict[tuple[str, str], tuple[Pointer, Any] | None]:
        """The schemas by the URI of their resource and their name in it, None for a name of two."""
        return self._index[0]

    @cached_property
    def _index(self) -> tuple[dict[tuple[str, str], tuple[Pointer, Any] | None], dict[int, str]]:
        """What ``_named`` says, and the URI of the resource of each mapping that is not in the root's, by identity."""
        named: dict[tuple[str, str], tuple[Pointer, Any] | None] = {(self._base, ""): ((), self.root)}
        bases: dict[int, str] = {}
        waiting: list[tuple[Pointer, Any, str, Dialect]] = [((), self.root, self._base, self.dialect)]
        while waiting:
            pointer, schema, base, dialect = waiting.pop()
            if not isinstance(schema, dict) or (pointer and "$schema" in schema and not _is_known(schema)):
                continue
            dialect = identify(schema) if pointer and "$schema" in schema else dialect
            names = list(dict.fromkeys(dialect.anchors(schema)))
            if pointer and (identifier := dialect.resource_id(schema)) is not None:
                base = joined(base, identifier).rstrip("#")
                names.append("")
            if base != self._base:
                bases[id(schema)] = base
            for name in names:
                named[base, name] = None if (base, name) in named else (pointer, schema)
            waiting.extend((pointer + steps, below, base, dialect) for steps, below in named_in(schema, dialect))
        return named, bases


class StrictReferences(LocalReferences):
    """The references inside one schema document, each resolved against the base URI of the ``$id`` above it.

    Subschemas are told apart by identity. Raises SchemaError when it nests too deep or its ``$schema`` is unknown.
    """

    def __init__(self, root: Any, dialect: Dialect | None = None) -> None:
        super().__init__(root, dialect or identify(root))
        check_depth(root, self.dialect)
        self._schemas: dict[tuple[str, str], Any] = {}

    def schema(self, node: dict[str, Any], keyword: str = "$ref") -> Any:
        """Return the subschema that ``node``'s reference leads to.

        Raises SchemaError when it leads nowhere or out of the document, or when its target depends on the path taken
        (``$dynamicRef`` across resources).
        """
        reference = node[keyword]
        if not isinstance(reference, str):
            raise SchemaError(f"{keyword} must be a string")
        if keyword != "$ref" and sum(name == "" for _, name in self._named) > 1:
            raise SchemaError(
                f"{keyword} in a document with several $id resolves to different places on different paths"
            )
        own = self._index[1].get(id(node), self._base)
        if (own, reference) not in self._schemas:
            found = self._found(reference, own)
            if found is None:
                raise SchemaError(f"{keyword} {reference[:200]!r}{self._reason(reference, own)}")
            self._schemas[own, reference] = found[1]
        return self._schemas[own, reference]

    def _reason(self, reference: str, base: str) -> str:
        """Return why ``reference`` points to nothing."""
        address, _, fragment = reference.partition("#")
        uri = joined(base, address) if address else base
        if (uri, "") not in self._named:
            return " points outside the document"
        if self._named[uri, ""] is None:
            return ": there are two such $id"
        if fragment.startswith("/"):
            return " does not resolve in this document"
        return f": there {'are two such anchors' if (uri, fragment) in self._named else 'is no such anchor'}"

    def schemas(self, node: Any) -> Iterator[Any]:
        """Yield the targets of the references of ``node``."""
        if isinstance(node, dict):
            for keyword in REFERENCES:
                if keyword in node and self.dialect.knows(keyword):
                    yield self.schema(node, keyword)

    def schemas_in_place(self, node: Any) -> Iterator[Any]:
        """Yield the subschemas that apply to the same value one step down: targets of references, then branches."""
        yield from self.schemas(node)
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


def _is_known(schema: dict[str, Any]) -> bool:
    try:
        identify(schema)
    except SchemaError:
        return False
    return True


def named_in(schema: dict[str, Any], dialect: Dialect) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas in which both validators look for names: of this dialect's keywords, beside ``$ref`` too."""
    for name, value in schema.items():
        keyword = dialect.keywords.get(name)
        if keyword is not None and (dialect.ref_alone or name != "dependencies"):
            yield from (((name, *steps), below) for steps, below in held(value, keyword.shape))
