"""Whatever the prover derives, the checker accepts: certificates of random claims, of every dialect.

The two read schemas by code of their own, so they must have one notion of the facts that stand, and of the keywords
that a dialect knows. Most schemas here are unions in unions, and many have keywords that their dialect ignores.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from proofs import certificate as certified
from random_claims import edited, random_schema

from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.preconditions import obstacle
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DEFAULT, DIALECTS, Dialect


def document(chance: random.Random) -> Any:
    """A random schema with the definition that its parts refer to, which may refer to itself."""
    schema = random_schema(chance, unions=0.5)
    recursive = {"properties": {"a": {"$ref": "#/$defs/n"}}, "dependentSchemas": {"b": random_schema(chance, 2)}}
    definition = chance.choice([{"type": "integer"}, {"type": "object", **recursive}, random_schema(chance, 1)])
    return {**schema, "$defs": {"n": definition}} if isinstance(schema, dict) else schema


def claims(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Certificates of random claims, as they are read from a file; they take more than a few steps."""
    while True:
        dialect = chance.choice([DEFAULT, *DIALECTS.values()])
        inner = document(chance)
        outer = document(chance) if chance.random() < 0.1 else edited(inner, chance, chance.randint(0, 4))
        claim = certificate(*chance.sample((inner, outer), 2), dialect)
        if claim is not None and len(claim["steps"]) > 3:
            yield claim


def certificate(inner: Any, outer: Any, dialect: Dialect) -> dict[str, Any] | None:
    """The certificate of a containment; None without one, and for what is no schema."""
    try:
        for schema in (inner, outer):
            dialect.validator_for(schema)
            if obstacle(schema):
                return None
    except (SchemaError, AttributeError, TypeError, ValueError):
        return None
    return certified(inner, outer, dialect)


def refused(seed: int, times: int) -> list[Any]:
    """Certificates that the checker refuses, among as many as are made."""
    source, found = claims(random.Random(seed)), []
    for _ in range(times):
        claim = next(source)
        try:
            check(claim)
        except CertificateRefused as error:
            found.append((str(error), claim))
    return found


def test_no_random_certificate_is_refused() -> None:
    assert refused(1, 40) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_none_of_many_random_certificates_is_refused(seed: int) -> None:
    assert refused(seed, 300) == []


@pytest.mark.parametrize(
    "inner, outer, draft",
    [
        pytest.param(
            {"oneOf": [True, {"anyOf": [{"oneOf": [{"maxItems": 1}]}]}]},
            {"oneOf": [{"not": {"anyOf": [{"oneOf": [True, {"maxItems": 1}]}]}}, True]},
            "draft2020-12", id="a negated fact that is refused by a keyword",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"b": {"type": "array", "items": {"type": "number"}, "contains": {"type": "object"}}},
                "dependentSchemas": {"b": {"properties": {"b": {"prefixItems": [{"type": "integer"}]}}}},
            },
            {"type": "object", "dependentSchemas": {"b": {"maxProperties": 1}}},
            "draft2020-12", id="what a property demands that is never there",
        ),
        pytest.param(
            {"properties": {"a": {"maxLength": 1, "dependentRequired": {"a": ["b"]}}}},
            {"properties": {"a": {"maxLength": 1, "dependentRequired": {}}}},
            "draft7", id="the same but for a keyword that the dialect does not know",
        ),
        pytest.param(
            {}, {"properties": {"a": {"oneOf": [{"else": {"pattern": "b"}}]}}}, "draft4",
            id="a pattern below a keyword that the dialect does not know",
        ),
        pytest.param(
            {"oneOf": [{"type": "array", "items": {"if": {"type": "string"}, "else": {"$ref": "#/$defs/n"}}}], "$defs": {"n": {}}},
            {"oneOf": [{"type": "array", "items": {"if": {"type": "string"}, "else": {"$ref": "#/$defs/n"}}}], "$defs": {"n": {}}},
            "draft6", id="a reference below a keyword that the dialect does not know",
        ),
        pytest.param(
            {"const": False},
            {"type": ["boolean", "array"], "prefixItems": [{"pattern": "b"}], "$defs": {"n": {"items": {"$ref": "#"}}}},
            "draft2019-09", id="a listed value beside a pattern that the dialect does not know",
        ),
    ],
)  # fmt: skip
def test_the_checker_knows_the_facts_of_the_prover(inner: Any, outer: Any, draft: str) -> None:
    claim = certificate(inner, outer, DIALECTS[draft])
    assert claim is not None
    check(claim)


JUDGES = {
    "draft4": jsonschema.Draft4Validator,
    "draft6": jsonschema.Draft6Validator,
    "draft7": jsonschema.Draft7Validator,
    "draft2019-09": jsonschema.Draft201909Validator,
    "draft2020-12": jsonschema.Draft202012Validator,
}
"""Judges of what is a schema: the second validator has its own copies of the metaschemas."""
OTHERS: list[Any] = [None, 1, -1, 1.5, "1", "strin", "", [], ["a"], [1], {}, {"a": 1}, {"a": "b"}, [[]], True, False, 0]


def is_schema(schema: Any, dialect: str) -> bool:
    try:
        JUDGES[dialect].check_schema(schema, format_checker=None)
    except jsonschema.SchemaError:
        return False
    return True


def mutations(view: Any, chance: random.Random) -> Iterator[Any]:
    """Copies of a view in which the value of one keyword is replaced."""
    for _ in range(6):
        mutant = copy.deepcopy(view)
        places = list(mappings(mutant))
        if places:
            place = chance.choice(places)
            place[chance.choice(list(place))] = copy.deepcopy(chance.choice(OTHERS))
            yield mutant


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and value:
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mappings(part)


def passed(seed: int, times: int) -> tuple[int, list[Any]]:
    """How many certificates with a view that is no schema were tried, and those that were not refused."""
    chance, tried, wrong = random.Random(seed), 0, []
    source = claims(chance)
    for _ in range(times):
        claim = next(source)
        for side in ("inner", "outer"):
            for mutant in mutations(claim[side], chance):
                if is_schema(mutant, claim["dialect"]):
                    continue
                tried += 1
                try:
                    check({**claim, side: mutant})
                except CertificateRefused:
                    continue
                wrong.append({**claim, side: mutant})
    return tried, wrong


def test_no_mutated_view_that_is_no_schema_passes() -> None:
    tried, wrong = passed(1, 60)
    assert tried > 120
    assert wrong == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
def test_no_mutated_view_that_is_no_schema_passes_in_many_tries(seed: int) -> None:
    assert passed(seed, 2_000)[1] == []
