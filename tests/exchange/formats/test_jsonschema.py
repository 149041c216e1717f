"""Folders of JSON Schemas: which files become messages, how references are resolved, what is reported."""

from __future__ import annotations

import pytest

from babelreg.lint.privacy.example_values import leak
from babelreg.schema.dialects import DIALECTS

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
TEXT = {"type": "string"}


def message(**more):
    return {"$schema": DRAFT_7, "type": "object", **more}


def refers(reference):
    return message(properties={"a": {"$ref": reference}})


def urns(imported):
    return [urn.removeprefix("urn:babel:") for urn in imported.result.messages]


@pytest.mark.parametrize(
    "files, expected",
    [
        pytest.param({"created.json": message()}, ["orders:created"], id="a file"),
        pytest.param({"billing/paid.json": message()}, ["billing:paid"], id="a folder is a context"),
        pytest.param({"schemas/v1/paid.json": message()}, ["orders:paid"], id="a folder of a general name is not"),
        pytest.param(
            {"OrderCreated.schema.json": message()}, ["orders:order-created"], id="words of a class name are joined"
        ),
        pytest.param(
            {"created.json": message(), "created.v2.json": message()},
            ["orders:created", "orders:created.v2"],
            id="a second version",
        ),
        pytest.param({"created.v2.json": message()}, ["orders:created"], id="a version without the one before it"),
        pytest.param(
            {
                "order-created.json": message(),
                "order_created.json": message(),
                "OrderCreated.yaml": "type: object\n$id: x",
            },
            ["orders:order-created", "orders:order-created-n2", "orders:order_created-n3"],
            id="names that differ in separators only",
        ),
        pytest.param({"con.json": message(), "ö!.json": message()}, ["orders:message-con", "orders:o"], id="odd names"),
        pytest.param({"common.json": {"definitions": {"a": TEXT}}}, [], id="a file of definitions"),
        pytest.param(
            {"created.json": refers("money.json"), "money.json": message()}, ["orders:created"], id="a file referred to"
        ),
        pytest.param(
            {"all.json": {"$schema": DRAFT_7, "oneOf": [{"$ref": "paid.json"}]}, "paid.json": message()},
            ["orders:paid"],
            id="a union of files",
        ),
        pytest.param(
            {"all.json": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": {"a": {}, "b": {}}}},
            ["orders:a", "orders:b"],
            id="a union of definitions",
        ),
        pytest.param(
            {"package.json": {"name": "x"}, "x.json": {"type": "module"}, "y.json": [1], "z.json": "1"},
            [],
            id="files that are no schemas",
        ),
    ],
)
def test_the_roots_become_messages(files, expected, import_folder):
    imported = import_folder(files)
    assert sorted(urns(imported)) == sorted(expected)
    assert imported.registry.defects == ()


def test_named_definitions_become_messages(import_folder):
    definitions = {name: message() for name in ("push_event", "fork$event", "user")}
    imported = import_folder(
        {"all.json": {"$schema": DRAFT_7, "definitions": definitions}}, roots=["#/definitions/*event"]
    )
    assert urns(imported) == ["orders:push", "orders:fork"]
    assert {entry.status for entry in imported.result.plan.messages.values()} == {"active"}


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"created.json": refers("sub/money.json")}, id="by path"),
        pytest.param({"created.json": refers("https://x.example/money")}, id="by $id"),
        pytest.param({"created.json": refers("https://x.example/money#amount")}, id="by an anchor"),
        pytest.param({"created.json": refers("sub/money.json#/definitions/text")}, id="by a pointer into a file"),
        pytest.param(
            {"created.json": refers("https://other.example/api/money.json")}, id="by the only file of that name"
        ),
        pytest.param(
            {
                "created.json": message(
                    **{"$id": "https://y.example/s/created.json", "properties": {"a": {"$ref": "sub/text.json"}}}
                ),
                "sub/text.json": {"$schema": DRAFT_7, **TEXT},
            },
            id="by the folder that a $id stands for",
        ),
    ],
)
def test_references_are_resolved_in_the_folder(files, import_folder):
    money = {
        "$schema": DRAFT_7,
        "$id": "https://x.example/money",
        **TEXT,
        "definitions": {"text": {"$id": "#amount", **TEXT}},
    }
    imported = import_folder({"sub/money.json": money, **files})
    (created,) = [entry for entry in imported.registry.messages if entry.urn.endswith(":created")]
    assert "import-reference-unresolved" not in imported.codes
    assert created.schema["properties"]["a"] == {"$ref": "#/$defs/" + next(iter(created.schema["$defs"]))}
    assert {entry["type"] for entry in created.schema["$defs"].values()} == {"string"}


@pytest.mark.parametrize(
    "files, code, text",
    [
        pytest.param({"a.json": "{"}, "import-file-unread", "not JSON", id="broken JSON"),
        pytest.param({"a.json": '{"type": "object", "minimum": NaN}'}, "import-file-unread", "NaN", id="NaN"),
        pytest.param({"a.json": "[" * 100_000}, "import-file-unread", "deep", id="deep JSON"),
        pytest.param(
            {"a.json": '{"type": "object", "title": "\\ud800"}'}, "import-file-unread", "surrogate", id="a half"
        ),
        pytest.param({"a.yaml": "type: object\nx: &y 1\n"}, "import-file-unread", "anchor", id="a YAML anchor"),
        pytest.param({"a.json": b"\xff\xfe{\x00"}, "import-file-unread", "UTF-16", id="UTF-16"),
        pytest.param(
            {"a.json": refers("../../../../etc/passwd")},
            "import-reference-unresolved",
            "not in the source",
            id="climbing",
        ),
        pytest.param(
            {"a.json": refers("https://x.example/y.json")},
            "import-reference-unresolved",
            "x.example",
            id="a remote one",
        ),
        pytest.param(
            {"a.json": refers("#/definitions/x")}, "import-reference-unresolved", "no schema at", id="nowhere"
        ),
        pytest.param({"a.json": refers("#x")}, "import-reference-unresolved", "no anchor", id="no such anchor"),
        pytest.param(
            {
                "a.json": message(**{"$id": "u:1"}),
                "b.json": message(**{"$id": "u:1", "title": "b"}),
                "c.json": refers("u:1"),
            },
            "import-reference-unresolved",
            "several schemas have the $id",
            id="two of one $id",
        ),
        pytest.param(
            {"a.json": message(properties={"a": {"$ref": "#/properties/a"}})},
            "import-schema-refused",
            "refers to itself",
            id="a circle",
        ),
        pytest.param(
            {"a.json": message(allOf=[{"$ref": "b.json"}]), "b.json": message(allOf=[{"anyOf": [{"$ref": "a.json"}]}])},
            None,
            "",
            id="a circle of files has no root",
        ),
        pytest.param(
            {"a.json": {"$schema": DRAFT_7, "type": "array"}}, "import-schema-refused", "'array'", id="an array"
        ),
        pytest.param(
            {"a.json": message(properties={"a": {"$id": "u:b", "$schema": DRAFT_4, "type": "object"}})},
            "import-schema-refused",
            "has another dialect",
            id="two dialects in one file",
        ),
        pytest.param(
            {"a.json": message(minProperties=-1)}, "import-schema-refused", "not a valid", id="an invalid one"
        ),
        pytest.param(
            {"a.json": {"$schema": "http://json-schema.org/draft-03/schema#"}},
            "import-schema-refused",
            "not a known dialect",
            id="draft-03",
        ),
        pytest.param(
            {"a.json": message(properties={"a": {"pattern": "\\p{Foo}"}})},
            "import-meaning-changed",
            "\\p{Foo}",
            id="a pattern",
        ),
        pytest.param(
            {"a.json": message(patternProperties={"\\p{Foo}": {}})},
            "import-schema-refused",
            "\\p{Foo}",
            id="a name's pattern",
        ),
        pytest.param(
            {"a.json": {"$schema": DRAFT_4, "type": "object", "properties": {"a": {"type": "integer"}}}},
            "import-meaning-changed",
            "1.0 is not an integer",
            id="integers of draft-04",
        ),
        pytest.param(
            {"a.json": message(properties={"a": {"$ref": "#/definitions/b", "minLength": 1}}, definitions={"b": {}})},
            "import-schema-adjusted",
            "'minLength' beside it is dropped",
            id="beside a reference",
        ),
        pytest.param(
            {"a.json": {"$schema": DRAFT_7, "required": ["a"]}}, "import-schema-adjusted", "type: object", id="no type"
        ),
    ],
)
def test_what_cannot_be_kept_is_reported(files, code, text, import_folder):
    imported = import_folder(files)
    found = [finding for finding in imported.result.findings if finding.rule == code]
    assert code is None or any(text in finding.message for finding in found), imported.result.findings
    assert all(finding.place.line > 0 or finding.place.path for finding in found)
    assert imported.registry.defects == ()


def test_what_changes_its_meaning_in_many_files_is_said_once(import_folder):
    schema = {"$schema": DRAFT_4, "type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    imported = import_folder({f"{name}.json": schema for name in ("a", "b", "c")})
    (finding,) = (each for each in imported.result.findings if each.rule == "import-meaning-changed")
    assert finding.message.endswith("in 2020-12 it is (here and at 5 other places in 3 files)")
    assert finding.place.path.endswith("a.json")


def test_a_deep_schema_is_refused(import_folder):
    schema: dict = {"type": "object"}
    for _ in range(300):
        schema = {"type": "object", "properties": {"a": schema}}
    imported = import_folder({"a.json": schema, "b.json": message()})
    assert urns(imported) == ["orders:b"]
    assert imported.codes == ["import-schema-refused"]


def test_a_link_out_of_the_folder_is_not_followed(import_folder, tmp_path):
    from babelreg.exchange.formats import jsonschema

    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "object", "required": ["x"]}')
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "a.json").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    sources = jsonschema.read([folder])
    assert [finding.rule for finding in sources.findings] == ["import-file-unread"]
    assert sources.messages == []


def test_a_byte_order_mark_is_not_text(import_folder):
    assert urns(import_folder({"a.json": b'\xef\xbb\xbf{"type": "object", "required": []}'})) == ["orders:a"]


def test_shared_definitions_become_fragments(import_folder):
    money = {"type": "object", "properties": {"minor": {"type": "integer"}}}
    files = {f"{name}.json": refers("common.json#/definitions/Money") for name in ("created", "paid")}
    imported = import_folder(
        {**files, "common.json": {"$schema": DRAFT_7, "definitions": {"Money": money, "Other": {}}}}
    )
    assert imported.result.plan.fragments == {"common.json#/definitions/Money": "money.yaml"}
    assert imported.value("_common/money.yaml") == money
    assert imported.value("orders/paid.yaml")["data"]["properties"] == {"a": {"$ref": "../_common/money.yaml"}}


def test_a_fragment_has_a_name_that_every_system_allows(import_folder):
    files = {f"{name}.json": refers("common.json#/definitions/con") for name in ("created", "paid")}
    imported = import_folder({**files, "common.json": {"$schema": DRAFT_7, "definitions": {"con": TEXT}}})
    assert imported.result.plan.fragments == {"common.json#/definitions/con": "con-schema.yaml"}
    assert imported.registry.defects == ()


def test_a_message_holds_a_few_examples(import_folder):
    schema = message(properties={"id": {"type": "string"}})
    documents = {f"examples/created/{number:03}.json": {"id": "x" * number} for number in range(30)}
    imported = import_folder({"created.json": schema, **documents, "examples/created.json": {"id": "x" * 200_000}})
    assert imported.value("orders/created.yaml")["examples"] == [{"id": "x" * number} for number in range(20)]
    assert imported.codes == ["import-schema-adjusted"]


def test_the_dialect_of_schemas_without_one_can_be_given(import_folder):
    files = {"a.json": {"type": "object", "properties": {"a": {"$ref": "#/x", "enum": []}}, "x": TEXT}}
    imported = import_folder(files, dialect=DIALECTS["draft7"])
    assert imported.codes == ["import-schema-adjusted"]


def test_documents_beside_schemas_become_examples(import_folder):
    schema = message(properties={"id": {"type": "integer"}}, required=["id"])
    files = {
        "schemas/order-created.schema.json": schema,
        "examples/order_created.json": {"id": 1},
        "examples/order-created/2.json": {"id": 2},
        "examples/order-created/invalid.json": {"id": 4},
        "schemas/order-created.example.json": {"id": "3"},
    }
    imported = import_folder(files)
    assert imported.value("orders/order-created.yaml")["examples"] == [{"id": 2}, {"id": 1}]
    assert imported.codes == ["import-example-invalid", "import-source-unused"]
    messages = {finding.rule: finding.message for finding in imported.result.findings}
    assert "/id is not an integer" in messages["import-example-invalid"]
    assert "'3'" not in messages["import-example-invalid"]


def test_examples_with_secrets_or_personal_data_are_left_out(import_folder):
    schema = message(
        properties={"note": {"type": "string"}}, examples=[{"note": "ok"}, {"note": "pay 4539148803436467"}]
    )
    files = {"order-created.schema.json": schema, "order-created.example.json": {"note": "j.lindqvist@gmail.com"}}
    imported = import_folder(files, leak_of=leak)
    assert imported.value("orders/order-created.yaml")["examples"] == [{"note": "ok"}]
    assert imported.codes == ["import-example-private"] * 2
    assert "j.lindqvist" not in repr(imported.result.findings)
    assert "4539148803436467" not in repr(imported.files)


def test_the_dialect_of_schemas_with_a_metaschema_of_their_own_can_be_said(import_folder):
    properties = {"id": {"type": "string"}}
    own = {"$schema": "https://schemas.example/1-0-0", "type": "object", "properties": properties}
    files = {"created.json": own, "paid.json": {**message(), "$schema": DRAFT_7}}
    left_out = import_folder(files)
    assert (urns(left_out), left_out.codes) == (["orders:paid"], ["import-dialect-unknown"])
    imported = import_folder(files, dialect=DIALECTS["draft7"])
    assert (urns(imported), imported.codes) == (["orders:created", "orders:paid"], [])
