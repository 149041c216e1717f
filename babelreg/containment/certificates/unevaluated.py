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
_MOST_CASES = 16


def settle_unevaluated(pairs: list[tuple[Any, dict[str, Any]]], references: LocalReferences, draft: int) -> None:
    """Rewrite the core schemas of 2019-09 or 2020-12 whose ``unevaluated...`` does not depend on the value."""
    for word, further in (("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")):
        for schema, core in list(pairs):
            if word not in core:
                continue
            evaluation = _Evaluation(word, references, draft)
            evaluated = evaluation.of(schema, nested=False)
            if evaluated is None:
                _settle_cases(
                    evaluation.cases(schema, frozenset(), nested=False), (word, further), schema, core, pairs, draft
                )
                continue
            rest = core.pop(word)
            if _EVERYTHING in evaluated:
                continue
            if evaluated == _named(core, draft, items=further == "items", rewritten=True):
                core[further] = rest
                continue
            pairs.append(_closing(evaluated, schema[word], rest, further, draft))
            core["allOf"] = [*core.get("allOf", ()), pairs[-1][1]]


def _settle_cases(
    cases: list[Case], words: tuple[str, str], schema: Any, core: dict[str, Any], pairs: list[Pair], draft: int
) -> None:
    """Rewrite a schema of which a ``oneOf`` decides what is evaluated, as the one branch that holds evaluates it.

    Beside all that the schema says, it is equal to an ``anyOf`` of the cases: the branches, and what each closes.
    """
    word, further = words
    cores = {id(subschema): known for subschema, known in pairs}
    if not cases or any(isinstance(held, dict) and id(held) not in cores for branches, _ in cases for held in branches):
        return
    rest, settled = core.pop(word), list[Pair]()
    for branches, evaluated in cases:
        held: list[Pair] = [(each, cores[id(each)] if isinstance(each, dict) else each) for each in branches]
        if _EVERYTHING not in evaluated:
            pairs.append(_closing(evaluated, schema[word], rest, further, draft))
            held.append(pairs[-1])
        written, known = zip(*held, strict=True)
        settled.append(({"allOf": [*written]}, {"allOf": [*known]}))
    written, known = zip(*settled, strict=True)
    pairs += [*settled, ({"anyOf": [*written]}, {"anyOf": [*known]})]
    core["allOf"] = [*core.get("allOf", ()), pairs[-1][1]]


def _closing(evaluated: Evaluated, written: Any, rest: Any, further: str, draft: int) -> Pair:
    """Return the schema, as written and as a core schema, that has ``rest`` for all that is not evaluated."""
    part, closing = _beside(evaluated, rest, further), _beside(evaluated, written, further)
    if draft == 3 and "prefixItems" in closing:
        closing = {"items": closing["prefixItems"], "additionalItems": closing["items"]}
    return closing, part


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

    def cases(self, schema: Any, around: frozenset[int], *, nested: bool = True) -> list[Case]:
        """Return the cases, of which one holds where the schema does: the branches of ``oneOf`` are told apart.

        None are returned where what is evaluated depends on more, and where there are too many.
        """
        evaluated = self.of(schema, nested=nested)
        if evaluated is not None:
            return [((), evaluated)]
        if id(schema) in around or not self._is_known(schema):
            return []
        around |= {id(schema)}
        found: list[Case] = [((), self._own(schema, nested))]
        target = self._references.target(schema["$ref"]) if "$ref" in schema else None
        below = [*schema.get("allOf", ()), *([] if target is None else [target[1]])]
        parts = [self.cases(each, around) for each in below]
        if "oneOf" in schema:
            by_branch = [(branch, self.cases(branch, around)) for branch in schema["oneOf"]]
            if not all(cases for _, cases in by_branch):
                return []
            parts.append([((branch, *held), more) for branch, cases in by_branch for held, more in cases])
        for part in parts:
            if len(found) * len(part) > _MOST_CASES:
                return []
            found = [((*held, *others), own | more) for held, own in found for others, more in part]
        optional = [self.of(branch) for branch in _branches(schema, "anyOf")]
        lacks = "$ref" in schema and target is None
        settled = all(_adds_nothing(more, own) for more in optional for _, own in found)
        return found if settled and not lacks else []

    def _is_known(self, schema: dict[str, Any]) -> bool:
        return _UNKNOWN.isdisjoint(schema) and not (self._items and "contains" in schema)

    def _own(self, schema: dict[str, Any], nested: bool) -> Evaluated:
        """Return what a schema evaluates without those in place."""
        everything = self._is_closed(schema) or (nested and self._word in schema)
        return _named(schema, self._draft, items=self._items) | ({_EVERYTHING} if everything else set())

    def _of(self, schema: dict[str, Any], nested: bool) -> Evaluated | None:
        if not self._is_known(schema):
            return None
        evaluated = self._own(schema, nested)
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
            if not _adds_nothing(self.of(branch), evaluated):
                return None
        return evaluated

    def _is_closed(self, schema: dict[str, Any]) -> bool:
        """Return True if a keyword evaluates all that is not listed."""
        if not self._items:
            return "additionalProperties" in schema
        listed = isinstance(schema.get("items"), list)
        return ("additionalItems" in schema) if listed and self._draft == 3 else "items" in schema


def _adds_nothing(more: Evaluated | None, evaluated: Evaluated) -> bool:
    return more is not None and (_EVERYTHING in evaluated or more <= evaluated)


def _branches(schema: dict[str, Any], *unions: str) -> Iterator[Any]:
    """Yield the schemas that may hold for the value, or not."""
    for word in unions or ("anyOf", "oneOf"):
        yield from schema.get(word, ())
    yield from (schema[word] for word in ("if", "then", "else") if word in schema)
    yield from schema.get("dependentSchemas", {}).values()
