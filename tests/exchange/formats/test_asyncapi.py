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
    result = import_sources(asyncapi.read([tmp_path / "api.json"]), load.from_tree(tree), tree, options)
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
    assert codes == ["import-address-dropped", "import-example-invalid", "import-kind-unknown"]


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
        assert [finding.rule for finding in asyncapi.read([tmp_path / "api.json"]).findings] == ["import-file-unread"]
        return
    with pytest.raises(UsageError, match="not an AsyncAPI document"):
        importing(tmp_path, document)


SOCIAL = {
    "services/backend.yaml": {
        "asyncapi": "3.0.0",
        "info": {"title": "Backend"},
        "channels": {
            "liked": {"$ref": "../common/channels.yaml#/liked"},
            "counted": {"$ref": "file://common/channels.yaml#/counted"},
        },
        "operations": {
            "like": {"action": "send", "channel": {"$ref": "#/channels/liked"}},
            "count": {"action": "receive", "channel": {"$ref": "#/channels/counted"}},
        },
    },
    "services/comments.yaml": {
        "asyncapi": "3.0.0",
        "info": {"title": "Comments"},
        "channels": {"liked": {"$ref": "../common/channels.yaml#/liked"}},
        "operations": {
            "onLike": {
                "action": "receive",
                "channel": {"$ref": "#/channels/liked"},
                "reply": {"channel": {"$ref": "../common/channels.yaml#/counted"}},
            }
        },
    },
    "services/legacy.json": {
        "asyncapi": "2.6.0",
        "info": {"title": "Legacy"},
        "channels": {"audit": {"publish": {"message": {"$ref": "../common/messages.yaml#/liked"}}}},
    },
    "common/channels.yaml": {
        "liked": {"address": "likes", "messages": {"liked": {"$ref": "messages.yaml#/liked"}}},
        "counted": {"address": "counts", "messages": {"counted": {"$ref": "file://messages.yaml#/counted"}}},
    },
    "common/messages.yaml": {
        "liked": {"payload": {"$ref": "schemas.yaml#/like"}},
        "counted": {"payload": {"type": "object", "properties": {"by": {"$ref": "file://schemas.yaml#/user"}}}},
    },
    "common/schemas.yaml": {
        "like": {"type": "object", "properties": {"by": {"$ref": "#/user"}, "at": {"type": "string"}}},
        "user": {"type": "object", "properties": {"id": {"type": "string"}}},
    },
}


def reading(folder, files, *given):
    for path, value in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(value if isinstance(value, str) else json.dumps(value))
    tree = Memory({"babelreg.yaml": b"version: 1\n"})
    options = ImportOptions(lambda name: "event", Owners(default="team"))
    sources = asyncapi.read([folder / path for path in given or ("",)])
    result = import_sources(sources, load.from_tree(tree), tree, options)
    return {path: parser.read(text) for path, text in result.files.items() if path.endswith(".yaml")}, result.findings


def test_documents_that_are_split_over_folders(tmp_path):
    values, findings = reading(tmp_path, SOCIAL)
    liked, counted = values["backend/liked.yaml"], values["comments/counted.yaml"]
    assert (liked["queue"], liked["producers"], liked["consumers"]) == ("likes", ["backend"], ["comments", "legacy"])
    assert (counted["queue"], counted["producers"], counted["consumers"]) == ("counts", ["comments"], ["backend"])
    assert counted["data"]["properties"]["by"] == liked["data"]["properties"]["by"] == {"$ref": "../_common/user.yaml"}
    assert [finding.rule for finding in findings] == ["import-address-dropped"] * 2
    assert "'likes'; a message has only one queue, so that 'audit' is not kept" in findings[0].message


def test_a_document_without_messages_has_schemas_for_others(tmp_path):
    library = {"asyncapi": "3.0.0", "info": {"title": "Library"}, "components": {"schemas": SCHEMAS}}
    message = {"payload": {"$ref": "library.json#/components/schemas/order"}}
    part = {"payload": {"type": "object", "properties": {"a": {"$ref": "library.json#/components/schemas/text"}}}}
    shop = {"asyncapi": "3.0.0", "info": {"title": "Shop"}, "components": {"messages": {"x": message, "y": part}}}
    values, findings = reading(tmp_path, {"library.json": library, "shop.json": shop})
    assert values["shop/x.yaml"]["data"] == SCHEMAS["order"]
    assert values["shop/y.yaml"]["data"]["properties"] == {"a": {"$ref": "#/$defs/text"}}
    assert findings == []


@pytest.mark.parametrize(
    "given, missing",
    [
        pytest.param(["services"], "common/channels.yaml", id="a folder without what it needs"),
        pytest.param(["services/legacy.json"], "common/messages.yaml", id="one document"),
        pytest.param(["services/backend.yaml", "common/messages.yaml"], "file", id="a file URL"),
    ],
)
def test_a_file_that_is_not_given_is_named(given, missing, tmp_path):
    _, findings = reading(tmp_path, SOCIAL, *given)
    errors = [finding for finding in findings if finding.rule == "import-reference-unresolved"]
    assert any(missing in error.message and error.fix for error in errors)
    assert all(error.place.line > 0 for error in errors)


def without(document, *steps):
    changed = json.loads(json.dumps(document))
    node = changed
    for step in steps[:-1]:
        node = node[step]
    node[steps[-1] + "2"] = node.pop(steps[-1])
    return changed


@pytest.mark.parametrize(
    "steps, reference",
    [
        pytest.param(("components", "schemas", "order"), "#/components/schemas/order", id="data of an envelope"),
        pytest.param(("components", "schemas", "text"), "#/components/schemas/text", id="part of a payload"),
        pytest.param(("components", "messages", "paid"), "#/components/messages/paid", id="message"),
        pytest.param(("channels", "o"), "#/channels/o", id="channel of an operation"),
        pytest.param(("channels", "o", "messages", "paid"), "#/channels/o/messages/paid", id="message of an operation"),
    ],
)
def test_a_key_that_is_misspelt_against_its_reference_is_reported(steps, reference, tmp_path):
    _, findings = reading(tmp_path, {"api.json": without(VERSION_3, *steps)})
    errors = [finding for finding in findings if finding.rule == "import-reference-unresolved"]
    assert any(f"$ref '{reference}'" in error.message for error in errors)


def test_a_payload_whose_reference_leads_nowhere_is_not_a_missing_payload(tmp_path):
    message = {"payload": {"$ref": "#/components/schemas/ordr"}}
    _, findings = reading(
        tmp_path,
        {"a.json": {"asyncapi": "2.0.0", "info": {}, "channels": {"a": {"publish": {"message": message}}}}},
    )
    refused = [finding.message for finding in findings if finding.rule == "import-schema-refused"]
    assert refused == [
        "the message 'a' is not imported: its payload is '$ref: #/components/schemas/ordr', which does not resolve"
    ]


@pytest.mark.parametrize(
    "changes, code, text",
    [
        pytest.param({"channels": []}, "import-reference-unresolved", "channels", id="channels that are a list"),
        pytest.param({"channels": {"a": 1}}, "import-reference-unresolved", "'/channels/a'", id="a channel of no kind"),
        pytest.param({"channels": {"a": {}}}, "import-address-dropped", "it has no message", id="an empty channel"),
        pytest.param({"info": []}, "import-reference-unresolved", "", id="information of no kind"),
        pytest.param(
            {"components": {"messages": {"m": {"oneOf": [{"$ref": "#/components/messages/m"}]}}}},
            "import-reference-unresolved",
            "/oneOf/0",
            id="a circle of messages",
        ),
    ],
)
def test_what_cannot_be_read_is_reported(changes, code, text, tmp_path):
    document = {"asyncapi": "3.0.0", "info": {}, "channels": {"x": {"$ref": "#/none"}}, **changes}
    _, findings = reading(tmp_path, {"api.json": document})
    assert any(finding.rule == code and text in finding.message for finding in findings), findings


def test_a_file_that_nothing_needs_is_reported(tmp_path):
    files = {"api.json": VERSION_3, "package.json": {"name": "x"}, "old.yaml": {"asyncapi": "1.2.0"}}
    _, findings = reading(tmp_path, files)
    reported = {finding.place.path.rpartition("/")[2]: finding.rule for finding in findings}
    assert reported["package.json"] == "import-source-unused"
    assert reported["old.yaml"] == "import-schema-refused"


def test_messages_of_one_urn_are_reported(tmp_path):
    message = {"name": "urn:babel:shop:paid", "payload": {"type": "object"}}
    document = {"asyncapi": "3.0.0", "info": {}, "components": {"messages": {"a": message, "b": message}}}
    values, findings = reading(tmp_path, {"api.json": document})
    assert "shop/paid.yaml" in values
    assert ["names urn:babel:shop:paid, too" in finding.message for finding in findings] == [True]


def test_a_message_that_a_document_has_no_longer_is_reported(tmp_path):
    files = {"api.json": VERSION_3}
    for path, value in files.items():
        (tmp_path / path).write_text(json.dumps(value))
    tree = Memory({"babelreg.yaml": b"version: 1\n"})
    options = ImportOptions(lambda name: "event", Owners(default="team"))
    first = import_sources(asyncapi.read([tmp_path]), load.from_tree(tree), tree, options)
    changed = json.loads(json.dumps(VERSION_3))
    del changed["channels"]["o"]["messages"]["seen"]
    (tmp_path / "api.json").write_text(json.dumps(changed))
    tree = Memory({"babelreg.yaml": b"version: 1\n", **{path: text.encode() for path, text in first.files.items()}})
    again = import_sources(asyncapi.read([tmp_path / "api.json"]), load.from_tree(tree), tree, options)
    gone = [finding for finding in again.findings if finding.rule == "import-source-gone"]
    assert [finding.place.path for finding in gone] == ["shop/seen.yaml"]
