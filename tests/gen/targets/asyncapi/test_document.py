"""The AsyncAPI document: what its parser checks, and what the parser does not see."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from babelreg import load
from babelreg.errors import UsageError
from babelreg.gen.target import files_by_path, generated_messages
from babelreg.gen.targets.asyncapi import target
from babelreg.schema.pointer import find, parse

ROOT = Path(__file__).resolve().parents[4]
CREATED = "orders.created.v2"


def registry_of(files):
    plain = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: team-orders\n", **files}
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in plain.items()}))


@pytest.fixture(scope="module")
def registry():
    return load.from_tree(load.folder(ROOT / "registry.example"))


@pytest.fixture(scope="module")
def document(registry):
    return written(registry)


def written(registry, **options):
    (file,) = files_by_path(target.files(registry, options)).values()
    return json.loads(file.text)


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for below in value.values():
            yield from references(below)
    elif isinstance(value, list):
        for below in value:
            yield from references(below)


def payload_validator(document, message):
    schema = {"$ref": f"#/components/messages/{message}/payload", "components": document["components"]}
    return jsonschema_rs.Draft7Validator(schema, validate_formats=True)


def test_every_reference_leads_somewhere(document):
    for reference in references(document):
        find(document, parse(reference.removeprefix("#")))


def test_operations_name_messages_through_their_channel(document):
    for operation in document["operations"].values():
        prefix = operation["channel"]["$ref"] + "/messages/"
        assert operation["messages"]
        assert all(message["$ref"].startswith(prefix) for message in operation["messages"])


def test_an_example_is_valid_against_exactly_one_message_of_its_queue(registry, document):
    channel_messages = {channel["address"]: list(channel["messages"]) for channel in document["channels"].values()}
    for name, message in document["components"]["messages"].items():
        for example in message["examples"]:
            others = channel_messages[example["payload"]["meta"]["queue"]]
            valid = [other for other in others if payload_validator(document, other).is_valid(example["payload"])]
            assert valid == [name]


def test_counterexamples_are_refused(registry, document):
    for message in generated_messages(registry):
        key = message.parsed.path.removesuffix(".yaml").replace("/", ".")
        payload = document["components"]["messages"][key]["examples"][0]["payload"]
        for counterexample in message.counterexamples:
            if not document["components"]["messages"][key].get("x-babel-not-in-draft-07"):
                assert not payload_validator(document, key).is_valid({**payload, "data": counterexample.data})


def test_a_message_says_what_the_registry_knows(document):
    message = document["components"]["messages"][CREATED]
    assert message["name"] == "urn:babel:orders:created.v2"
    assert message["tags"] == [{"name": "event"}, {"name": "active"}]
    assert message["x-babel-owner"] == "team-orders"
    assert message["correlationId"] == {"location": "$message.payload#/trace_id"}


def test_shared_schemas_are_one_component(document):
    schemas = document["components"]["schemas"]
    assert schemas[CREATED]["properties"]["ship_to"]["allOf"] == [{"$ref": "#/components/schemas/_common.address"}]


def test_a_document_of_one_service_has_what_it_sends_and_receives(registry):
    document = written(registry, service="crm")
    assert {operation["x-babel-service"] for operation in document["operations"].values()} == {"crm"}
    assert set(document["operations"]) == {"crm.send.mails", "crm.receive.crm"}
    assert set(document["channels"]) == {"crm", "customers", "mails"}


def test_an_unknown_service_is_refused_with_a_suggestion(registry):
    with pytest.raises(UsageError) as caught:
        written(registry, service="order-api")
    assert caught.value.fix == "did you mean 'orders-api'?"


@pytest.mark.parametrize(
    "data, expected",
    [
        pytest.param(
            "{type: object, properties: {next: {$ref: '#'}}}",
            {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/orders.created"}}},
            id="the whole schema",
        ),
        pytest.param(
            "{type: object, properties: {a: {$ref: '#/$defs/n'}}, $defs: {n: {items: {$ref: '#/$defs/n'}}}}",
            {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/orders.created.n"}}},
            id="a definition of its own",
        ),
    ],
)
def test_references_lead_to_components(data, expected):
    message = f"urn: urn:babel:orders:created\nkind: event\nowner: team-orders\nproducers: [orders-api]\ndata: {data}\n"
    document = written(registry_of({"orders/created.yaml": message}))
    assert document["components"]["schemas"]["orders.created"] == expected


def test_queues_with_similar_names_are_different_channels():
    text = "urn: urn:babel:orders:{0}\nkind: event\nowner: t\nproducers: [a]\nqueue: {1}\ndata: {{type: object}}\n"
    files = {"orders/b.yaml": text.format("b", '"q x"'), "orders/c.yaml": text.format("c", '"q/x"')}
    channels = written(registry_of(files))["channels"]
    assert {name: channel["address"] for name, channel in channels.items()} == {"q_x": "q x", "q_x_": "q/x"}
