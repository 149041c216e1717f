"""The references inside one schema document, resolved by their text.

Where one leads nowhere the answer is None: for schemas whose references were checked before, and where a doubt must not
raise. :class:`babelreg.schema.base_uri_references.SchemaDocument` resolves against the base URI of each ``$id`` and
raises; it is for the views that validators are built from. Nothing outside the document is ever looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Dialect, dialect_of
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import subschemas
from babelreg.schema.walk import in_place

__all__ = ["LocalReferences", "local_target"]


def local_target(document: Any, reference: Any) -> tuple[Pointer, Any] | None:
    """Return the pointer and the value that a reference such as ``#/$defs/a`` names; None where there is none."""
    if not isinstance(reference, str) or (reference != "#" and not reference.startswith("#/")):
        return None
    steps = pointers.parse(pointers.unquoted(reference[1:]))
    try:
        return steps, pointers.find(document, steps)
    except KeyError:
        return None


class LocalReferences:
    """The references inside one schema document, resolved by their text. Where one leads nowhere, nothing is raised."""

    def __init__(self, root: Any, dialect: Dialect | None = None) -> None:
        self.root = root
        self.dialect = dialect or dialect_of(root)
        self._named: dict[str, tuple[Pointer, Any]] | None = None

    def target(self, reference: Any) -> tuple[Pointer, Any] | None:
        """Return the pointer and schema that a ``$ref`` names, or None where this document has none such."""
        if not isinstance(reference, str):
            return None
        if reference in ("", "#"):
            return (), self.root
        if reference.startswith("#/"):
            found = local_target(self.root, reference)
            return found if found is not None and isinstance(found[1], (dict, bool)) else None
        return self._index().get(reference)

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

    def _index(self) -> dict[str, tuple[Pointer, Any]]:
        if self._named is None:
            self._named = {}
            waiting: list[tuple[Pointer, Any]] = [((), self.root)]
            while waiting:
                pointer, schema = waiting.pop()
                if isinstance(schema, dict):
                    for keyword, prefix in (("$id", ""), ("id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")):
                        name = schema.get(keyword)
                        if isinstance(name, str):
                            self._named.setdefault(prefix + name, (pointer, schema))
                waiting.extend((pointer + steps, below) for steps, below in subschemas(schema))
        return self._named
