"""References of embedded documents and dynamic anchors: the schema with static ones permits what the validators permit.

Random documents have subschemas with identifiers and anchors, and references of every spelling to them. Both validators
judge the document as it is written; by ``$ref`` alone it must accept the same values.
"""

from __future__ import annotations

import random
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from steps import growth

from babelreg.containment.certificates.core_schemas import DRAFTS, View
from babelreg.containment.certificates.facts import Fact, Side
from babelreg.containment.certificates.single_values import permits
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.static_references import with_static_references

LEAVES: list[Any] = [
    {"type": "string"},
    {"type": "integer"},
    {"const": 1},
    {"type": "null"},
    {"minimum": 2},
    {"type": "array"},
]
VALUES: list[Any] = [
    None,
    True,
    1,
    3,
    "a",
    [],
    [1],
    ["a"],
    {},
    {"a": 1},
    {"a": "a"},
    {"a": None},
    {"a": [1]},
    {"a": {"a": 1}},
]
IDENTIFIERS = ["http://h/x", "x", "y", "sub/z", "http://h/y", "#anchor"]


def reference(chance: random.Random, draft: int) -> dict[str, Any]:
    text = chance.choice(["", "#", "#n", "#m", "x", "x#n", "y", "y#m", "z", "sub/z", "#/$defs/d0", "#/$defs/d1", "x#/$defs/d0",
                          "http://h/x", "http://h/y#n", "#anchor"])  # fmt: skip
    dynamic = draft == 4 and chance.random() < 0.5
    recursive = draft == 3 and chance.random() < 0.3
    return {"$recursiveRef": "#"} if recursive else {"$dynamicRef" if dynamic else "$ref": text}


def part(chance: random.Random, draft: int, depth: int) -> Any:
    found: dict[str, Any] = {}
    drawn = chance.random()
    if depth == 0 or drawn < 0.35:
        found = reference(chance, draft) if drawn < 0.25 else dict(chance.choice(LEAVES))
    elif drawn < 0.6:
        found = {"properties": {"a": part(chance, draft, depth - 1)}}
    elif drawn < 0.8:
        found = {chance.choice(["allOf", "anyOf", "oneOf"]): [part(chance, draft, depth - 1) for _ in range(2)]}
    else:
        found = {"items": part(chance, draft, depth - 1)}
    if chance.random() < 0.4:
        found["$defs"] = {f"d{n}": part(chance, draft, max(depth - 1, 0)) for n in range(chance.randint(1, 2))}
    if chance.random() < 0.35:
        found["$id"] = chance.choice(IDENTIFIERS[:5] if draft > 2 else IDENTIFIERS)
    if draft > 2 and chance.random() < 0.3:
        found["$anchor"] = chance.choice("nm")
    if draft > 3 and chance.random() < 0.4:
        found["$dynamicAnchor"] = chance.choice("nm")
    if draft == 3 and chance.random() < 0.2:
        found["$recursiveAnchor"] = True
    return found


def judged(schema: Any, draft: int) -> list[bool] | None:
    """What both validators accept; None where one cannot use the schema, or they differ."""
    name = DIALECTS[DRAFTS[draft]].validator
    try:
        first, second = (getattr(of, name)(schema) for of in (jsonschema_rs, jsonschema))
        results = [[bool(of.is_valid(value)) for value in VALUES] for of in (first, second)]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of jsonschema-rs is no Exception
        return None
    return results[0] if results[0] == results[1] else None


def wrong(seed: int, times: int) -> tuple[int, list[Any]]:
    """How many documents were judged, and those that static references read in another way."""
    chance, compared, found = random.Random(seed), 0, []
    for _ in range(times):
        draft = chance.choice([2, 3, 4, 4])
        schema = {**part(chance, draft, 3), "$defs": {f"d{n}": part(chance, draft, 2) for n in range(2)}}
        if with_static_references(schema, DIALECTS[DRAFTS[draft]]) is schema or (said := judged(schema, draft)) is None:
            continue
        view = View(schema, draft, formats=False)
        fact = Fact(view.root, Side(view, "ecma"), True)
        try:
            answers = [permits(fact, value) for value in VALUES]
        except RecursionError:
            continue
        compared += sum(answer is not None for answer in answers)
        if any(answer not in (None, expected) for answer, expected in zip(answers, said, strict=True)):
            found.append((DRAFTS[draft], schema))
    return compared, found


def test_static_references_lead_where_the_validators_find_them() -> None:
    compared, found = wrong(1, 500)
    assert found == []
    assert compared > 500


@pytest.mark.long
@pytest.mark.parametrize("number", range(8))
def test_static_references_with_a_new_seed(number: int) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    assert wrong(seed, 4_000)[1] == [], f"seed {seed}"


def test_a_schema_without_embedded_documents_stays_as_it_is() -> None:
    schema = {"$id": "http://h/x", "$ref": "#/$defs/a", "$defs": {"a": {"$anchor": "n"}}}
    assert with_static_references(schema, DIALECTS["draft2020-12"]) is schema


def test_a_dynamic_reference_of_several_targets_stays_as_it_is() -> None:
    tree = {"$id": "tree", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}
    strict = {"$id": "strict", "$dynamicAnchor": "n", "$ref": "tree", "maxItems": 1}
    schema = {"anyOf": [{"$ref": "tree"}, {"$ref": "strict"}], "$defs": {"a": tree, "b": strict}}
    static = with_static_references(schema, DIALECTS["draft2020-12"])
    assert static["$defs"]["a"]["items"] == {"$dynamicRef": "tree#n"}


def test_many_dynamic_references_to_one_anchor_are_followed_once() -> None:
    def work(number: int) -> None:
        below = [{"properties": {f"k{at}": {"$dynamicRef": "#n"}}} for at in range(number)]
        static = with_static_references({"$dynamicAnchor": "n", "anyOf": below}, DIALECTS["draft2020-12"])
        assert static["anyOf"][-1] == {"properties": {f"k{number - 1}": {"$ref": "#n"}}}

    assert growth(work, 10, 40) < 2
