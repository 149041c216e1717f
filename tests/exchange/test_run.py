"""The law of every import: the messages accept exactly the objects that their sources accept."""

from __future__ import annotations

import itertools

import jsonschema
import jsonschema_rs
import pytest
import referencing
from examples import fewer
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from schema_strategies import VALUES, schemas_of

from babelreg.schema.dialects import DEFAULT, DIALECTS

REFERENCES = (
    "#/definitions/a",
    "#/definitions/b",
    "common.json#/definitions/a",
    "https://example.com/common.json#/definitions/b",
    "https://example.com/whole.json",
)


def judges(files, path, dialect):
    """Two validators of a source file, which know the other files by path and by $id."""
    identifier = dialect.identifier
    uris = {name: value.get(identifier, f"https://example.com/{name}") for name, value in files.items()}
    by_uri = {uris[name]: value for name, value in files.items()}
    resources = [
        (uri, referencing.Resource.from_contents(value, referencing.jsonschema.specification_with(dialect.uri)))
        for uri, value in by_uri.items()
    ]
    python = jsonschema.validators.validator_for({"$schema": dialect.uri})(
        by_uri[uris[path]], registry=referencing.Registry().with_resources(resources)
    )
    rust = getattr(jsonschema_rs, dialect.validator)(
        {"$ref": uris[path]}, registry=jsonschema_rs.Registry(list(by_uri.items())), validate_formats=True
    )
    return python.is_valid, rust.is_valid


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=fewer(8, 12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_verdict_changes(name, data, import_folder):
    dialect = DIALECTS[name]
    drawn = schemas_of(name, REFERENCES)
    plain = schemas_of(name, ("#/definitions/b",))

    def file(uri, schema):
        return {"$schema": dialect.uri, dialect.identifier: f"https://example.com/{uri}.json", **schema}

    # Both messages refer to the same two schemas, crosswise: these become shared fragments, which must not be confused.
    first, second = data.draw(st.permutations(REFERENCES).map(lambda order: order[:2]))
    # Those of one message alone become definitions of its own, which may have the same name.
    own = data.draw(st.lists(st.sampled_from(REFERENCES), max_size=2))
    references = (("w", first), ("x", second), *zip("yz", own, strict=False)), (("w", second), ("x", first))
    definitions = {"a": data.draw(plain), "b": {"type": "string", "maxLength": 1}}
    assume("definitions/a" not in str(definitions["a"]))
    files = {
        f"{number}-created.json": file(
            f"{number}-created",
            {
                "type": "object",
                "properties": {
                    "v": data.draw(drawn),
                    **{name: {"$ref": reference} for name, reference in references[number]},
                },
                "definitions": {**definitions, "a": {**definitions["a"], "enum": [number, "a"]}},
            },
        )
        for number in range(2)
    }
    files["common.json"] = file("common", {"definitions": definitions})
    files["whole.json"] = file("whole", {"properties": {"a": data.draw(drawn)}, "definitions": definitions})
    assume("whole.json" not in str(files["whole.json"]["properties"]))
    imported = import_folder(files)
    assert set(imported.codes) <= {"import-schema-adjusted", "import-source-unused", "import-open-objects"}
    assert len(imported.registry.messages) >= 2
    assert imported.registry.defects == ()
    values = data.draw(st.lists(VALUES, min_size=5, max_size=10))
    documents = [{name: value} for name, value in itertools.product("vwxyz", [*values, 0, 1, "a", "ab"])]
    sources = {message.urn: key for key, message in imported.result.plan.messages.items()}
    for message in imported.registry.messages:
        reader = DEFAULT.validator_for(message.schema)
        source = sources[message.urn]
        for judge, document in itertools.product(judges(files, source, dialect), [{}, *documents]):
            assert judge(document) == reader.is_valid(document), (files, message.schema, document)


BESIDES = {"title": "x", "type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    "options, status",
    [
        pytest.param({}, "active", id="by default: schemas are in use"),
        pytest.param({"status": "active"}, "active", id="as told"),
        pytest.param({"status": "draft"}, "draft", id="as told, drafts"),
    ],
)
def test_new_messages_have_one_status(import_folder, options, status):
    union = {"oneOf": [{"$ref": "#/definitions/sent"}], "definitions": {"sent": BESIDES}}
    imported = import_folder({"created.json": BESIDES, "thing.json": BESIDES, "all.json": union}, **options)
    assert {message.urn: (message.kind, message.status) for message in imported.registry.messages} == {
        f"urn:babel:orders:{name}": ("event", status) for name in ("created", "sent", "thing")
    }


def test_a_status_that_the_source_states_goes_before_the_option(import_folder):
    imported = import_folder({"created.json": {**BESIDES, "x-babel-status": "deprecated"}}, status="draft")
    assert imported.value("orders/created.yaml")["status"] == "deprecated"


@pytest.mark.parametrize("status", [None, "active", "draft"])
@pytest.mark.parametrize("kept", ["draft", "active", "deprecated"])
def test_a_message_that_is_imported_again_keeps_its_status(import_folder, kept, status):
    first = import_folder({"created.json": BESIDES}, status="draft" if kept == "active" else "active")
    files = dict(first.files)
    lines = [line for line in files["orders/created.yaml"].decode().splitlines() if not line.startswith("status:")]
    lines.insert(lines.index("kind: event") + 1, f"status: {kept}")
    files["orders/created.yaml"] = "".join(f"{line}\n" for line in lines).encode()
    changed = {**BESIDES, "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    again = import_folder({"created.json": changed}, files, status=status)
    value = again.value("orders/created.yaml")
    assert (value["status"], sorted(value["data"]["properties"])) == (kept, ["a", "b"])
    assert again.codes == []


def test_kinds_that_nothing_tells_are_one_finding_and_a_set_kind_ends_it(import_folder):
    names = ("one", "two", "three", "four", "created")
    first = import_folder({f"{name}.json": BESIDES for name in names})
    (finding,) = first.result.findings
    assert finding.rule == "import-kind-unknown"
    assert finding.message.startswith("the kind is unclear for urn:babel:orders:")
    assert finding.message.endswith(" and 1 more; they are imported as events")
    files = dict(first.files)
    files["orders/one.yaml"] = files["orders/one.yaml"].replace(b"kind: event", b"kind: command")
    again = import_folder({f"{name}.json": BESIDES for name in names}, files)
    assert (again.result.findings, again.value("orders/one.yaml")["kind"]) == ([], "command")


def test_a_newer_revision_of_a_source_is_imported_into_the_same_message(import_folder):
    first = import_folder({"order/1-0-0.json": {"type": "object", "properties": {"a": {"type": "string"}}}})
    files = {
        "order/1-0-0.json": {"type": "object", "properties": {"a": {"type": "string"}}},
        "order/1-0-1.json": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "order/2-0-0.json": {"type": "object", "properties": {"c": {"type": "string"}}},
    }
    again = import_folder(files, first.files)
    messages = again.registry.by_urn
    assert {urn: sorted(message.schema["properties"]) for urn, message in messages.items()} == {
        "urn:babel:orders:order": ["a", "b"],
        "urn:babel:orders:order.v2": ["c"],
    }
    assert messages["urn:babel:orders:order.v2"].supersedes == "urn:babel:orders:order"
    assert [finding.rule for finding in again.result.findings if finding.rule == "import-source-gone"] == []


def test_a_value_that_no_exception_can_hold_is_a_finding(import_folder):
    deep = {}
    for _ in range(300):
        deep = {"a": deep}
    imported = import_folder({"created.json": {"type": "object", "enum": deep}})
    assert imported.codes == ["import-schema-refused"]
    assert "nested too deeply" in imported.result.findings[0].message


OPEN = {**BESIDES, "additionalProperties": True}
WITHIN = {"type": "object", "properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": OPEN}}
LENIENT = b"version: 1\ncompatibility: {open_objects: lenient}\n"


@pytest.mark.parametrize(
    "sources, settings, message",
    [
        pytest.param([OPEN, OPEN], b"version: 1\n", "2 of 2 schemas", id="all are open"),
        pytest.param(
            [OPEN, WITHIN, BESIDES], b"version: 1\n", "2 of 3 schemas", id="most are open, one in a definition"
        ),
        pytest.param([OPEN, BESIDES], b"version: 1\n", None, id="half of them"),
        pytest.param([OPEN, OPEN], LENIENT, None, id="it is accepted already"),
        pytest.param([OPEN], b"version: 1\n", None, id="a single one"),
    ],
)
def test_open_objects_are_accepted_where_most_schemas_have_them(sources, settings, message, import_folder):
    files = {f"m{number}ed.json": schema for number, schema in enumerate(sources)}
    imported = import_folder(files, {"babelreg.yaml": settings})
    found = [finding for finding in imported.result.findings if finding.rule == "import-open-objects"]
    assert [finding.message.partition(" set")[0] for finding in found] == ([message] if message else [])
    assert all("compatibility: {open_objects: lenient}" in finding.fix for finding in found)


def test_a_registry_file_that_is_not_yaml_is_to_be_corrected_first(import_folder):
    first = import_folder({"created.json": BESIDES})
    files = dict(first.files) | {"orders/created.yaml": first.files["orders/created.yaml"] + b"x: [\n"}
    again = import_folder({"created.json": {**BESIDES, "title": "y"}}, files)
    finding = next(finding for finding in again.result.findings if finding.rule == "import-schema-refused")
    assert "not YAML" in finding.message
    assert finding.fix == "correct orders/created.yaml in the registry first; `babelreg lint` shows the place"
