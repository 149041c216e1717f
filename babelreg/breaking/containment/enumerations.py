"""Enumerations of any length: whether one was replaced, and the documents that a schema enumerates."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.values import equality_key

__all__ = ["enumerated_documents", "large_enums", "replaced_enum"]

LARGE = 5_000
"""The number of values above which a prover that compares them pairwise takes too long."""


def large_enums(schema: Any) -> list[frozenset[Hashable]]:
    """Return the enumerations of more than :data:`LARGE` values below ``schema``, each once."""
    return list(dict.fromkeys(frozenset(map(equality_key, listed)) for listed in _long_lists(schema)))


def _long_lists(schema: Any) -> Iterator[list[Any]]:
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            listed = item.get("enum")
            if isinstance(listed, list) and len(listed) > LARGE:
                yield listed
            waiting.extend(value for value in item.values() if value is not listed)
        elif isinstance(item, list):
            waiting.extend(item)


def replaced_enum(inner: list[frozenset[Hashable]], outer: list[frozenset[Hashable]]) -> bool:
    """Return whether an enumeration of ``inner`` shares values with one of ``outer`` and is a subset of none."""
    return any(
        not any(values <= other for other in outer) and not all(values.isdisjoint(other) for other in outer)
        for values in inner
    )


_MOST = 1_000
_MOST_HOPS = 64


def enumerated_documents(schema: Any, dialect: Dialect) -> list[Any] | None:
    """Return every document that ``schema`` can allow, perhaps among others; None where there is no such list."""
    anchors = LocalReferences(schema)
    documents: list[Any] = []
    waiting, hops = [schema], 0
    while waiting:
        branch, hops = waiting.pop(), hops + 1
        if hops > _MOST_HOPS or not isinstance(branch, dict):
            return None
        values, branches = _own_values(branch, dialect), _branches(branch, anchors)
        if values is not None:
            documents += values
        elif branches is not None:
            waiting += branches
        else:
            return None
        if len(documents) > _MOST:
            return None
    return documents


def _own_values(schema: dict[str, Any], dialect: Dialect) -> list[Any] | None:
    if dialect.ref_alone and "$ref" in schema:
        return None
    # In draft 4, 1 and 1.0 are one value and two types; and it has no const.
    if not dialect.booleans:
        return None
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _branches(schema: dict[str, Any], anchors: LocalReferences) -> list[Any] | None:
    """Return schemas of which at least one holds wherever ``schema`` does."""
    target = anchors.target(schema.get("$ref"))
    if target is not None:
        return [target[1]]
    for keyword in UNIONS:
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            return branches
    several = schema.get("allOf")
    if isinstance(several, list):
        return next(
            ([member] for member in several if isinstance(member, dict) and member.keys() & {"const", "enum"}), None
        )
    return None
