"""Enumerations of any length: their values by type, subsets and enumerated documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import value_type
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.values import equality_key

__all__ = ["EnumIndex", "enumerated_documents", "large_enums", "replaced_enum"]

LARGE = 5_000
"""The number of values above which a prover that compares them pairwise takes too long."""


class EnumIndex:
    """The enumerations of one proof. Each is indexed once, so that a comparison costs at most its length."""

    def __init__(self) -> None:
        self._by_type: dict[int, dict[str, list[Any]]] = {}
        self._keys: dict[tuple[int, str], frozenset[Hashable]] = {}
        self._answers: dict[tuple[int, int, str], bool] = {}
        self._alive: list[Any] = []  # lists are identified by id(), so none may be collected

    def of_type(self, schema: dict[str, Any], type_name: str) -> list[Any] | None:
        """Return the values of one type that ``schema`` lists; None where it lists none at all."""
        listed = _values(schema)
        if listed is None:
            return None
        if len(listed) == 1:
            return [value for value in listed if value_type(value) == type_name]
        if id(listed) not in self._by_type:
            self._alive.append(listed)
            by_type = self._by_type[id(listed)] = {}
            for value in listed:
                by_type.setdefault(value_type(value), []).append(value)
        return self._by_type[id(listed)].get(type_name, [])

    def is_subset(self, inner: dict[str, Any], outer: dict[str, Any], type_name: str) -> bool:
        """Return whether ``inner`` lists values, and ``outer`` lists all of them that have the type."""
        inner_values, outer_values = self.of_type(inner, type_name), self.of_type(outer, type_name)
        if inner_values is None or outer_values is None:
            return False
        if not inner_values:
            return True
        question = (id(_values(inner)), id(_values(outer)), type_name)
        if len(inner_values) == 1 or len(outer_values) == 1:
            return set(map(equality_key, inner_values)) <= set(map(equality_key, outer_values))
        if question not in self._answers:
            self._answers[question] = self._keys_of(inner, type_name) <= self._keys_of(outer, type_name)
        return self._answers[question]

    def integers_only(self, schema: dict[str, Any]) -> bool:
        """Return whether ``schema`` lists values and all numbers among them are written as integers."""
        numbers = self.of_type(schema, "number")
        if numbers is None:
            return False
        question = (id(_values(schema)), 0, "number")
        if len(numbers) < 2:
            return all(isinstance(number, int) for number in numbers)
        if question not in self._answers:
            self._answers[question] = all(isinstance(number, int) for number in numbers)
        return self._answers[question]

    def _keys_of(self, schema: dict[str, Any], type_name: str) -> frozenset[Hashable]:
        at = (id(_values(schema)), type_name)
        if at not in self._keys:
            self._keys[at] = frozenset(map(equality_key, self.of_type(schema, type_name) or ()))
        return self._keys[at]


def _values(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    return listed if isinstance(listed, list) else None


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
