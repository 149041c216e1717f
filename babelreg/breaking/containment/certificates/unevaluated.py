"""``unevaluatedProperties`` and ``unevaluatedItems`` written as ``additionalProperties`` and ``items``.

What a value has evaluated counts only where all the other keywords of the schema hold. Then members of ``allOf`` and
targets of ``$ref`` hold, too, and evaluate what they name. A branch that may hold or not must add nothing to that. Part
of the checker: of babelreg, it imports other parts only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.local_references import LocalReferences

__all__ = ["settle_unevaluated"]

_EVERYTHING = ("", "")
_LISTED = ("properties", "patternProperties")
_UNKNOWN = {"$dynamicRef", "$recursiveRef", "dependencies"}
"""Where these are, what is evaluated is not known here; validators differ on ``dependencies``.

What ``contains`` finds is evaluated to both validators, also in 2019-09, whose text does not say so."""
Evaluated = set[tuple[str, Any]]
"""Keywords with the names, patterns or positions that they evaluate."""


def settle_unevaluated(pairs: list[tuple[Any, dict[str, Any]]], references: LocalReferences, draft: int) -> None:
    """Rewrite the core schemas of 2019-09 or 2020-12 whose ``unevaluated...`` does not depend on the value."""
    for word, further in (("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")):
        for schema, core in list(pairs):
            if word not in core:
                continue
            evaluated = _Evaluation(word, references, draft).of(schema, nested=False)
            if evaluated is None:
                continue
            rest = core.pop(word)
            if _EVERYTHING in evaluated:
                continue
            if evaluated == _named(core, draft, items=further == "items", rewritten=True):
                core[further] = rest
                continue
            part, written = _beside(evaluated, rest, further), _beside(evaluated, schema[word], further)
            if draft == 3 and "prefixItems" in written:
                written = {"items": written["prefixItems"], "additionalItems": written["items"]}
            pairs.append((written, part))
            core["allOf"] = [*core.get("allOf", ()), part]


def _beside(evaluated: Evaluated, rest: Any, further: str) -> dict[str, Any]:
    if further == "items":
        return {"prefixItems": [True] * len(evaluated), "items": rest} if evaluated else {"items": rest}
    named = {word: {name: True for of, name in sorted(evaluated) if of == word} for word in _LISTED}
    return {**{word: names for word, names in named.items() if names}, further: rest}


def _named(schema: dict[str, Any], draft: int, *, items: bool, rewritten: bool = False) -> Evaluated:
    """Return what the keywords of one schema list."""
    if not items:
        return {(word, name) for word in _LISTED for name in schema.get(word, ())}
    listed = schema.get("prefixItems" if draft > 3 or rewritten else "items", ())
    return {("prefixItems", at) for at in range(len(listed))} if isinstance(listed, (list, tuple)) else set()


class _Evaluation:
    """What schemas of one view evaluate where they hold."""

    def __init__(self, word: str, references: LocalReferences, draft: int) -> None:
        self._word, self._references, self._draft = word, references, draft
        self._items = word == "unevaluatedItems"
        self._known: dict[int, Evaluated | None] = {}

    def of(self, schema: Any, *, nested: bool = True) -> Evaluated | None:
        """Return what a schema evaluates of each value for which it holds; None where that depends on the value."""
        if not isinstance(schema, dict):
            return set()
        if id(schema) not in self._known:
            self._known[id(schema)] = None  # in a circle
            self._known[id(schema)] = self._of(schema, nested)
        return self._known[id(schema)]

    def _of(self, schema: dict[str, Any], nested: bool) -> Evaluated | None:
        if not _UNKNOWN.isdisjoint(schema) or (self._items and "contains" in schema):
            return None
        evaluated = _named(schema, self._draft, items=self._items)
        evaluated |= {_EVERYTHING} if self._is_closed(schema) or (nested and self._word in schema) else set()
        for below in schema.get("allOf", ()):
            if (more := self.of(below)) is None:
                return None
            evaluated |= more
        if "$ref" in schema:
            target = self._references.target(schema["$ref"])
            if target is None or (more := self.of(target[1])) is None:
                return None
            evaluated |= more
        for branch in _branches(schema):
            more = self.of(branch)
            if more is None or not (_EVERYTHING in evaluated or more <= evaluated):
                return None
        return evaluated

    def _is_closed(self, schema: dict[str, Any]) -> bool:
        """Return True if a keyword evaluates all that is not listed."""
        if not self._items:
            return "additionalProperties" in schema
        listed = isinstance(schema.get("items"), list)
        return ("additionalItems" in schema) if listed and self._draft == 3 else "items" in schema


def _branches(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas that may hold for the value, or not."""
    for word in ("anyOf", "oneOf"):
        yield from schema.get(word, ())
    yield from (schema[word] for word in ("if", "then", "else") if word in schema)
    yield from schema.get("dependentSchemas", {}).values()
