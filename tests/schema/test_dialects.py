"""The dialects: found by $schema and by name, and right about their keywords."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.errors import SchemaError
from babelreg.schema import dialects
from babelreg.schema.dialects import DIALECTS


@pytest.mark.parametrize(
    "schema, name",
    [
        pytest.param({}, "draft2020-12", id="2020-12 by default"),
        pytest.param(True, "draft2020-12", id="a boolean"),
        pytest.param({"$schema": "http://json-schema.org/draft-07/schema#"}, "draft7", id="draft-07"),
        pytest.param({"$schema": "http://json-schema.org/draft-07/schema"}, "draft7", id="draft-07 without its hash"),
        pytest.param({"$schema": "http://json-schema.org/draft-04/schema#"}, "draft4", id="draft-04"),
        pytest.param({"$schema": "https://json-schema.org/draft/2019-09/schema"}, "draft2019-09", id="2019-09"),
        pytest.param({"$schema": "https://json-schema.org/draft-07/schema"}, "draft7", id="draft-07 with https"),
        pytest.param(
            {"$schema": "http://json-schema.org/draft/2020-12/schema#"}, "draft2020-12", id="2020-12 as draft-07"
        ),
        pytest.param(
            {"$schema": "http://www.json-schema.org/draft-06/schema#/"}, "draft6", id="draft-06 with www and /"
        ),
    ],
)
def test_identify(schema: Any, name: str) -> None:
    assert dialects.identify(schema).name == name


@pytest.mark.parametrize(
    "given", [5, "http://example.com", "http://json-schema.org/schema#", "draft-07", ["x"], {"a": "b"}]
)
def test_an_unknown_dialect_is_refused_with_a_way_out(given: Any) -> None:
    with pytest.raises(SchemaError, match="not a known dialect") as refused:
        dialects.identify({"$schema": given})
    assert "draft-07" in str(refused.value.fix)


@pytest.mark.parametrize("name", DIALECTS)
def test_the_validator_knows_every_keyword_that_judges(name: str) -> None:
    dialect = DIALECTS[name]
    false = dialect.nothing
    judged: dict[str, tuple[Any, Any]] = {
        "allOf": ([false], 1), "anyOf": ([false], 1), "oneOf": ([false], 1), "not": ({}, 1),
        "dependencies": ({"a": false}, {"a": 1}), "dependentSchemas": ({"a": false}, {"a": 1}),
        "properties": ({"a": false}, {"a": 1}), "patternProperties": ({"a": false}, {"a": 1}),
        "additionalProperties": (false, {"a": 1}), "unevaluatedProperties": (false, {"a": 1}),
        "propertyNames": (false, {"a": 1}), "items": (false, [1]), "prefixItems": ([false], [1]),
        "unevaluatedItems": (false, [1]), "contains": (false, [1]),
    }  # fmt: skip
    for keyword, (value, instance) in judged.items():
        validator = dialect.validator_for({"$schema": dialect.uri, keyword: value})
        assert validator.is_valid(instance) == (keyword not in dialect.keywords), keyword


@pytest.mark.parametrize("name", DIALECTS)
def test_a_reference_voids_its_neighbours_where_it_stands_alone(name: str) -> None:
    dialect = DIALECTS[name]
    schema = {"definitions": {"a": {}}, "properties": {"x": {"$ref": "#/definitions/a", "type": "string"}}}
    assert dialect.validator_for(schema).is_valid({"x": 1}) == dialect.ref_alone


def test_nothing_is_fetched() -> None:
    with pytest.raises(SchemaError, match="cannot be used"):
        dialects.DEFAULT.validator_for({"$ref": "http://127.0.0.1:9/x"})


REPEATED_NAMES = {"$defs": {"k": {"$id": "b", "$anchor": "f"}}, "properties": {"q": {"$id": "b", "$ref": "#f"}}}
"""jsonschema-rs panics on a reference to a name of another resource with the same identifier."""


@pytest.mark.parametrize("name", ["draft2019-09", "draft2020-12"])
def test_a_schema_on_which_the_library_panics_is_refused_with_a_fix(name: str) -> None:
    with pytest.raises(SchemaError, match="cannot be used: jsonschema-rs fails on it") as refused:
        DIALECTS[name].validator_for(REPEATED_NAMES)
    assert "only one subschema" in str(refused.value.fix)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_while_a_schema_is_compiled_is_passed_on(error: type[BaseException]) -> None:
    with pytest.raises(error), dialects.compiling():
        raise error


def test_formats_are_asserted_unless_they_are_not() -> None:
    schema = {"format": "uuid"}
    assert not dialects.DEFAULT.validator_for(schema).is_valid("x")
    assert dialects.DEFAULT.validator_for(schema, formats=False).is_valid("x")


@pytest.mark.parametrize("name", DIALECTS)
def test_a_name_beside_a_mailbox_is_no_email_address(name: str) -> None:
    validator = DIALECTS[name].validator_for({"$schema": DIALECTS[name].uri, "format": "email"})
    assert validator.is_valid('"Jo Doe"@example.com')
    assert not validator.is_valid("Jo Doe <jo@example.com>")
