"""A registry that is exported and imported again is the same registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg import load
from babelreg.contract.views import reader_view
from babelreg.exchange.formats import asyncapi, bqschema, jsonschema
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.finding import Severity
from babelreg.gen.targets import TARGETS
from babelreg.load.files.tree import Memory
from babelreg.schema.dialects import DEFAULT
from babelreg.schema.values import mappings

ROOT = Path(__file__).resolve().parents[2]
READERS = {
    "jsonschema": lambda folder: jsonschema.read([folder]),
    "asyncapi": lambda folder: asyncapi.read([folder / "asyncapi.json"]),
    "bqschema": lambda folder: bqschema.read(folder / "registry.json"),
}
SMALL = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": """
urn: urn:babel:orders:created
kind: event
owner: team-orders
producers: [orders-api]
data:
  type: object
  properties:
    channel: {type: string, enum: [web], x-open-enum: true}
    level: {type: [integer, "null"], enum: [1, 2, null], x-open-enum: true, examples: [1]}
    payment:
      oneOf:
      - {type: object, required: [card], properties: {card: {type: string, enum: [visa], x-open-enum: true}}}
      - {type: object, required: [iban], properties: {iban: {type: string}}}
""",
}


def reimported(target, registry, folder, **options):
    """The registry after an export of ``registry`` and an import into an empty one, and the findings."""
    for file in TARGETS[target].files(registry, options):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    tree = Memory({"babelreg.yaml": b"version: 1\n"})
    result = import_sources(
        READERS[target](folder), load.from_tree(tree), tree, ImportOptions(lambda name: None, Owners())
    )
    files = {"babelreg.yaml": b"version: 1\n", **{path: text.encode() for path, text in result.files.items()}}
    return load.from_tree(Memory(files)), result.findings


def small():
    return load.from_tree(Memory({path: text.encode() for path, text in SMALL.items()}))


@pytest.fixture(scope="module")
def example():
    return load.from_tree(load.folder(ROOT / "registry.example"))


FACTS = ("urn", "kind", "status", "description", "queue", "supersedes", "sunset")


@pytest.mark.parametrize("target", READERS)
def test_the_facts_of_each_message_come_back(target, example, tmp_path):
    again, _ = reimported(target, example, tmp_path)
    exported = [message for message in example.messages if message.status != "retired"]
    facts = {message.urn: [getattr(message, fact) for fact in FACTS] for message in again.messages}
    known = FACTS if target != "bqschema" else FACTS[:5]
    assert {urn: values[: len(known)] for urn, values in facts.items()} == {
        message.urn: [getattr(message, fact) for fact in known] for message in exported
    }


@pytest.mark.parametrize("target", READERS)
def test_a_message_gains_no_description_and_no_queue(target, tmp_path):
    again, findings = reimported(target, small(), tmp_path)
    (message,) = again.messages
    assert (message.description, message.queue) == (None, None)
    assert [f.message for f in findings if f.severity is not Severity.INFO] == []


def test_a_queue_that_is_called_default_comes_back(tmp_path):
    text = SMALL["orders/created.yaml"].replace("kind: event\n", "kind: event\nqueue: default\n")
    registry = load.from_tree(
        Memory({**{p: t.encode() for p, t in SMALL.items()}, "orders/created.yaml": text.encode()})
    )
    again, _ = reimported("asyncapi", registry, tmp_path)
    assert again.messages[0].queue == "default"


@pytest.mark.parametrize("target", READERS)
def test_open_enums_are_open_for_everyone_and_come_back(target, tmp_path):
    registry = small()
    for file in TARGETS[target].files(registry, {}):
        assert "x-open-enum" not in file.text
        assert '"web"' not in file.text or '"x-known-values"' in file.text
    (message,) = reimported(target, registry, tmp_path)[0].messages
    documents = [
        {"channel": "web"}, {"channel": "fax"}, {"channel": 1}, {"level": 3}, {"level": 1}, {"level": "x"}, {"level": None},
        {"payment": {"card": "visa"}}, {"payment": {"card": "amex"}}, {"payment": {"card": "visa", "iban": "x"}},
        {"payment": {}},
    ]  # fmt: skip
    verdicts = [
        [DEFAULT.validator_for(view).is_valid(document) for document in documents]
        for schema in (registry.messages[0].schema, message.schema)
        for view in (schema, reader_view(schema))
    ]
    assert verdicts[:2] == verdicts[2:]
    assert message.schema["properties"] == registry.messages[0].schema["properties"]


@pytest.mark.parametrize("target", READERS)
def test_enums_stay_closed_where_it_is_asked_for_or_readers_are_strict(target):
    strict = {**SMALL, "babelreg.yaml": "version: 1\ncompatibility: {reader: strict}\n"}
    strict_registry = load.from_tree(Memory({path: text.encode() for path, text in strict.items()}))
    for registry, options in ((small(), {"closed_enums": True}), (strict_registry, {})):
        texts = [file.text for file in TARGETS[target].files(registry, options)]
        assert any('"enum"' in text and '"visa"' in text for text in texts)
        assert not any("x-known-values" in text for text in texts)


def test_plain_schemas_have_no_keywords_of_extensions(example):
    import json

    for file in TARGETS["jsonschema"].files(example, {"plain": True}):
        assert not [key for node in mappings(json.loads(file.text)) for key in node if key.startswith("x-")]
