"""Schemas with their references replaced by what they refer to: the SDKs of BabelQueue follow none."""

from __future__ import annotations

from typing import Any

from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS, IDENTIFIERS
from babelreg.schema.local_references import local_target
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.values import mappings

_MOST_NODES = 5_000


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``schema``, which is of 2020-12, with references replaced where only annotations stand beside them.

    References that lead back to themselves remain, and all of them where the result would be too large or where a
    part of the schema has an identifier of its own.
    """
    if any(not IDENTIFIERS.isdisjoint(node) or "$dynamicRef" in node for node in mappings(schema)):
        return schema
    expansion = _Expansion(schema)
    try:
        result: dict[str, Any] = expansion.expanded(schema, frozenset())
    except _TooLarge:
        return schema
    if not any("$ref" in node for node in mappings({k: v for k, v in result.items() if k not in DEFINITIONS})):
        result = {key: value for key, value in result.items() if key not in DEFINITIONS}
    return result


class _TooLarge(Exception):
    """The result has more than ``_MOST_NODES`` subschemas."""


class _Expansion:
    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._nodes = 0
        self._recursive: dict[str, bool] = {}

    def expanded(self, schema: Any, followed: frozenset[str]) -> Any:
        """Return ``schema`` with its references replaced; those in ``followed`` led to it."""
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise _TooLarge
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in followed and not _asserts_beside(schema):
            target = local_target(self._root, reference)
            if target is not None and isinstance(target[1], dict) and not self._is_recursive(reference):
                beside = {key: value for key, value in schema.items() if key != "$ref"}
                return self.expanded({**target[1], **beside}, followed | {reference})
        return with_subschemas(schema, lambda below: self.expanded(below, followed))

    def _is_recursive(self, reference: str) -> bool:
        """Return True if following ``reference`` leads back to it."""
        if reference not in self._recursive:
            self._recursive[reference] = self._leads_back(reference)
        return self._recursive[reference]

    def _leads_back(self, reference: str) -> bool:
        seen: set[str] = set()
        waiting = [reference]
        while waiting:
            target = local_target(self._root, waiting.pop())
            for node in mappings(target[1]) if target else ():
                below = node.get("$ref")
                if below == reference:
                    return True
                if isinstance(below, str) and below not in seen:
                    seen.add(below)
                    waiting.append(below)
        return False


def _asserts_beside(schema: dict[str, Any]) -> bool:
    """Return True for a reference beside keywords that are more than annotations."""
    silent = {*ANNOTATIONS, *DEFINITIONS, "$ref"}
    return any(key not in silent and not key.startswith("x-") for key in schema)
