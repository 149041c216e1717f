"""What changed between two states of a registry, in sentences."""

from __future__ import annotations

import pytest

from babelreg import load
from babelreg.model.overview import registry_changes
from babelreg.model.overview.changes import FieldChange, field_changes

URN = "urn:babel:orders:created"
HEAD = {"kind": "event", "owner": "team-orders", "producers": "[shop]"}
DATA = "{type: object, required: [id], properties: {id: {type: integer, minimum: 1}, tag: {enum: [a, b]}}}"


def registry(data=DATA, more="", **head):
    lines = [f"urn: {URN}", *(f"{key}: {value}" for key, value in {**HEAD, **head}.items()), f"data: {data}", more]
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: t\n",
        "orders/created.yaml": "\n".join(lines),
    }
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))


@pytest.mark.parametrize(
    "data, lines",
    [
        pytest.param(DATA.replace("minimum: 1", "minimum: 5"), ["id: minimum is now 5, was 1"], id="a bound"),
        pytest.param(DATA.replace("minimum: 1", "maximum: 5"), ["id: maximum is now 5, was not set", "id: minimum is now not set, was 1"], id="two bounds"),
        pytest.param(DATA.replace("integer", "string"), ["id is now string, was integer"], id="a type"),
        pytest.param(DATA.replace("[a, b]", "[a, c]"), ['tag admits "c"', 'tag no longer admits "b"'], id="values"),
        pytest.param(DATA.replace("[id]", "[id, tag]"), ["tag became required"], id="required"),
        pytest.param(DATA.replace("[id]", "[tag]"), ["id became optional", "tag became required"], id="optional"),
        pytest.param(
            DATA.replace("tag:", "to: {type: object, properties: {city: {type: string}}}, tag:"),
            ["to was added: object, optional"],
            id="a new object, once",
        ),
        pytest.param(DATA.replace(", tag: {enum: [a, b]}", ""), ["tag was removed"], id="a field that is gone"),
        pytest.param(DATA.replace("minimum: 1", "minimum: 1, description: D"), ["id: the description is now: D"], id="a description"),
        pytest.param(
            DATA.replace("minimum: 1", "minimum: 1, x-gdpr-sensitive: name"), ["id is now personal data (name)"], id="a mark"
        ),
        pytest.param(
            DATA.replace("type: object,", "type: object, minProperties: 2,"),
            ["the schema changed, but no single field did"],
            id="the object itself",
        ),
        pytest.param(DATA.replace("type: object, required: [id],", "required: [id], type: object,"), [], id="the order of keys"),
    ],
)  # fmt: skip
def test_a_change_of_the_schema_is_told_by_field(data, lines):
    changes = registry_changes(registry(), registry(data))
    assert sorted(line for change in changes for line in change.lines) == lines


def test_removed_fields_keep_the_order_of_the_schema():
    names = [f"f{number}" for number in range(9)]
    many = f"{{type: object, properties: {{{', '.join(f'{name}: {{type: string}}' for name in names)}}}}}"
    (change,) = registry_changes(registry(many), registry("{type: object}"))
    assert list(change.lines) == [f"{name} was removed" for name in names]


def test_two_versions_of_a_message_differ_in_fields():
    (old,), (new,) = (
        registry(data).messages for data in (DATA, DATA.replace("id: {type: integer", "no: {type: integer"))
    )
    assert field_changes(old, new) == [
        FieldChange("no", "added", ("no was added: integer, optional",)),
        FieldChange("id", "removed", ("id was removed",)),
    ]
    assert field_changes(old, old) == []


@pytest.mark.parametrize(
    "head, lines",
    [
        pytest.param({"owner": "team-x"}, ["the owner is now team-x, was team-orders"], id="the owner"),
        pytest.param({"status": "draft"}, ["the status is now draft, was active"], id="the status"),
        pytest.param({"description": "D"}, ["the description is now: D"], id="a description"),
        pytest.param({"queue": "q"}, ["the queue is now q, was not stated"], id="a queue"),
        pytest.param({"producers": "[web]"}, ["web is a new producer", "shop is no longer a producer"], id="producers"),
        pytest.param({"delivery": "{max_attempts: 9}"}, ["the delivery policy changed"], id="delivery"),
        pytest.param({"headers": "true"}, ["its headers are sent on Redis, in frames"], id="headers"),
    ],
)
def test_a_change_around_the_schema_is_told(head, lines):
    (change,) = registry_changes(registry(), registry(**head))
    assert list(change.lines) == lines


def test_messages_come_and_go():
    nothing = load.from_tree(load.files.tree.Memory({"babelreg.yaml": b"version: 1\n"}))
    (added,), (removed,) = registry_changes(nothing, registry()), registry_changes(registry(), nothing)
    assert (added.kind, added.lines) == ("added", ("is an event of team-orders", "goes from shop to nobody"))
    assert (removed.kind, removed.lines) == ("removed", ())


def test_new_and_removed_aliases_are_told():
    (change,) = registry_changes(registry(aliases="[a, b]"), registry(aliases="[b, c]"))
    assert change.lines == ("c is a new alias", "a is no longer an alias")


def with_expectation(expects):
    consumes = f"consumes: [{{urn: '{URN}'{f', expects: {expects}' if expects else ''}}}]"
    files = {
        "babelreg.yaml": "version: 1\n",
        "_services/billing-worker.yaml": f"owner: t\n{consumes}\n",
        "orders/created.yaml": f"urn: {URN}\nkind: event\nowner: t\nproducers: [shop]\ndata: {DATA}\n",
    }
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))


@pytest.mark.parametrize(
    "before, after, lines",
    [
        pytest.param("", "{tag: {const: a}}", ['billing-worker now expects {"const": "a"} of tag'], id="a new one"),
        pytest.param("{tag: {const: a}}", "", ["billing-worker no longer expects anything of tag"], id="one less"),
        pytest.param(
            "{tag: {const: a}}", "{tag: {const: b}}", ['billing-worker now expects {"const": "b"} of tag'], id="another"
        ),
        pytest.param("{tag: {const: a}}", "{tag: {const: a}}", [], id="the same"),
    ],
)
def test_what_a_consumer_expects_is_told(before, after, lines):
    changes = registry_changes(with_expectation(before), with_expectation(after))
    assert [line for change in changes for line in change.lines] == lines
