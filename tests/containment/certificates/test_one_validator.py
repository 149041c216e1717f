"""What one of the two validators asserts alone: no certificate rests on it."""

from __future__ import annotations

from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from babelreg.containment.schema_pair import certify

DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
DEPENDENCIES = {**DIALECT, "type": "object", "dependencies": {"a": ["b"]}}
EMAIL = {**DIALECT, "type": "string", "format": "email"}
LONG_ADDRESS = "a@" + ".".join(["b" * 50] * 7) + ".com"


def verdicts(schema: Any, document: Any) -> tuple[bool, bool]:
    """What jsonschema-rs and jsonschema say, with asserted formats."""
    peer = jsonschema.Draft202012Validator
    return (
        jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(document),
        peer(schema, format_checker=peer.FORMAT_CHECKER).is_valid(document),
    )


@pytest.mark.parametrize(
    "schema, document",
    [
        pytest.param(DEPENDENCIES, {"a": 1}, id="dependencies in 2020-12"),
        pytest.param(EMAIL, LONG_ADDRESS, id="an address of more than 320 characters"),
    ],
)
def test_the_validators_differ(schema: Any, document: Any) -> None:
    assert verdicts(schema, document) == (False, True)


@pytest.mark.parametrize(
    "inner, outer",
    [
        pytest.param(
            DEPENDENCIES, {**DIALECT, "dependentRequired": {"a": ["b"]}}, id="dependencies as the new keyword"
        ),
        pytest.param(
            {**DEPENDENCIES, "required": ["a"]}, {**DIALECT, "required": ["a", "b"]}, id="dependencies with a name"
        ),
        pytest.param(
            {**DIALECT, "dependencies": {"a": {"required": ["b"]}}},
            {**DIALECT, "dependentSchemas": {"a": {"required": ["b"]}}},
            id="dependencies with a schema",
        ),
        pytest.param(EMAIL, {**DIALECT, "maxLength": 320}, id="the length of an address"),
        pytest.param(EMAIL, {**DIALECT, "maxLength": 400}, id="a longer address"),
    ],
)
@pytest.mark.parametrize("reader", ["strict", "tolerant"])
def test_no_certificate_rests_on_it(inner: Any, outer: Any, reader: Any) -> None:
    comparison, file = certify(inner, outer, reader=reader, formats="asserted")
    assert not comparison.backward.certified
    assert file["backward"] is None


def test_what_contains_finds_is_evaluated_in_2019_09() -> None:
    inner = {"items": [{"type": "integer"}], "contains": {"type": "string"}, "unevaluatedItems": False}
    peers = jsonschema_rs.Draft201909Validator(inner), jsonschema.Draft201909Validator(inner)
    assert [peer.is_valid([1, "a"]) for peer in peers] == [True, True]
    assert not certify(inner, {"maxItems": 1}, reader="strict", dialect="draft2019-09")[0].backward.certified


@pytest.mark.parametrize(
    "character", [pytest.param("\r", id="CR"), pytest.param("\u2028", id="U+2028"), pytest.param("\u2029", id="U+2029")]
)
def test_a_dot_matches_ends_of_lines_that_it_does_not_match_in_ecma(character: str) -> None:
    any_one = {**DIALECT, "type": "string", "pattern": "^.$"}
    assert verdicts(any_one, character) == (True, True)
    assert verdicts(any_one, "\n") == (False, False)
    listed = {**DIALECT, "type": "string", "pattern": "^[^\\n\\r\\u2028\\u2029]$"}  # what `.` is in ECMA-262
    assert not certify(any_one, listed, reader="strict")[0].backward.certified
