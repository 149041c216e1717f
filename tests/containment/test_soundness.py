"""The law of decision 4: a change called compatible never yields a message that the one side's producer view sends and
the other side's reader view refuses. Checked with documents that know nothing of the search.
"""

from __future__ import annotations

import random
from typing import Any

import jsonschema_rs
import pytest

from babelreg.containment import compare
from babelreg.contract import views

NAMES = "abc"
SCALARS: list[Any] = [
    {"type": "string"},
    {"type": "integer", "maximum": 3},
    {"type": "number", "minimum": 0},
    {"type": ["string", "null"]},
    {"enum": ["a", 1, None]},
    {"enum": ["a", True]},
    {"type": "string", "maxLength": 1},
    {"type": "string", "format": "date"},
    {"type": "string", "pattern": "^a"},
    {"type": "string", "enum": ["a", "b"], "x-open-enum": True},
    {"type": "string", "enum": ["a"], "x-open-enum": True},
    {"not": {"type": "string"}},
    {},
]
VALUES: list[Any] = ["", "a", "b", "abc", 0, 1, 4, -1, 1.5, None, True, False, "2024-02-29", [], {}]


def schema(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth > 2 or kind < 0.35:
        return chance.choice(SCALARS)
    if kind < 0.75:
        return described(chance, depth)
    if kind < 0.85:
        return {"type": "array", "items": schema(chance, depth + 1), "maxItems": chance.randint(0, 3)}
    union = chance.choice(["anyOf", "oneOf", "allOf"])
    return {union: [schema(chance, depth + 1) for _ in range(chance.randint(1, 3))]}


def described(chance: random.Random, depth: int) -> Any:
    properties = {name: schema(chance, depth + 1) for name in chance.sample(NAMES, chance.randint(0, 3))}
    found: dict[str, Any] = {"type": "object", "properties": properties}
    if chance.random() < 0.5:
        found["required"] = chance.sample(NAMES, chance.randint(1, 2))
    further = chance.random()
    if further < 0.3:
        found["additionalProperties"] = chance.choice([False, True, {"type": "integer"}])
    if further > 0.9:
        found["dependentRequired"] = {chance.choice(NAMES): [chance.choice(NAMES)]}
    return found


def changed(chance: random.Random, old: Any) -> Any:
    """``old`` with one property described anew, or something else altogether."""
    if isinstance(old, dict) and old.get("properties") and chance.random() < 0.8:
        name = chance.choice(list(old["properties"]))
        return {**old, "properties": {**old["properties"], name: changed(chance, old["properties"][name])}}
    return schema(chance, 2)


def document(chance: random.Random, depth: int = 0) -> Any:
    if depth > 2 or chance.random() < 0.4:
        return chance.choice(VALUES)
    if chance.random() < 0.85:
        return {name: document(chance, depth + 1) for name in chance.sample("abcz", chance.randint(0, 4))}
    return [document(chance, depth + 1) for _ in range(chance.randint(0, 3))]


def unsound(seed: int, pairs: int, documents: int) -> list[tuple[Any, ...]]:
    chance = random.Random(seed)
    offered = [document(chance) for _ in range(documents)]
    found: list[tuple[Any, ...]] = []
    for _ in range(pairs):
        old = schema(chance)
        new = changed(chance, old)
        reader, formats = chance.choice(["tolerant", "strict"]), chance.choice(["ignored", "asserted"])
        verdicts = compare(old, new, reader=reader, formats=formats)  # type: ignore[arg-type]
        for verdict, inner, outer in ((verdicts.backward, old, new), (verdicts.forward, new, old)):
            sent, taken = (
                jsonschema_rs.validator_for(view, validate_formats=formats == "asserted")
                for view in (views.both(inner, reader).producer, views.both(outer, reader).reader)
            )
            if verdict.kind == "compatible":
                escaped = [d for d in offered if sent.is_valid(d) and not taken.is_valid(d)]
                found += [(reader, formats, inner, outer, escaped[0])] if escaped else []
            elif verdict.kind == "breaking" and not (
                sent.is_valid(verdict.witness) and not taken.is_valid(verdict.witness)
            ):
                found.append((reader, formats, inner, outer, verdict))
    return found


def test_compatible_means_that_no_message_is_refused() -> None:
    assert unsound(seed=7, pairs=80, documents=800) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_the_same_ten_thousand_times(seed: int) -> None:
    assert unsound(seed=seed, pairs=1000, documents=2000) == []
