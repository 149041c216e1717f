"""Enumerations, however long: which values they list by type, and whether one lies within another."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from babelreg.breaking.containment.proof.scalars import kind as kind_of
from babelreg.schema.values import equality_key

__all__ = ["Enums", "large_enums", "replaced_enum"]

LARGE = 5_000
"""The number of values from which a prover that compares them pair by pair takes too long."""


class Enums:
    """The enumerations of one proof. Each is read once, so that a question costs at most its length."""

    def __init__(self) -> None:
        self._by_kind: dict[int, dict[str, list[Any]]] = {}
        self._keys: dict[tuple[int, str], frozenset[Hashable]] = {}
        self._within: dict[tuple[int, int, str], bool] = {}
        self._kept: list[Any] = []  # lists are told apart by identity, so none may go away

    def of_kind(self, schema: dict[str, Any], kind: str) -> list[Any] | None:
        """Return the values of one type that ``schema`` lists; None where it lists none at all."""
        listed = _listed(schema)
        if listed is None:
            return None
        if len(listed) == 1:
            return [value for value in listed if kind_of(value) == kind]
        if id(listed) not in self._by_kind:
            self._kept.append(listed)
            by_kind = self._by_kind[id(listed)] = {}
            for value in listed:
                by_kind.setdefault(kind_of(value), []).append(value)
        return self._by_kind[id(listed)].get(kind, [])

    def within(self, inner: dict[str, Any], outer: dict[str, Any], kind: str) -> bool:
        """Return whether ``inner`` lists values, of which those of the type ``kind`` are all listed by ``outer``."""
        few, many = self.of_kind(inner, kind), self.of_kind(outer, kind)
        if few is None or many is None:
            return False
        if not few:
            return True
        question = (id(_listed(inner)), id(_listed(outer)), kind)
        if len(few) == 1 or len(many) == 1:
            return set(map(equality_key, few)) <= set(map(equality_key, many))
        if question not in self._within:
            self._within[question] = self._keys_of(inner, kind) <= self._keys_of(outer, kind)
        return self._within[question]

    def whole(self, schema: dict[str, Any]) -> bool:
        """Return whether ``schema`` lists values, of which all numbers are written as integers."""
        numbers = self.of_kind(schema, "number")
        if numbers is None:
            return False
        question = (id(_listed(schema)), 0, "number")
        if len(numbers) < 2:
            return all(isinstance(number, int) for number in numbers)
        if question not in self._within:
            self._within[question] = all(isinstance(number, int) for number in numbers)
        return self._within[question]

    def _keys_of(self, schema: dict[str, Any], kind: str) -> frozenset[Hashable]:
        at = (id(_listed(schema)), kind)
        if at not in self._keys:
            self._keys[at] = frozenset(map(equality_key, self.of_kind(schema, kind) or ()))
        return self._keys[at]


def _listed(schema: dict[str, Any]) -> list[Any] | None:
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
        here = waiting.pop()
        if isinstance(here, dict):
            listed = here.get("enum")
            if isinstance(listed, list) and len(listed) > LARGE:
                yield listed
            waiting.extend(value for value in here.values() if value is not listed)
        elif isinstance(here, list):
            waiting.extend(here)


def replaced_enum(inner: list[frozenset[Hashable]], outer: list[frozenset[Hashable]]) -> bool:
    """Return whether an enumeration of ``inner`` shares values with one of ``outer``, and lies within none of them."""
    return any(
        not any(values <= other for other in outer) and not all(values.isdisjoint(other) for other in outer)
        for values in inner
    )
