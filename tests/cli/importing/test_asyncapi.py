"""``babelreg import asyncapi`` on files and folders; imports that bring nothing."""

from __future__ import annotations

import json

import pytest

MESSAGE = {"payload": {"type": "object", "properties": {"id": {"type": "string"}}}}
DOCUMENT = {
    "asyncapi": "3.0.0",
    "info": {"title": "Shop"},
    "channels": {"orders": {"messages": {"placed": {"$ref": "../common/messages.json#/placed"}}}},
    "operations": {"place": {"action": "send", "channel": {"$ref": "#/channels/orders"}}},
}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with an empty registry, a document, and the messages that it needs beside its folder."""
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "registry/babelreg.yaml": "version: 1\n",
        "api/shop.json": json.dumps(DOCUMENT),
        "common/messages.json": json.dumps({"placed": MESSAGE}),
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_files_and_folders_are_read_together(shop, run):
    code, out, err = run("import", "asyncapi", "api/shop.json", "common", "--owner", "team-shop")
    assert code == 0, out + err
    assert out.splitlines() == ["common/messages.json#/placed  urn:babel:shop:placed  event, active"]
    assert "queue: orders\n" in (shop / "registry/shop/placed.yaml").read_text()


def test_the_file_to_add_is_named(shop, run):
    code, out, err = run("import", "asyncapi", "api")
    assert code == 1
    assert "api/shop.json:1:" in out
    assert "fix: pass common/messages.json as well" in out
    assert err.splitlines()[-1] == "0 messages; 0 files written"


@pytest.mark.parametrize("options", [(), ("--plan", "plan.yaml"), ("--diff",), ("--dry-run",)])
def test_an_import_of_nothing_is_no_success(options, shop, run):
    (shop / "api/shop.json").write_text(json.dumps({**DOCUMENT, "channels": {}, "operations": {}}))
    code, _, err = run("import", "asyncapi", "api", "--fail-on", "never", *options)
    assert code != 0
    assert "no schema that could become a message" in err


def test_a_plan_that_names_no_source_is_no_success(shop, run):
    (shop / "plan.yaml").write_text("version: 1\nmessages: {}\n")
    code, out, _ = run("import", "asyncapi", "api", "common", "--plan", "plan.yaml", "--fail-on", "never")
    assert code == 1
    assert "no message is imported [import-no-message]" in out


def test_a_repeated_key_of_json_is_reported_at_its_place(shop, run):
    text = '{"type": "object",\n "properties": {"a": {"type": "string"}, "b": {},\n  "a": {"type": "integer"}}}'
    (shop / "common/paid.json").write_text(text)
    _, out, _ = run("import", "jsonschema", "common")
    assert "common/paid.json:3:3: warning: the key 'a' is already in this object" in out


def test_nothing_to_import_is_wrong_use(shop, run):
    assert run("import", "asyncapi")[0] == 2


def test_the_aliases_of_an_export_come_back(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "from/babelreg.yaml": "version: 1\n",
        "from/web/_context.yaml": "owner: team-web\n",
        "from/web/clicked.yaml": "urn: urn:babel:web:clicked\naliases: [Web.Clicked]\nkind: event\ndata: {type: object}\n",
        "to/babelreg.yaml": "version: 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert run("gen", "asyncapi", "--registry", "from", "--out", "api")[0] == 0
    (path,) = (tmp_path / "api").glob("asyncapi.*")
    names = ["Web.Clicked", "Web.Clicked", "", 7, "a\nb"]
    path.write_text(path.read_text().replace('"Web.Clicked"', ", ".join(map(json.dumps, names))))
    assert run("import", "asyncapi", str(path), "--registry", "to", "--owner", "team-web")[0] == 0
    assert "aliases: [Web.Clicked]\n" in (tmp_path / "to/web/clicked.yaml").read_text()
