"""``unevaluatedProperties`` and ``unevaluatedItems`` written as ``additionalProperties`` and ``items``.

What a value has evaluated counts only where all the other keywords of the schema hold. Then members of ``allOf`` and
targets of ``$ref`` hold, too, and evaluate what they name. Just one branch of a ``oneOf`` does, so each is a case. Any
other branch that may hold or not must add nothing to that. Part of the checker: of babelreg, it imports other parts
only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.local_references import LocalReferences

_EVERYTHING = ("", "")
_LISTED = ("properties", "patternProperties")
_UNKNOWN = {"$dynamicRef", "$recursiveRef", "dependencies"}
"""Where these are, what is evaluated is not known here; validators differ on ``dependencies``.

What ``contains`` finds is evaluated to both validators, also in 2019-09, whose text does not say so."""
Evaluated = set[tuple[str, Any]]
"""Keywords with the names, patterns or positions that they evaluate."""
Case = tuple[tuple[Any, ...], Evaluated]
"""Branches that hold, and what is evaluated where they do."""
Pair = tuple[Any, Any]
"""A schema as it is written, and as a core schema."""
_MOST_CASES = 16


def settle_unevaluated(pairs: list[Pair], references: LocalReferences, draft: int) -> None:
    """Rewrite the core schemas of 2019-09 or 2020-12 of which it is known what they evaluate.

    Where a ``oneOf`` decides it, the rest is an ``anyOf`` of the cases: the branches that hold, and what each closes.
    """
    cores = {id(schema): core for schema, core in pairs}
    for word, further in (("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")):
        for schema, core in list(pairs):
            cases = _Evaluation(word, references, draft).cases(schema, nested=False) if word in core else []
            branches = [branch for held, _ in cases for branch in held if isinstance(branch, dict)]
            if not cases or not all(id(branch) in cores for branch in branches):
                continue
            rest = core.pop(word)
            if len(cases) == 1 and cases[0][1] == _named(core, "prefixItems" if further == "items" else None):
                core[further] = rest
                continue
            ways: list[list[Pair]] = []
            for held, evaluated in cases:
                ways.append([(branch, cores.get(id(branch), branch)) for branch in held])
                if _EVERYTHING not in evaluated:
                    closing = _closing(evaluated, schema[word], further, draft), _closing(evaluated, rest, further)
                    pairs.append(closing)
                    ways[-1].append(closing)
            if len(ways) > 1:
                members = [_joined("allOf", way) for way in ways]
                ways = [[_joined("anyOf", members)]]
                pairs += [*members, *ways[0]]
            if ways[0]:
                core["allOf"] = [*core.get("allOf", ()), *(part for _, part in ways[0])]


def _joined(keyword: str, parts: list[Pair]) -> Pair:
    written, cores = zip(*parts, strict=True)
    return {keyword: [*written]}, {keyword: [*cores]}


def _closing(evaluated: Evaluated, rest: Any, further: str, draft: int = 4) -> dict[str, Any]:
    """Return the schema that has ``rest`` for all that is not evaluated; a core schema is written as in 2020-12."""
    if further == "items":
        listing, others = ("prefixItems", "items") if draft > 3 else ("items", "additionalItems")
        return {listing: [True] * len(evaluated), others: rest} if evaluated else {"items": rest}
    named = {word: {name: True for of, name in sorted(evaluated) if of == word} for word in _LISTED}
    return {**{word: names for word, names in named.items() if names}, further: rest}


def _named(schema: dict[str, Any], listing: str | None) -> Evaluated:
    """Return what the keywords of one schema list: its properties, or the items under ``listing``."""
    if listing is None:
        return {(word, name) for word in _LISTED for name in schema.get(word, ())}
    listed = schema.get(listing, ())
    return {("prefixItems", at) for at in range(len(listed))} if isinstance(listed, list) else set()


class _Evaluation:
    """What schemas of one view evaluate where they hold."""

    def __init__(self, word: str, references: LocalReferences, draft: int) -> None:
        self._word, self._references, self._draft = word, references, draft
        self._items = word == "unevaluatedItems"
        self._known: dict[int, list[Case]] = {}

    def cases(self, schema: Any, *, nested: bool = True) -> list[Case]:
        """Return the cases, of which one holds where the schema does: the branches of ``oneOf`` are told apart.

        None are returned where what is evaluated depends on more, and where there are too many.
        """
        if not isinstance(schema, dict):
            return [((), set())]
        if id(schema) not in self._known:
            self._known[id(schema)] = []  # in a circle
            self._known[id(schema)] = self._cases(schema, nested)
        return self._known[id(schema)]

    def _cases(self, schema: dict[str, Any], nested: bool) -> list[Case]:
        if not _UNKNOWN.isdisjoint(schema) or (self._items and "contains" in schema):
            return []
        found: list[Case] = [((), self._own(schema, nested))]
        for below in schema.get("allOf", ()):
            found = _crossed(found, self.cases(below))
        if "$ref" in schema:
            target = self._references.target(schema["$ref"])
            found = _crossed(found, self.cases(target[1])) if target else []
        choices = [(branch, self.cases(branch)) for branch in schema.get("oneOf", ())]
        if not all(_add_nothing(cases, found) for _, cases in choices):
            told_apart = [((branch, *held), more) for branch, cases in choices for held, more in cases]
            found = _crossed(found, told_apart) if all(cases for _, cases in choices) else []
        return found if all(_add_nothing(self.cases(branch), found) for branch in _optional(schema)) else []

    def _own(self, schema: dict[str, Any], nested: bool) -> Evaluated:
        """Return what a schema evaluates without those in place."""
        listing = ("prefixItems" if self._draft > 3 else "items") if self._items else None
        everything = self._is_closed(schema) or (nested and self._word in schema)
        return _named(schema, listing) | ({_EVERYTHING} if everything else set())

    def _is_closed(self, schema: dict[str, Any]) -> bool:
        """Return True if a keyword evaluates all that is not listed."""
        if not self._items:
            return "additionalProperties" in schema
        listed = isinstance(schema.get("items"), list)
        return ("additionalItems" in schema) if listed and self._draft == 3 else "items" in schema


def _crossed(left: list[Case], right: list[Case]) -> list[Case]:
    if len(left) * len(right) > _MOST_CASES:
        return []
    return [((*held, *others), own | more) for held, own in left for others, more in right]


def _add_nothing(cases: list[Case], found: list[Case]) -> bool:
    """Return True if it is known what the cases evaluate, and that is evaluated anyhow."""
    every = [(more, evaluated) for _, more in cases for _, evaluated in found]
    return bool(cases) and all(_EVERYTHING in evaluated or more <= evaluated for more, evaluated in every)


def _optional(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas that may hold for the value, or not, in any number."""
    yield from schema.get("anyOf", ())
    yield from (schema[word] for word in ("if", "then", "else") if word in schema)
    yield from schema.get("dependentSchemas", {}).values()
