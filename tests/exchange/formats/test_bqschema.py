"""Manifests of bqschema: URNs, owners and status as they are; entries that cannot be imported."""

from __future__ import annotations

import json

import pytest

from babelreg import load
from babelreg.errors import InputError
from babelreg.exchange.formats import bqschema
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import parser

CREATED = {
    "urn": "urn:babel:orders:created",
    "schema": "schemas/created.json",
    "owner": "orders",
    "status": "deprecated",
}


def importing(tmp_path, *entries):
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "created.json").write_text('{"type": "object", "properties": {"id": {"type": "integer"}}}')
    (tmp_path / "registry.json").write_text(json.dumps({"schemas": entries}))
    tree = Memory({"babelreg.yaml": b"version: 1\n"})
    options = ImportOptions(lambda name: "event", Owners())
    result = import_sources(bqschema.read(tmp_path / "registry.json"), load.from_tree(tree), tree, options)
    return {path: parser.read(text) for path, text in result.files.items() if path.endswith(".yaml")}, result.findings


def test_an_entry_becomes_a_message(tmp_path):
    values, findings = importing(tmp_path, CREATED)
    assert findings == []
    assert values == {
        "orders/_context.yaml": {"owner": "orders"},
        "orders/created.yaml": {
            "urn": "urn:babel:orders:created",
            "kind": "event",
            "status": "deprecated",
            "data": {"type": "object", "properties": {"id": {"type": "integer"}}},
        },
    }


@pytest.mark.parametrize(
    "entry, text",
    [
        pytest.param({**CREATED, "urn": "orders.created"}, "not a URN", id="no URN"),
        pytest.param(CREATED, "declared more than once", id="one twice"),
        pytest.param(
            {**CREATED, "urn": "urn:babel:a:b", "schema": "../../etc/passwd"}, "not in the folder", id="outside"
        ),
        pytest.param("x", "not a URN", id="no entry"),
    ],
)
def test_an_entry_that_cannot_be_imported_is_reported(entry, text, tmp_path):
    values, findings = importing(tmp_path, CREATED, entry)
    assert "orders/created.yaml" in values
    assert [text in finding.message for finding in findings] == [True]


@pytest.mark.parametrize("text", ["[]", '{"schemas": {}}', "1"])
def test_other_files_are_refused(text, tmp_path):
    (tmp_path / "registry.json").write_text(text)
    with pytest.raises(InputError, match="not a registry"):
        bqschema.read(tmp_path / "registry.json")
