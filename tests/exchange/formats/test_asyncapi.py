"""AsyncAPI documents: messages, queues, producers and consumers, payloads that are envelopes, what is not kept."""

from __future__ import annotations

import json

import pytest

from babelreg import load
from babelreg.errors import UsageError
from babelreg.exchange.formats import asyncapi
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import parser

TEXT = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/text"}}}
ENVELOPE = {
    "type": "object",
    "properties": {"job": {"const": "urn:babel:shop:paid"}, "data": {"$ref": "#/components/schemas/order"}, "meta": {}},
}
SCHEMAS = {"text": {"type": "string"}, "order": {"type": "object", "properties": {"id": {"type": "integer"}}}}
VERSION_2 = {
    "asyncapi": "2.6.0",
    "info": {"title": "Order Service"},
    "channels": {
        "orders": {
            "subscribe": {"message": {"$ref": "#/components/messages/orderCreated"}},
            "publish": {"message": {"oneOf": [{"name": "ship_order", "payload": TEXT}]}},
        },
        "users/{id}": {"publish": {"operationId": "userSignedUp", "message": {"payload": {"type": "object"}}}},
    },
    "components": {
        "schemas": SCHEMAS,
        "messages": {
            "orderCreated": {
                "summary": "One.",
                "payload": TEXT,
                "examples": [{"payload": {"a": "x"}}, {"payload": {"a": 1}}],
            },
            "spare": {"payload": {"$ref": "#/components/schemas/order"}},
        },
    },
}
VERSION_3 = {
    "asyncapi": "3.0.0",
    "info": {"title": "Shop"},
    "channels": {
        "o": {
            "address": "orders",
            "messages": {"paid": {"$ref": "#/components/messages/paid"}, "seen": {"payload": TEXT}},
        }
    },
    "operations": {
        "in": {"action": "receive", "channel": {"$ref": "#/channels/o"}},
        "out": {
            "action": "send",
            "channel": {"$ref": "#/channels/o"},
            "messages": [{"$ref": "#/channels/o/messages/paid"}],
            "x-babel-service": "shop-api",
            "x-babel-lang": "go",
        },
    },
    "components": {
        "schemas": SCHEMAS,
        "messages": {
            "paid": {
                "payload": {"schemaFormat": "application/schema+json;version=draft-07", "schema": ENVELOPE},
                "tags": [{"name": "event"}],
                "headers": {"type": "object"},
                "examples": [{"payload": {"job": "x", "data": {"id": 1}}}],
            }
        },
    },
}


def importing(tmp_path, document, **beside):
    for name, value in {"api.json": document, **beside}.items():
        (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value))
    tree = Memory({"babelreg.yaml": b"version: 1\n"})
    options = ImportOptions(lambda name: "event" if name.endswith("ed") else None, Owners(default="team"))
    result = import_sources(asyncapi.read(tmp_path / "api.json"), load.from_tree(tree), tree, options)
    values = {path: parser.read(text) for path, text in result.files.items() if path.endswith(".yaml")}
    files = {"babelreg.yaml": b"version: 1\n", **{path: text.encode() for path, text in result.files.items()}}
    assert load.from_tree(Memory(files)).defects == ()
    return values, sorted(finding.rule for finding in result.findings)


def test_a_document_of_version_2(tmp_path):
    values, codes = importing(tmp_path, VERSION_2)
    created = values["order-service/order-created.yaml"]
    assert created["description"] == "One."
    assert (created["queue"], created["producers"]) == ("orders", ["order-service"])
    assert created["examples"] == [{"a": "x"}]
    assert values["order-service/ship_order.yaml"]["consumers"] == ["order-service"]
    assert "queue" not in values["order-service/user-signed-up.yaml"]
    assert values["order-service/spare.yaml"]["status"] == "draft"
    assert values["_services/order-service.yaml"] == {"description": "Order Service"}
    assert values["_common/text.yaml"] == {"type": "string"}
    assert codes == ["import-example-invalid", "import-kind-unknown"]


def test_a_document_of_version_3(tmp_path):
    values, codes = importing(tmp_path, VERSION_3)
    assert values["shop/paid.yaml"] == {
        "urn": "urn:babel:shop:paid",
        "kind": "event",
        "queue": "orders",
        "producers": ["shop-api"],
        "consumers": ["shop"],
        "data": {"type": "object", "properties": {"id": {"type": "integer"}}},
        "examples": [{"id": 1}],
    }
    assert values["shop/seen.yaml"]["consumers"] == ["shop"]
    assert values["_services/shop-api.yaml"] == {"lang": "go"}
    assert codes == ["import-kind-unknown", "import-schema-adjusted"]  # headers


@pytest.mark.parametrize(
    "message, code",
    [
        pytest.param(
            {"schemaFormat": "application/vnd.apache.avro", "payload": {}}, "import-schema-refused", id="Avro"
        ),
        pytest.param({"title": "x"}, "import-schema-refused", id="no payload"),
        pytest.param({"payload": {"type": "string"}}, "import-schema-refused", id="no object"),
        pytest.param(
            {"payload": {"type": "object", "properties": {"a": {"$ref": "x.json"}}}},
            "import-reference-unresolved",
            id="a file",
        ),
        pytest.param(
            {"payload": {"type": "object"}, "bindings": {"kafka": {}}}, "import-schema-adjusted", id="bindings"
        ),
    ],
)
def test_what_cannot_be_kept_is_reported(message, code, tmp_path):
    _, codes = importing(
        tmp_path, {"asyncapi": "2.0.0", "channels": {"a": {"publish": {"message": message}}}, "info": {}}
    )
    assert code in codes


def test_files_beside_the_document_are_read_where_it_refers_to_them(tmp_path):
    message = {"payload": {"$ref": "order.json#/definitions/order"}}
    document = {"asyncapi": "2.0.0", "info": {}, "channels": {"a": {"publish": {"message": message}}}}
    order = {"definitions": {"order": {"type": "object", "properties": {"id": {"$ref": "#/definitions/id"}}}, "id": {}}}
    values, codes = importing(tmp_path, document, **{"order.json": order})
    assert values["imported/a.yaml"]["data"]["properties"] == {"id": {"$ref": "#/$defs/id"}}
    assert codes == ["import-kind-unknown"]


@pytest.mark.parametrize("document", [{"asyncapi": "1.2.0"}, {"openapi": "3.0.0"}, [], "{"])
def test_other_documents_are_refused(document, tmp_path):
    if document == "{":
        (tmp_path / "api.json").write_text(document)
        assert [finding.rule for finding in asyncapi.read(tmp_path / "api.json").findings] == ["import-file-unread"]
        return
    with pytest.raises(UsageError, match="not an AsyncAPI document"):
        importing(tmp_path, document)
