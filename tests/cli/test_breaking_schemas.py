"""``babelreg breaking`` of plain schemas, without a registry, as a newcomer runs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

MONEY = '{"definitions": {"money": {"type": "object",\n "properties": {"minor": {"type": "integer"}}}}}\n'
ORDER = """\
{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
 "properties": {
  "id": {"type": "integer"},
  "total": {"$ref": "common/money.json#/definitions/money"}}}
"""
NEW_ORDER = ORDER.replace('"id": {"type": "integer"}', '"id": {"type": "string"}')
Run = Callable[..., tuple[int, str, str]]


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with plain schemas, not committed; the current folder."""
    (tmp_path / "schemas" / "common").mkdir(parents=True)
    (tmp_path / "schemas" / "common" / "money.json").write_text(MONEY)
    (tmp_path / "schemas" / "order.json").write_text(ORDER)
    git(tmp_path, "init", "-q", "-b", "main")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BABELREG_REGISTRY", raising=False)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


@pytest.fixture
def changed(repository: Path) -> Path:
    """The same, committed, and changed since."""
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "one")
    (repository / "schemas" / "order.json").write_text(NEW_ORDER)
    return repository


@pytest.mark.parametrize("path", ["schemas", "schemas/order.json", "."])
def test_one_command_gives_the_verdict(changed: Path, run: Run, path: str):
    code, out, err = run("breaking", path, "--against", "HEAD")
    assert code == 1
    assert out.startswith("schemas/order.json:3:18: error: the type of 'id' changed from integer to string [type-")
    assert err.endswith("1 error in 1 file: compared 1 of 1 schema\n")


def test_a_file_that_is_named_may_have_any_name(repository: Path, run: Run):
    (repository / "order.avsc").write_text(ORDER.replace("common/", "schemas/common/"))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "one")
    (repository / "order.avsc").write_text(NEW_ORDER.replace("common/", "schemas/common/"))
    code, out, _ = run("breaking", "order.avsc", "--against", "HEAD")
    assert (code, out.partition(": the type")[0]) == (1, "order.avsc:3:18: error")


@pytest.mark.parametrize("second", ["{here}/schemas/common", "schemas/../schemas/common"])
def test_paths_may_be_spelled_in_several_ways(changed: Path, run: Run, second: str):
    code, out, _ = run("breaking", "schemas/order.json", second.format(here=changed), "--against", "HEAD")
    assert (code, out.count("type-changed")) == (1, 1)


def test_the_default_is_the_commit_before_the_change(changed: Path, run: Run):
    code, _, err = run("breaking", "schemas")
    assert code == 1
    assert err.splitlines()[0].endswith("(HEAD; the set of schemas has uncommitted changes)")


def test_what_the_findings_do_not_tell_is_said(repository: Path, run: Run):
    def written(most: int, address: str) -> str:
        many = {f"p{number}": {"type": "string", "maxLength": most} for number in range(70)}
        return json.dumps({"properties": {**many, "to": json.loads(address)}})

    schema = repository / "schemas" / "order.json"
    schema.write_text(written(9, '{"type": "string", "format": "email"}'))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "one")
    schema.write_text(written(8, '{"type": "string", "format": "email"}'))
    _, _, err = run("breaking", "schemas", "--against", "HEAD")
    assert "only the first 60 breaks of a direction are listed: order.json" in err
    schema.write_text(written(9, '{"type": "string", "format": "email", "maxLength": 400}'))
    _, _, err = run("breaking", "schemas", "--against", "HEAD")
    assert "1 verdict compatible without a certificate" in err


def test_a_revision_equals_itself(changed: Path, run: Run):
    (changed / "schemas" / "order.json").write_text(ORDER)
    assert run("breaking", "schemas", "--against", "HEAD")[:2] == (0, "")


def test_another_folder_may_be_the_published_one(changed: Path, run: Run):
    (changed / "old" / "common").mkdir(parents=True)
    (changed / "old" / "common" / "money.json").write_text(MONEY)
    (changed / "old" / "order.json").write_text(ORDER)
    code, out, err = run("breaking", "schemas", "--against", "old")
    assert (code, out.count("error:")) == (1, 1)
    assert "compared with the folder old as it is now" in err


def test_a_change_of_a_shared_file_is_reported_for_the_schema_that_is_named(changed: Path, run: Run):
    (changed / "schemas" / "order.json").write_text(ORDER)
    (changed / "schemas" / "common" / "money.json").write_text(MONEY.replace("integer", "string"))
    code, out, _ = run("breaking", "schemas/order.json", "--against", "HEAD")
    assert (code, out.partition(":")[0]) == (1, "schemas/common/money.json")


@pytest.mark.parametrize(
    "arguments, said",
    [
        pytest.param([], "babelreg breaking DIR", id="no folder is named"),
        pytest.param(
            ["nowhere"],
            "nowhere does not exist\n  fix: name a folder or file of schemas, or a registry",
            id="no such folder",
        ),
        pytest.param(["empty"], "there is no JSON Schema in empty", id="a folder without schemas"),
        pytest.param(["schemas", "--against", "nope"], "git has no revision 'nope'", id="no such revision"),
        pytest.param(["schemas", "--against", "a.zip#subdir=b"], "a git revision or a folder", id="an archive"),
        pytest.param(["schemas", "--fix"], "--fix needs a registry", id="an option for registries"),
    ],
)
def test_mistakes_are_named(changed: Path, run: Run, arguments: list[str], said: str):
    (changed / "empty").mkdir()
    code, out, err = run("breaking", *arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    "written, path, counted, said",
    [
        pytest.param(["{"], "schemas", (0, 1), "compared 1 of 1 schema; 1 file was not read", id="one is not JSON"),
        pytest.param(["{", '{"a":'], "schemas", (0, 2), "; 2 files were not read", id="two are not JSON"),
        pytest.param(['{"hello": 1}'], "schemas", (1, 0), "; 1 file is not a schema", id="one holds data"),
        pytest.param(['{"hello": 1}', "[]", "{"], "schemas", (2, 1),
                     "; 2 files are not schemas; 1 file was not read", id="data, and no JSON"),
        pytest.param(["{"], "schemas/order.json", (0, 0), "compared 1 of 1 schema\n", id="files that were not named"),
    ],
)  # fmt: skip
def test_files_that_were_not_compared_are_counted(changed: Path, run: Run, written, path, counted, said):
    for number, text in enumerate(written):
        (changed / "schemas" / f"{number}.json").write_text(text)
    _, out, err = run("breaking", path, "--against", "HEAD", "--format", "json")
    summary = json.loads(out)["summary"]
    assert (summary["not_schemas"], summary["unreadable"]) == counted
    assert said in err


def test_a_revision_of_a_repository_without_commits_is_refused_by_name(repository: Path, run: Run):
    code, out, err = run("breaking", "schemas", "--against", "HEAD")
    assert (code, out) == (2, "")
    assert err.startswith("babelreg: error: this repository has no commits, so there is no revision 'HEAD'\n")
    assert "fix: commit what is published" in err


def test_without_commits_everything_is_new(repository: Path, run: Run):
    code, _, err = run("breaking", "schemas")
    assert code == 0
    assert err == (
        "compared with a repository without commits: every schema is new\n"
        "nothing breaks: compared 0 of 1 schema (1 new)\n"
    )


def test_a_command_for_registries_says_that_the_folder_holds_plain_schemas(repository: Path, run: Run):
    (repository / "babelreg.yaml").write_text("version: 1\nschemas: .\n")
    code, _, err = run("lint")
    assert code == 2
    assert "babelreg.yaml marks a folder of plain schemas" in err
    assert "fix: babelreg import jsonschema" in err


def test_a_registry_beside_the_schemas_does_not_matter(changed: Path, run: Run):
    (changed / "registry").mkdir()
    (changed / "registry" / "babelreg.yaml").write_text("version: 1\n")
    assert run("breaking", "schemas", "--against", "HEAD")[0] == 1
    assert run("breaking", "--against", "HEAD")[2].startswith("using registry/ (the only registry below this folder)")


def test_a_registry_below_the_schemas_is_left_out(changed: Path, run: Run):
    (changed / "registry" / "orders").mkdir(parents=True)
    (changed / "registry" / "babelreg.yaml").write_text("version: 1\n")
    (changed / "registry" / "orders" / "created.yaml").write_text("urn: urn:babel:orders:created\n")
    assert run("breaking", ".", "--against", "HEAD")[2].endswith("compared 1 of 1 schema\n")


@pytest.mark.parametrize(
    "marked, code, said",
    [
        pytest.param(["schemas"], 1, "schemas/order.json:3:18: error: the type of 'id' changed", id="the only one"),
        pytest.param(["schemas", "old"], 2, "several folders of plain schemas here: old and schemas", id="one of two"),
    ],
)
def test_a_marked_folder_below_is_found(changed: Path, run: Run, marked: list[str], code: int, said: str):
    for name in marked:
        (changed / name).mkdir(exist_ok=True)
        (changed / name / "babelreg.yaml").write_text("version: 1\nschemas: .\n")
    found, out, err = run("breaking", "--against", "HEAD")
    assert (found, said in out + err) == (code, True)
    assert "marks a folder of plain schemas" in run("lint")[2]


def test_a_registry_below_comes_before_a_marked_folder_there(changed: Path, run: Run):
    for name, more in (("schemas", "schemas: .\n"), ("registry", "")):
        (changed / name).mkdir(exist_ok=True)
        (changed / name / "babelreg.yaml").write_text(f"version: 1\n{more}")
    assert run("breaking", "--against", "HEAD")[2].startswith("using registry/")


YAML_SETTINGS = "version: 1\nschemas: .\ncompatibility: {direction: backward}\n"
TOML_SETTINGS = '[tool.babelreg]\nschemas = "schemas"\ncompatibility = {direction = "backward"}\n'


@pytest.mark.parametrize(
    "path, text, start",
    [
        pytest.param("schemas/babelreg.yaml", YAML_SETTINGS, "schemas", id="babelreg.yaml beside the schemas"),
        pytest.param("pyproject.toml", TOML_SETTINGS, ".", id="pyproject.toml above them"),
        pytest.param("schemas/pyproject.toml", TOML_SETTINGS.replace('"schemas"', '"."'), "schemas",
                     id="pyproject.toml beside them"),
    ],
)  # fmt: skip
def test_settings_and_waivers_beside_the_schemas_hold(
    changed: Path, run: Run, monkeypatch: pytest.MonkeyPatch, path: str, text: str, start: str
):
    (changed / path).write_text(text)
    monkeypatch.chdir(changed / start)
    code, out, _ = run("breaking", "--against", "HEAD", "--format", "json")
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["direction"], finding["pointer"]) == (1, "backward", "/properties/id/type")
    _, waivers, _ = run("breaking", "--against", "HEAD", "--format", "waivers")
    assert ("path: order.json" in waivers) or ('path = "order.json"' in waivers)
    (changed / path).write_text(text + waivers.replace("TODO: say why", "nobody reads the id yet"))
    code, out, err = run("breaking", "--against", "HEAD")
    assert (code, out) == (0, "")
    assert err.endswith("nothing breaks (1 waived): compared 1 of 1 schema\n")


ORDERED = """\
asyncapi: 2.6.0
info: {title: Orders, version: "1"}
channels:
  orders:
    publish: {message: {name: Ordered, payload: {type: object, properties: {id: {type: integer}}}}}
"""


@pytest.mark.parametrize("name", ["schema", "file"])
@pytest.mark.parametrize(
    "path, schema, pointer",
    [
        pytest.param("order.json", "order.json", "/properties/id/type", id="a file that is one schema"),
        pytest.param("common/money.json", "order.json", "/definitions/money/properties/minor/type", id="a shared file"),
        pytest.param(
            "api.yaml",
            "api.yaml#/channels/orders/publish/message",
            "/channels/orders/publish/message/payload/properties/id/type",
            id="an AsyncAPI document",
        ),
    ],
)
def test_a_lasting_waiver_names_the_schema_or_the_file_of_the_finding(
    repository: Path, run: Run, path: str, schema: str, pointer: str, name: str
):
    folder = repository / "schemas"
    (folder / "api.yaml").write_text(ORDERED)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "one")
    (folder / path).write_text((folder / path).read_text().replace("integer", "string"))
    named = {"schema": schema, "file": path}[name]
    waiver = f'{{rule: type-changed, path: "{named}", pointer: {pointer}, reason: nobody reads it yet}}'
    (folder / "babelreg.yaml").write_text(f"version: 1\nschemas: .\nbreaking: {{waivers: [{waiver}]}}\n")
    code, out, err = run("breaking", "schemas", "--against", "HEAD")
    assert (code, "hides 1 finding" in out, "(1 waived)" in err) == (0, True, True)


def test_a_marked_folder_is_not_a_registry(changed: Path, run: Run):
    (changed / "schemas" / "babelreg.yaml").write_text("version: 1\nschemas: .\n")
    assert "no registry found" in run("lint")[2]
    code, out, err = run("lint", "--registry", "schemas")
    assert code == 1
    assert "schemas/babelreg.yaml:2:1: error: `schemas:` marks a folder of plain schemas" in out + err
