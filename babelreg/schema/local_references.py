"""The references inside one schema document, resolved by their text.

Where one leads nowhere the answer is None: for schemas whose references were checked before, and where a doubt must not
raise. :class:`babelreg.schema.base_uri_references.SchemaDocument` resolves against the base URI of each ``$id`` and
raises; it is for the views that validators are built from. Nothing outside the document is ever looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema import pointer as pointers
from babelreg.schema.base_uri_references import joined
from babelreg.schema.dialects import Dialect, dialect_of, identify
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import mappings, may_mention
from babelreg.schema.walk import held, in_place


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
    """The references inside one schema document, resolved by their text. Where one leads nowhere, nothing is raised."""

    def __init__(self, root: Any, dialect: Dialect | None = None) -> None:
        self.root = root
        self.dialect = dialect or dialect_of(root)
        self._base = (self.dialect.resource_id(root) or "").rstrip("#")
        self._named: dict[tuple[str, str], tuple[Pointer, Any] | None] | None = None

    def target(self, reference: Any) -> tuple[Pointer, Any] | None:
        """Return the pointer and schema that a ``$ref`` of the root resource names, or None without one.

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
            found = self._by_name(*reference.partition("#")[::2])
        return found if found is not None and isinstance(found[1], (dict, bool)) else None

    def _by_name(self, address: str, fragment: str) -> tuple[Pointer, Any] | None:
        uri = joined(self._base, address) if address else self._base
        pointed = not fragment or fragment.startswith("/")
        found = self._index().get((uri, "" if pointed else fragment))
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

    def _index(self) -> dict[tuple[str, str], tuple[Pointer, Any] | None]:
        """Return the schemas by the address of their resource and their name in it, None for a name of two."""
        if self._named is None:
            self._named = {(self._base, ""): ((), self.root)}
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
                for name in names:
                    self._named[base, name] = None if (base, name) in self._named else (pointer, schema)
                waiting.extend((pointer + steps, below, base, dialect) for steps, below in named_in(schema, dialect))
        return self._named


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
