"""``babelreg import jsonschema`` on files: plans, patches, previews, what is printed."""

from __future__ import annotations

import json

import pytest

CREATED = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "description": "An order was created.",
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string", "description": "Number."}},
    "additionalProperties": False,
}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with an empty registry and two schemas."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "schemas" / "orders").mkdir(parents=True)
    write(tmp_path, "created", CREATED)
    write(tmp_path, "delete", {**CREATED, "title": "T"})
    (tmp_path / "CODEOWNERS").write_text("schemas/orders/ @acme/team-orders\n")
    return tmp_path


def write(folder, name, schema):
    (folder / "schemas" / "orders" / f"{name}.json").write_text(json.dumps(schema))


def importing(run, *args):
    return run("import", "jsonschema", "schemas", *args)


def test_an_import_prints_its_plan_and_lints(shop, run):
    code, out, err = importing(run)
    assert code == 0, out + err
    assert out.splitlines() == [
        "orders/created.json  urn:babel:orders:created  event, active",
        "orders/delete.json   urn:babel:orders:delete  event?, active",
        "schemas/orders/delete.json:1:1: warning: the kind is unclear for urn:babel:orders:delete; it is imported "
        "as an event [import-kind-unknown]",
        "  fix: set kind: command where a message asks for something to be done, in its file or in a plan",
    ]
    assert err.splitlines()[-1] == "2 messages; 4 files written"
    assert (shop / "registry/orders/_context.yaml").read_text() == "owner: team-orders\n"
    assert (shop / "registry/orders/created.yaml").read_text() == (
        "urn: urn:babel:orders:created\n"
        "kind: event\n"
        "description: An order was created.\n"
        "data:\n"
        "  type: object\n"
        "  required: [id]\n"
        "  properties: {id: {type: string, description: Number.}}\n"
        "  additionalProperties: false\n"
    )
    assert run("lint", "--fail-on", "error")[0] == 0
    assert run("format", "--check")[0] == 0


@pytest.mark.parametrize(
    "settings, note",
    [
        pytest.param("version: 1\n", "1 of 2 sources closes objects with additionalProperties: false. Readers are tolerant by "
            "default and ignore undeclared properties; `compatibility: {reader: strict}` in babelreg.yaml makes them refuse",
            id="tolerant"),
        pytest.param("version: 1\ncompatibility: {reader: strict}\n", "1 of 2 sources closes objects with "
            "additionalProperties: false; readers are strict here and refuse undeclared properties", id="strict"),
    ],
)  # fmt: skip
def test_the_import_says_how_many_sources_close_their_objects(settings, note, shop, run):
    (shop / "registry/babelreg.yaml").write_text(settings)
    write(shop, "delete", {key: value for key, value in CREATED.items() if key != "additionalProperties"})
    assert importing(run)[2].splitlines()[-2] == note
    write(shop, "created", {key: value for key, value in CREATED.items() if key != "additionalProperties"})
    assert "close" not in importing(run)[2]


def test_an_avro_schema_is_named(shop, run):
    avro = {"type": "record", "name": "User", "fields": [{"name": "id", "type": "string"}]}
    (shop / "schemas/user.avsc").write_text(json.dumps(avro))
    assert "schemas/user.avsc:1:1: info: this is an Avro schema, not a JSON Schema" in importing(run)[1]


def test_a_plan_is_written_first_and_then_applied(shop, run):
    assert importing(run, "--plan", "plan.yaml")[0] == 0
    assert not (shop / "registry/orders").exists()
    plan = (shop / "plan.yaml").read_text()
    assert "  orders/created.json: {urn: urn:babel:orders:created, kind: event, status: active}\n" in plan
    lines = [
        line.replace("orders:created", "sales:order.created") for line in plan.splitlines() if "delete" not in line
    ]
    (shop / "plan.yaml").write_text("\n".join(lines))
    code, out, _ = importing(run, "--plan", "plan.yaml")
    assert code == 0
    assert "the plan does not list orders/delete.json" in out
    written = {path.relative_to(shop / "registry").as_posix() for path in (shop / "registry").rglob("*.yaml")}
    assert written == {"babelreg.yaml", "sales/_context.yaml", "sales/order.created.yaml"}


@pytest.mark.parametrize(
    "plan, text",
    [
        pytest.param("version: 2\n", "the version of a plan must be 1", id="another version"),
        pytest.param("version: 1\nmessages: {a: {urn: x}}\n", "is not a URN", id="no URN"),
        pytest.param(
            "version: 1\nmessages: {a: {urn: urn:babel:a:b}, b: {urn: urn:babel:a:b}}\n",
            "planned twice",
            id="one twice",
        ),
        pytest.param("version: 1\nfragments: {a: ../x.yaml}\n", "not the file name", id="a path"),
        pytest.param("version: 1\nmessages: {a: {urn: urn:babel:a:b, kind: x}}\n", "'kind' is not", id="no kind"),
        pytest.param("- a\n", "not a mapping", id="a list"),
        pytest.param("version: 1\nmessage: {}\n", "no key 'message'", id="an unknown key"),
    ],
)
def test_a_wrong_plan_is_refused_at_its_place(plan, text, shop, run):
    (shop / "plan.yaml").write_text(plan)
    code, _, err = importing(run, "--plan", "plan.yaml")
    assert code == 2
    assert "\nplan.yaml:" in err
    assert text in err
    assert not (shop / "registry/orders").exists()


def test_importing_again_is_a_patch(shop, run):
    importing(run)
    path = shop / "registry/orders/created.yaml"
    text = path.read_text().replace("kind: event", "kind: event  # certainly").replace("was created", "was accepted")
    path.write_text(text)
    assert importing(run)[0] == 0
    assert path.read_text() == text
    properties = {"id": {"type": "string", "description": "Number.", "minLength": 1}, "at": {"type": "string"}}
    write(shop, "created", {**CREATED, "properties": properties, "description": "Else."})
    code, out, _ = importing(run, "--diff")
    assert [line for line in out.splitlines() if line[:1] in "+-" and "created.yaml" not in line][:2] == [
        "-  properties: {id: {type: string, description: Number.}}",
        "+  properties: {id: {type: string, minLength: 1, description: Number.}, at: {type: string}}",
    ]
    code, out, _ = importing(run)
    assert code == 0
    assert "'/description' stays as it is" in out
    text = text.replace(
        "{type: string, description: Number.}", "{type: string, minLength: 1, description: Number.}, at: {type: string}"
    )
    assert path.read_text() == text


def test_a_source_that_is_gone_is_said(shop, run):
    importing(run)
    (shop / "schemas/orders/delete.json").unlink()
    code, out, _ = importing(run)
    assert code == 0
    assert "registry/orders/delete.yaml: warning: ../schemas/orders/delete.json, from which this was imported" in out
    assert (shop / "registry/orders/delete.yaml").exists()


def test_a_file_that_no_import_wrote_stays(shop, run):
    (shop / "registry/orders").mkdir()
    (shop / "registry/orders/_context.yaml").write_text("owner: a\n")
    own = shop / "registry/orders/created.yaml"
    own.write_text("urn: urn:babel:orders:created\nkind: event\ndata: {type: object}\n")
    before = own.read_bytes()
    importing(run)
    assert own.read_bytes() == before
    assert (shop / "registry/orders/created-n2.yaml").exists()


def test_a_context_without_an_owner_gets_that_of_its_messages(shop, run):
    (shop / "registry/orders").mkdir()
    (shop / "registry/orders/_context.yaml").write_text("# orders of the shop\ndescription: All about orders.\n")
    importing(run)
    assert (shop / "registry/orders/_context.yaml").read_text() == (
        "# orders of the shop\ndescription: All about orders.\nowner: team-orders\n"
    )
    assert "owner:" not in (shop / "registry/orders/created.yaml").read_text()


@pytest.mark.parametrize("text", ["owner: a\n", "owner: [\n"])
def test_a_context_that_has_an_owner_or_cannot_be_read_stays(shop, run, text):
    (shop / "registry/orders").mkdir()
    (shop / "registry/orders/_context.yaml").write_text(text)
    importing(run)
    assert (shop / "registry/orders/_context.yaml").read_text() == text


def test_a_dry_run_writes_nothing(shop, run):
    code, _, err = importing(run, "--dry-run")
    assert code == 0
    assert "would write registry/orders/created.yaml" in err
    assert not (shop / "registry/orders").exists()


def test_errors_of_lint_say_why_a_message_does_not_lint(shop, run):
    write(shop, "paid", {**CREATED, "properties": {"id": {}, "total_amount": {"type": "number"}}})
    code, out, _ = importing(run)
    assert code == 1
    assert "registry/orders/paid.yaml:" in out
    assert "[money-as-float]" in out


def test_findings_are_printed_as_json(shop, run):
    write(shop, "list", {**CREATED, "type": "array"})
    code, out, _ = importing(run, "--format", "json")
    assert code == 1
    assert [finding["rule"] for finding in json.loads(out)["findings"]] == [
        "import-kind-unknown",
        "import-schema-refused",
    ]


def test_a_link_in_the_registry_is_not_followed(shop, run):
    outside = shop / "outside"
    outside.mkdir()
    (shop / "registry/orders").symlink_to(outside)
    code, _, err = importing(run)
    assert code == 2
    assert "outside the registry" in err
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "args, text",
    [
        ([], "nothing to import"),
        (["absent"], "absent does not exist"),
        (["schemas", "--roots", "#/none/*"], "no schema that could become a message"),
    ],
)
def test_wrong_use(args, text, shop, run):
    code, _, err = run("import", "jsonschema", *args)
    assert code == 2
    assert text in err
