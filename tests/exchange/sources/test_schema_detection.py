"""The dialect of a schema that names it, as people spell it."""

from __future__ import annotations

import pytest

from babelreg.exchange.sources.schema_detection import UNRECOGNISED, is_schema, likely_dialect, other_document


@pytest.mark.parametrize(
    "uri, name",
    [
        pytest.param("http://json-schema.org/draft-07/schema#", "draft7", id="as it is"),
        pytest.param("https://json-schema.org/draft-07/schema#", "draft7", id="https"),
        pytest.param("https://json-schema.org/draft-04/schema", "draft4", id="https without the hash sign"),
        pytest.param("http://json-schema.org/draft/2020-12/schema", "draft2020-12", id="http"),
    ],
)
def test_the_scheme_of_the_dialect_does_not_matter(uri, name):
    assert likely_dialect({"$schema": uri, "type": "object"}, None).name == name


OWN = {"$schema": "https://schemas.example/1-0-0", "type": "object", "properties": {"a": {"type": "string"}}}


def test_a_schema_with_a_metaschema_of_its_own_is_one_if_its_dialect_is_said():
    assert not is_schema(OWN)
    assert is_schema(OWN, any_dialect=True)
    assert not is_schema({"$schema": "https://schemas.example/1-0-0", "name": "a"}, any_dialect=True)
    assert is_schema({"$schema": "http://json-schema.org/draft-07/schema#"}, any_dialect=True)


@pytest.mark.parametrize(
    "value, name",
    [
        pytest.param({"type": "record", "name": "Order", "fields": []}, "an Avro schema", id="Avro"),
        pytest.param({"name": "shop", "version": "1.0.0"}, "a package.json", id="package.json"),
        pytest.param({"openapi": "3.1.0"}, "an OpenAPI document", id="OpenAPI"),
        pytest.param({"asyncapi": "3.0.0"}, "an AsyncAPI document", id="AsyncAPI"),
        pytest.param({"$schema": "./config.json", "a": 1}, "a document with another schema", id="an instance"),
        pytest.param({"type": "integer"}, UNRECOGNISED, id="one keyword"),
        pytest.param({"a": 1}, "an object without keywords of JSON Schema", id="any object"),
        pytest.param([1], "a JSON array", id="an array"),
        pytest.param("a", "a single value", id="a text"),
    ],
)
def test_a_document_that_is_left_out_is_named(value, name):
    assert other_document(value) == name
