"""JSON Schema files: complete documents with the meaning of the registry."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from babelreg import load
from babelreg.gen.target import files_by_path, generated_messages
from babelreg.gen.targets.jsonschema import target

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
