"""JSON Schema files: complete documents with the meaning of the registry."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from babelreg import load
from babelreg.errors import UsageError
from babelreg.gen.target import files_by_path, generated_messages
from babelreg.gen.targets.jsonschema import target
from babelreg.load.files.tree import Memory

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def registry():
    return load.from_tree(load.folder(ROOT / "registry.example"))


def documents(registry, **options):
    return {path: json.loads(file.text) for path, file in files_by_path(target.files(registry, options)).items()}


def test_the_index_names_every_file(registry):
    files = documents(registry)
    index = files.pop("index.json")["schemas"]
    assert index["urn:babel:orders:created.v2"] == "orders/created.v2.schema.json"
    assert set(index.values()) == set(files)


@pytest.mark.parametrize(
    "base, identifier",
    [
        pytest.param(None, "urn:babel:orders:created", id="the URN"),
        pytest.param("https://schemas.example.com/", "https://schemas.example.com/orders/created.schema.json", id="a URI"),
    ],
)  # fmt: skip
def test_a_file_has_an_identifier(registry, base, identifier):
    options = {} if base is None else {"base": base}
    assert documents(registry, **options)["orders/created.schema.json"]["$id"] == identifier


def test_a_file_says_what_the_registry_knows(registry):
    document = documents(registry)["orders/created.v2.schema.json"]
    assert document["title"] == document["x-babel-urn"] == "urn:babel:orders:created.v2"
    assert document["x-babel-owner"] == "team-orders"
    assert document["description"] == "An order was accepted and paid for."
    assert document["examples"][0]["order_id"] == 1042


def test_examples_are_valid_and_counterexamples_are_not_for_another_validator(registry):
    files = documents(registry)
    for message in generated_messages(registry):
        document = files[f"{message.parsed.path.removesuffix('.yaml')}.schema.json"]
        validator = jsonschema.Draft202012Validator(
            document, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
        )
        validator.check_schema(document)
        assert all(validator.is_valid(example.data) for example in message.examples), message.urn
        assert not any(validator.is_valid(example.data) for example in message.counterexamples), message.urn


def registry_of(data):
    message = f"urn: urn:babel:orders:created\nkind: event\nowner: t\ndata:\n  type: object\n{data}"
    files = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: t\n", "orders/created.yaml": message}
    return load.from_tree(Memory({path: text.encode() for path, text in files.items()}))


def test_draft_07_has_its_own_keywords_and_the_same_verdicts(registry):
    newest, oldest = documents(registry), documents(registry, dialect="draft-07")
    for message in generated_messages(registry):
        path = f"{message.parsed.path.removesuffix('.yaml')}.schema.json"
        document = oldest[path]
        assert document["$schema"] == "http://json-schema.org/draft-07/schema#"
        assert "$defs" not in json.dumps(document)
        validators = jsonschema.Draft202012Validator(newest[path]), jsonschema.Draft7Validator(document)
        validators[1].check_schema(document)
        for example in (*message.examples, *message.counterexamples):
            assert validators[0].is_valid(example.data) == validators[1].is_valid(example.data)


@pytest.mark.parametrize(
    "dialect, uri",
    [
        pytest.param(None, "http://json-schema.org/draft-07/schema#", id="its own"),
        pytest.param("2020-12", "https://json-schema.org/draft/2020-12/schema", id="2020-12"),
    ],
)
def test_a_schema_of_draft_07_is_exported_in_the_dialect_that_is_asked_for(dialect, uri):
    own = registry_of("  $schema: http://json-schema.org/draft-07/schema#\n  definitions: {a: {type: integer}}\n")
    document = documents(own, **({} if dialect is None else {"dialect": dialect}))["orders/created.schema.json"]
    assert document["$schema"] == uri
    assert ("$defs" in document) == (dialect is not None)


@pytest.mark.parametrize(
    "data, keyword",
    [
        pytest.param("  allOf: [{properties: {a: {}}}]\n  unevaluatedProperties: false\n", "unevaluatedProperties", id="evaluated"),
        pytest.param("  properties: {a: {contains: {}, minContains: 2}}\n", "minContains", id="two items"),
    ],
)  # fmt: skip
def test_what_draft_07_cannot_express_is_an_error_with_its_place(data, keyword):
    with pytest.raises(UsageError, match=f"'{keyword}' .* cannot be expressed in draft-07") as caught:
        documents(registry_of(data), dialect="draft-07")
    assert (caught.value.place.path, caught.value.place.line) == ("orders/created.yaml", 6 + data.count("\n") - 1)
