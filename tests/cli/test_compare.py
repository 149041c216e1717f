"""``babelreg compare`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from babelreg.cli.compare import command


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
        "backward (new readers take old data): compatible\nforward (old readers take new data): compatible\n"
    )


def test_breaking_shows_the_witness_and_where_it_is_refused(files: Path) -> None:
    done = run("old.yaml", "list.yaml")
    assert done.return_value == 1
    assert done.output.splitlines()[:3] == [
        "backward (new readers take old data): breaking",
        '  witness: {"a": ""}',
        '  refused at /properties/a/type: "" is not of type "array"',
    ]


@pytest.mark.parametrize(
    "arguments, backward",
    [
        pytest.param(["--reader", "strict"], {"b": False}, id="strict readers"),
        pytest.param(["--formats", "asserted"], {"a": ""}, id="asserted formats"),
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
    assert "unknown\n  reason: the new schema has a $ref that leads back to itself" in done.output
