"""Plain schemas compared in memory: the same verdicts as after an import, at the places of the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from examples import fewer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg import load
from babelreg.breaking.check.run import check
from babelreg.exchange.formats import jsonschema
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.exchange.schema_registry import ComparedSchemas, SchemaRevision, compared_schemas
from babelreg.finding import Finding
from babelreg.load.files.tree import Memory
from babelreg.model import Settings

ROOT = Path("/schemas")
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"


def compared(old: dict[str, Any], new: dict[str, Any]) -> ComparedSchemas:
    """Both revisions, from values or texts by path."""
    revisions = []
    for files in (old, new):
        bodies = {
            path: value.encode() if isinstance(value, str) else json.dumps(value, indent=1).encode()
            for path, value in files.items()
        }
        revisions.append(SchemaRevision(ROOT, Memory(bodies), sorted(bodies)))
    return compared_schemas(*revisions, Settings(), "")


def findings(old: dict[str, Any], new: dict[str, Any]) -> list[Finding]:
    """Everything that the gate reports."""
    result = compared(old, new)
    return [*result.findings, *check(result.old, result.new)]


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
MONEY = {"definitions": {"money": schema(minor=INTEGER)}}
NEW_MONEY = {"definitions": {"money": schema(minor=TEXT)}}
TO_MONEY = {"$ref": "common/money.json#/definitions/money"}


def test_a_schema_whose_only_user_cannot_be_compared_is_compared_by_itself() -> None:
    user = {"allOf": [{"$ref": "./base.json"}, {"$ref": "https://example.com/other.json"}]}
    old, new = ({"base.json": schema(x=kind), "user.json": user} for kind in (INTEGER, TEXT))
    found = findings(old, new)
    assert [finding.place.path for finding in found if finding.rule == "type-changed"] == ["base.json"]
    assert "import-schema-refused" in {finding.rule for finding in found if finding.place.path == "user.json"}


IGLU = "http://iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/1-0-0#"


def test_self_describing_schemas_are_schemas() -> None:
    described = {"self": {"vendor": "com.acme", "name": "order", "format": "jsonschema", "version": "1-0-0"}}
    old, new = ({"$schema": IGLU, **described, **schema(x=kind)} for kind in (INTEGER, TEXT))
    found = findings({"order/1-0-0": old}, {"order/1-0-0": new})
    assert [finding.rule for finding in found] == ["type-changed"]


def test_a_document_that_names_its_schema_is_none() -> None:
    document = {"$schema": "https://example.com/order.json", "properties": [{"name": "x"}]}
    assert not compared({"a.json": document}, {"a.json": document}).new.messages


def test_plain_schemas_have_no_columns() -> None:
    old, new = ({"a.json": schema(x={"anyOf": kinds})} for kinds in ([INTEGER, TEXT], [TEXT, INTEGER]))
    wide = (
        schema(x={"type": "integer", "maximum": 9}),
        schema(x={"type": "integer", "maximum": 9, "x-spark-type": "INT"}),
    )
    assert findings(old, new) == findings({"a.json": wide[0]}, {"a.json": wide[1]}) == []


def test_what_an_unchanged_file_lacks_is_one_warning() -> None:
    user = {"allOf": [{"$ref": f"https://example.com/{name}.json"} for name in "abc"]}
    found = findings({"user.json": user}, {"user.json": user})
    assert [(finding.rule, finding.severity.value) for finding in found] == [("import-schema-refused", "warning")]


def test_an_unchanged_file_that_cannot_be_read_is_a_warning() -> None:
    found = findings({"a.json": schema(), "b.json": "{"}, {"a.json": schema(), "b.json": "{"})
    assert [(finding.rule, finding.severity.value) for finding in found] == [("import-file-unread", "warning")]
    changed = findings({"a.json": schema(), "b.json": "{"}, {"a.json": schema(), "b.json": "{{"})
    assert [(finding.rule, finding.severity.value) for finding in changed] == [("import-file-unread", "error")]


@pytest.mark.parametrize("name", ["1-0-0", "order.2.0", "order", "a/b/1-0-0"])
def test_a_schema_needs_no_suffix(name: str) -> None:
    found = findings({name: schema(x=INTEGER), "LICENSE": "Free."}, {name: schema(x=TEXT), "LICENSE": "Free."})
    assert [(finding.rule, finding.place.path) for finding in found] == [("type-changed", name)]


@pytest.mark.parametrize(
    "old, new, reported",
    [
        pytest.param({"a.json": schema(x=INTEGER)}, {"a.json": schema(x=INTEGER)}, [], id="nothing changed"),
        pytest.param(
            {"a.json": schema(x=INTEGER)},
            {"a.json": schema(x=TEXT)},
            [("type-changed", "a.json", "/properties/x/type")],
            id="a type changed",
        ),
        pytest.param(
            {"a.json": schema(total=TO_MONEY), "b.json": schema(sum=TO_MONEY), "common/money.json": MONEY},
            {"a.json": schema(total=TO_MONEY), "b.json": schema(sum=TO_MONEY), "common/money.json": NEW_MONEY},
            [("type-changed", "common/money.json", "/definitions/money/properties/minor/type")],
            id="a change of a shared definition is one finding, in its file",
        ),
        pytest.param(
            {"a.json": schema(total=TO_MONEY), "common/money.json": MONEY},
            {"a.json": schema(total=TO_MONEY), "common/money.json": NEW_MONEY},
            [("type-changed", "common/money.json", "/definitions/money/properties/minor/type")],
            id="a change of a definition that one schema uses is in its file",
        ),
        pytest.param(
            {"a.json": {"$schema": DRAFT_7, **schema(x={"items": [INTEGER, TEXT]})}},
            {"a.json": {"$schema": DRAFT_7, **schema(x={"items": [INTEGER, INTEGER]})}},
            [("type-changed", "a.json", "/properties/x/items/1/type")],
            id="an item of a list has its pointer in draft-07",
        ),
        pytest.param(
            {"a.json": {"$schema": DRAFT_7, **schema(), "dependencies": {"x": ["y"]}}},
            {"a.json": {"$schema": DRAFT_7, **schema(), "dependencies": {"x": ["y", "z"]}}},
            [("property-required", "a.json", "/dependencies")],
            id="a dependency has its pointer in draft-07",
        ),
        pytest.param({"a.json": {"type": "array", "items": INTEGER}}, {"a.json": {"type": "array", "items": TEXT}},
                     [("type-changed", "a.json", "/items/type")], id="the root is an array"),
        pytest.param({"a.json": schema()}, {}, [("urn-removed", "a.json", None)], id="a file was removed"),
        pytest.param({"a.json": schema(x=INTEGER)}, {"b.json": schema(x=INTEGER)},
                     [("urn-removed", "b.json", "")], id="a file was renamed"),
        pytest.param(
            {"a.json": {"$id": "https://example.com/a", **schema(x=INTEGER)}},
            {"b.json": {"$id": "https://example.com/a", **schema(x=TEXT)}},
            [("urn-removed", "b.json", ""), ("type-changed", "b.json", "/properties/x/type")],
            id="a renamed file with the same $id is compared",
        ),
        pytest.param({"a.json": schema(x=INTEGER)}, {"a.json": {"hello": 1}},
                     [("import-source-unused", "a.json", None), ("urn-removed", "a.json", None)],
                     id="a file is not a schema any more"),
        pytest.param({"a.json": schema(x=INTEGER)}, {"a.json": "{"}, [("import-file-unread", "a.json", None)],
                     id="a file is not JSON any more, which is not a removal"),
        pytest.param({"a.json": "{"}, {"a.json": schema(x=INTEGER)}, [("containment-unknown", "a.json", None)],
                     id="a published file was not JSON"),
        pytest.param(
            {"a.json": schema(x=INTEGER)},
            {"a.json": schema(x={"$ref": "gone.json"})},
            [("import-reference-unresolved", "a.json", "/properties/x/$ref"),
             ("import-schema-refused", "a.json", "/properties/x")],
            id="a reference leads nowhere",
        ),
        pytest.param(
            {"a.json": schema(x={"$ref": "gone.json"})}, {"a.json": schema(x=INTEGER)},
            [("containment-unknown", "a.json", None)], id="a published reference led nowhere",
        ),
        pytest.param(
            {"a.json": schema(x=INTEGER)},
            {"a.json": schema(x=TEXT), "b.json": schema(a={"$ref": "a.json"})},
            [("type-changed", "a.json", "/properties/x/type")],
            id="a schema to which another one refers now is still compared",
        ),
        pytest.param(
            {"defs.json": {"$defs": {"a": schema(x=INTEGER)}}}, {"defs.json": {"$defs": {"a": schema(x=TEXT)}}},
            [("type-changed", "defs.json", "/$defs/a/properties/x/type")],
            id="definitions that nothing uses are compared",
        ),
        pytest.param(
            {"a.json": schema(b={"$ref": "b.json"}), "b.json": schema(a={"$ref": "a.json"}, x=INTEGER)},
            {"a.json": schema(b={"$ref": "b.json"}), "b.json": schema(a={"$ref": "a.json"}, x=TEXT)},
            [("type-changed", "b.json", "/properties/x/type")],
            id="files that refer to each other are compared",
        ),
        pytest.param(
            {"a.json": {"oneOf": [{"$ref": "#/definitions/p"}, {"$ref": "#/definitions/q"}],
                        "definitions": {"p": schema(x=INTEGER), "q": schema(x=TEXT)}}},
            {"a.json": {"oneOf": [{"$ref": "#/definitions/p"}], "definitions": {"p": schema(x=INTEGER)}}},
            [("urn-removed", "a.json", None)],
            id="a branch of a union is gone",
        ),
        pytest.param(
            {"a.yaml": "type: object\nproperties:\n  x: {type: integer}\n"},
            {"a.yaml": "type: object\nproperties:\n  x: {type: string}\n"},
            [("type-changed", "a.yaml", "/properties/x/type")],
            id="YAML",
        ),
    ],
)  # fmt: skip
def test_what_the_gate_reports(old, new, reported):
    assert sorted({(f.rule, f.place.path, f.pointer) for f in findings(old, new)}, key=str) == sorted(reported, key=str)


def test_a_place_is_the_line_and_column_of_the_source():
    (finding,) = findings({"a.json": schema(x=INTEGER)}, {"a.json": schema(x=TEXT)})
    assert (finding.place.line, finding.place.column) == (5, 12)
    assert finding.against is not None
    assert (finding.against.line, finding.against.column) == (5, 12)


def test_a_fix_names_no_registry():
    (finding,) = findings({"a.json": schema(x=INTEGER)}, {"a.json": schema(x=TEXT)})
    assert finding.fix == "keep integer as its type, or publish the new version in a separate file"


@pytest.mark.parametrize(
    "changed, severity", [pytest.param(False, "warning", id="unchanged"), pytest.param(True, "error", id="changed")]
)
def test_a_dangling_reference_is_an_error_where_the_file_changed(changed, severity):
    bad = schema(x={"$ref": "gone.json"})
    new = {**bad, "title": "A"} if changed else bad
    every = findings({"a.json": bad}, {"a.json": new})
    assert [f.rule for f in every if not f.rule.startswith("import-")] == ["containment-unknown"] * changed
    reported = [f for f in every if f.rule.startswith("import-")]
    assert {f.severity.value for f in reported} == {severity}
    assert all("babelreg import" not in (f.fix or "") for f in reported)


ASYNCAPI = {
    "asyncapi": "3.0.0",
    "info": {"title": "Orders", "version": "1"},
    "channels": {"orders": {"address": "orders", "messages": {"created": {"$ref": "#/components/messages/created"}}}},
    "operations": {"send": {"action": "send", "channel": {"$ref": "#/channels/orders"}}},
    "components": {"messages": {"created": {"payload": schema(x=INTEGER)}}},
}


def test_messages_of_asyncapi_are_compared_beside_plain_schemas():
    new = json.loads(json.dumps(ASYNCAPI).replace('"integer"', '"string"'))
    plain = {"a.json": schema(x=INTEGER)}
    (finding,) = findings({"api.json": ASYNCAPI, **plain}, {"api.json": new, **plain})
    assert (finding.rule, finding.place.path) == ("type-changed", "api.json")
    assert finding.pointer == "/components/messages/created/payload/properties/x/type"
    assert finding.urn == "api.json#/components/messages/created"


def after_import(old: dict[str, Any], new: dict[str, Any], folder: Path) -> set[tuple[str, str, str | None]]:
    """The verdicts after both revisions were imported into a registry, one after the other."""
    files: dict[str, bytes] = {"babelreg.yaml": b"version: 1\n"}
    registries = []
    for revision in (old, new):
        for path in folder.glob("*.json"):
            path.unlink()
        for path, value in revision.items():
            (folder / path).write_text(json.dumps(value))
        tree = Memory(files)
        options = ImportOptions(lambda name: "event", Owners(default="team"))
        result = import_sources(jsonschema.read([folder]), load.from_tree(tree), tree, options)
        files = {**files, **{path: text.encode() for path, text in result.files.items()}}
        registries.append(load.from_tree(Memory(files)))
        assert registries[-1].defects == ()
    return verdicts(check(*registries), lambda urn: urn.rpartition(":")[2])


def verdicts(reported: list[Finding], name_of: Any) -> set[tuple[str, str, str | None]]:
    """The rule and the direction of each finding, by the name of each schema that it breaks."""
    every = [(f, urn) for f in reported for urn in ([use.urn for use in f.messages] or [f.urn])]
    return {(name_of(urn), f.rule, f.direction) for f, urn in every if urn is not None}


VALUES = st.one_of(
    st.sampled_from([INTEGER, TEXT, {"type": "number"}, {"type": ["string", "null"]}, {"$ref": "shared.json"}, True]),
    st.builds(lambda n: {"type": "integer", "minimum": n}, st.integers(0, 3)),
    st.builds(lambda v: {"enum": sorted(v)}, st.sets(st.sampled_from("abc"), min_size=1)),
    st.builds(lambda v: {"type": "array", "items": v}, st.sampled_from([INTEGER, TEXT, [INTEGER, TEXT]])),
    st.just({"$ref": "#/definitions/own"}),
)
OBJECTS = st.builds(
    lambda properties, required, closed, own: {
        "$schema": DRAFT_7,
        "type": "object",
        "properties": properties,
        "required": sorted(required & properties.keys()),
        "additionalProperties": not closed,
        "definitions": {"own": own},
    },
    st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3),
    st.sets(st.sampled_from("pqr")),
    st.booleans(),
    st.sampled_from([INTEGER, TEXT, schema(x=INTEGER)]),
)
SHARED = [{"$schema": DRAFT_7, **shared} for shared in (INTEGER, TEXT, schema(y=TEXT))]
REVISIONS = st.fixed_dictionaries({"made.json": OBJECTS, "sent.json": OBJECTS, "shared.json": st.sampled_from(SHARED)})


@given(REVISIONS, REVISIONS)
@settings(
    max_examples=fewer(12, 25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_the_verdicts_are_those_after_an_import(tmp_path, old, new):
    expected = after_import(old, new, tmp_path)
    result = compared(old, new)
    reported = verdicts(check(result.old, result.new), lambda urn: urn.removesuffix(".json"))
    assert {each for each in reported if each[0] != "shared"} == expected
