"""The inventory of personal data: complete, and honest about who reads what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg import load
from babelreg.gen.reference.personal_fields import marks
from babelreg.gen.targets.docs import personal_data_page
from babelreg.model import Registry


def registry(more: str = "", **files: str) -> Registry:
    held = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\nproducers: [shop]\n"
        "data:\n  type: object\n  properties:\n"
        "    email: {type: string, x-gdpr-sensitive: email}\n"
        "    who: {type: object, x-gdpr-sensitive: true, properties: {name: {type: string}}}\n" + more,
        **files,
    }
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in held.items()}))


def inventory(held: Registry) -> Any:
    return json.loads({file.path: file.text for file in personal_data_page.files(held)}["_personal-data.json"])


def page(held: Registry) -> str:
    return {file.path: file.text for file in personal_data_page.files(held)}["_personal-data.md"]


SCHEMA: dict[str, Any] = {
    "x-gdpr-sensitive": True,
    "properties": {
        "a": {"x-gdpr-sensitive": "email"},
        "b.c": {"properties": {"d": {"x-gdpr-sensitive": "name"}}},
        "list": {"items": {"properties": {"e": {"x-gdpr-sensitive": "phone"}}}},
        "map": {"additionalProperties": {"x-gdpr-sensitive": "name"}},
        "ref": {"$ref": "#/$defs/node"},
        "not_so": {"x-gdpr-sensitive": False},
        "empty": {"x-gdpr-sensitive": ""},
        "number": {"x-gdpr-sensitive": 1},
        "choice": {"oneOf": [{"properties": {"f": {"x-gdpr-sensitive": "x"}}}, {"type": "null"}]},
        "never": {"not": {"x-gdpr-sensitive": "y"}},
        "x-gdpr-sensitive": {"type": "string"},
    },
    "if": {"properties": {"g": {"x-gdpr-sensitive": "z"}}},
    "then": {"properties": {"h": {"x-gdpr-sensitive": "h"}}},
    "$defs": {
        "node": {"properties": {"v": {"x-gdpr-sensitive": "v"}, "next": {"$ref": "#/$defs/node"}}},
        "unused": {"x-gdpr-sensitive": "unused"},
    },
}


def test_every_mark_on_what_a_message_may_hold_is_listed() -> None:
    found = marks(SCHEMA)
    assert found.complete
    assert [(field.path, field.category) for field in found.fields] == [
        ("", None),
        ("a", "email"),
        ("b\\.c.d", "name"),
        ("choice.f", "x"),
        ("h", "h"),
        ("list[].e", "phone"),
        ("map.*", "name"),
        ("ref.v", "v"),
    ]


def test_a_schema_that_goes_on_for_too_long_is_said_to() -> None:
    branches: dict[str, Any] = {
        f"n{i}": {"properties": {name: {"$ref": f"#/$defs/n{i + 1}"} for name in "abc"}} for i in range(12)
    }
    found = marks({"$ref": "#/$defs/n0", "$defs": {**branches, "n12": {"x-gdpr-sensitive": True}}})
    assert not found.complete


@pytest.mark.parametrize(
    "service, readers, silent",
    [
        pytest.param("reads: [email]", ["crm"], [], id="it reads the field"),
        pytest.param("reads: [other]", [], [], id="it reads another one"),
        pytest.param("reads: [emails, email_id]", [], [], id="names that begin alike"),
        pytest.param("reads: []", [], ["crm"], id="it does not say"),
    ],
)
def test_who_reads_a_field(service: str, readers: list[str], silent: list[str]) -> None:
    text = f"owner: a\nconsumes: [{{urn: 'urn:babel:orders:created', {service}}}]\n"
    (email, _) = inventory(registry(**{"_services/crm.yaml": text}))["fields"]
    assert (email["read_by"], email["fields_not_stated_by"], email["received_by"]) == (readers, silent, ["crm"])


def test_reading_a_part_or_the_whole_counts() -> None:
    for path in ("who", "who.name"):
        text = f"owner: a\nconsumes: [{{urn: 'urn:babel:orders:created', reads: [{path}]}}]\n"
        (_, who) = inventory(registry(**{"_services/crm.yaml": text}))["fields"]
        assert (who["path"], who["category"], who["read_by"]) == ("who", None, ["crm"])


def test_the_pointer_leads_into_the_file_that_has_the_mark() -> None:
    held = registry(
        "    ship_to: {$ref: ../_common/address.yaml}\n",
        **{"_common/address.yaml": "type: object\nproperties: {city: {type: string, x-gdpr-sensitive: address}}\n"},
    )
    assert [(field["file"], field["pointer"]) for field in inventory(held)["fields"]] == [
        ("orders/created.yaml", "/data/properties/email"),
        ("_common/address.yaml", "/properties/city"),
        ("orders/created.yaml", "/data/properties/who"),
    ]


def test_the_page_says_when_there_is_nothing() -> None:
    bare = registry(**{"orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\ndata: {type: object}\n"})
    assert "No field is marked." in page(bare)
    assert "##" not in page(bare).replace("# Personal data", "")
    assert inventory(bare)["fields"] == []


def test_a_tombstone_is_not_listed() -> None:
    text = "urn: urn:babel:orders:created\nstatus: retired\nretired_on: 2026-01-31\n"
    held = registry(**{"orders/created.yaml": text + "data: {x-gdpr-sensitive: true}\n"})
    assert inventory(held)["fields"] == []


def test_nobody_is_a_word() -> None:
    text = "owner: a\nconsumes: [{urn: 'urn:babel:orders:created', reads: [other]}]\n"
    assert "| `email` | email | nobody |" in page(registry(**{"_services/crm.yaml": text}))
