"""``babelreg compare`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from babelreg.cli.compare import command
from babelreg.errors import InputError


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.yaml").write_text("properties: {a: {type: string}}\n")
    (tmp_path / "new.json").write_text(
        '{"properties": {"a": {"type": "string", "format": "date"}, "b": {"type": "null"}}}'
    )
    (tmp_path / "list.yaml").write_text("properties: {a: {type: array}}\n")
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_compatible(files: Path) -> None:
    done = run("old.yaml", "new.json")
    assert done.return_value == 0
    assert done.output == (
        "backward (new readers accept old data): compatible\nforward (old readers accept new data): compatible\n"
    )


def test_breaking_shows_the_witness_and_where_it_is_refused(files: Path) -> None:
    done = run("old.yaml", "list.yaml")
    assert done.return_value == 1
    assert done.output.splitlines()[:3] == [
        "backward (new readers accept old data): breaking",
        '  witness: {"a": ""}',
        '  refused at /properties/a/type: "" is not of type "array"',
    ]


@pytest.mark.parametrize(
    "arguments, backward",
    [
        pytest.param(["--reader", "strict"], {"b": False}, id="strict readers"),
        pytest.param(["--assert-formats"], {"a": ""}, id="asserted formats"),
    ],
)
def test_the_options_of_the_question(files: Path, arguments: list[str], backward: Any) -> None:
    done = run("old.yaml", "new.json", "--format", "json", *arguments)
    said = json.loads(done.output)
    assert said["question"] == "containment"
    assert said["backward"]["witness"] == backward
    assert done.return_value == 1


def test_unknown_is_1_with_its_reason(files: Path) -> None:
    (files / "round.yaml").write_text("anyOf: [{$ref: '#'}, {}]\n")
    done = run("old.yaml", "round.yaml")
    assert done.return_value == 1
    assert "unknown\n  reason: the new schema has a $ref that refers to itself" in done.output


def test_a_schema_that_cannot_be_used_is_unknown_with_the_fix(files: Path) -> None:
    repeated = '{"$defs": {"k": {"$id": "b", "$anchor": "f"}}, "properties": {"q": {"$id": "b", "$ref": "#f"}}}'
    (files / "repeated.json").write_text(repeated)
    fix = "use each $id for only one subschema, or refer to definitions by path: #/$defs/NAME"
    assert f"may occur twice\n  fix: {fix}\nforward" in run("repeated.json", "old.yaml").output
    answer = json.loads(run("repeated.json", "old.yaml", "--format", "json").output)
    assert [answer[direction]["fix"] for direction in ("backward", "forward")] == [fix, fix]


MESSAGE = "urn: urn:babel:orders:created\nkind: event\ndata: {properties: {a: {type: string}}}\n"


@pytest.mark.parametrize(
    "name, text, said",
    [
        pytest.param("new.yaml", MESSAGE, "new.yaml is a message: what counts is its data\n", id="a message file"),
        pytest.param(
            "new.json",
            '{"order_id": 1042}',
            "new.json allows everything: no keyword of JSON Schema is at its top level\n",
            id="the data of a message in place of its schema",
        ),
        pytest.param("new.yaml", "{}\n", "", id="a schema that allows everything on purpose"),
        pytest.param("new.yaml", "$ref: '#/$defs/a'\n$defs: {a: {}}\n", "", id="a reference"),
        pytest.param(
            "new.yaml",
            "title: Shared\n$defs: {a: {type: string}}\n",
            "new.yaml allows everything: it contains only definitions, which are not compared\n",
            id="definitions alone",
        ),
        pytest.param("new.yaml", "definitions: {a: {}}\ntype: object\n", "", id="definitions and a type"),
    ],
)
def test_what_may_not_be_meant_is_said_beside_the_report(files: Path, name: str, text: str, said: str) -> None:
    (files / name).write_text(text)
    done = run("old.yaml", name)
    assert done.stderr == said
    assert done.stdout.startswith("backward (new readers accept old data): ")


def test_a_file_beside_itself_is_compatible_and_said_to_be_the_same(files: Path) -> None:
    (files / "link.yaml").symlink_to("old.yaml")
    for other in ("old.yaml", "./old.yaml", "link.yaml"):
        done = run("old.yaml", other)
        assert (done.return_value, done.stderr) == (0, "old.yaml is compared with itself\n")


@pytest.mark.parametrize(
    "name, text, said, way_out",
    [
        pytest.param("a.yaml", None, "cannot be read: No such file or directory", "name a YAML or JSON", id="no file"),
        pytest.param(
            "a.json", "type: object\n", "is not JSON: Expecting value", "name the file .yaml", id="YAML, not JSON"
        ),
        pytest.param("a.json", "", "is empty", "such as {type: object}", id="an empty file"),
        pytest.param(
            "a.yaml", "# nothing yet\n", "does not contain a schema", "such as {type: object}", id="comments alone"
        ),
        pytest.param(
            "a.yaml", "urn: urn:babel:a:b\nstatus: retired\n", "does not contain a schema", "such as", id="a tombstone"
        ),
    ],
)
def test_a_file_that_holds_no_schema(files: Path, name: str, text: str | None, said: str, way_out: str) -> None:
    if text is not None:
        (files / name).write_text(text)
    done = run("old.yaml", name)
    assert isinstance(done.exception, InputError)
    assert said in done.exception.message
    assert way_out in (done.exception.fix or "")
    assert done.exception.exit_code == 2


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
@pytest.mark.parametrize(
    "escapes, code", [pytest.param(r"\ud83d\ude00", 0, id="a pair"), pytest.param(r"\ud83d", 2, id="half a pair")]
)
def test_a_schema_file_may_hold_surrogate_pairs(
    name: str, escapes: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from babelreg.cli import main

    (tmp_path / name).write_text(f'{{"const": "{escapes}"}}')
    with pytest.raises(SystemExit) as ended:
        main(["compare", str(tmp_path / name), str(tmp_path / name)])
    assert ended.value.code == code
    assert ("an unpaired surrogate" in capsys.readouterr().err) is (code == 2)
