from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.errors import InputError
from babelreg.load.schema_file import read


@pytest.mark.parametrize(
    "name, text, schema",
    [
        pytest.param("a.yaml", "type: string\n", {"type": "string"}, id="YAML"),
        pytest.param("a.json", '{"const": "\\ud83d\\ude00"}', {"const": "\U0001f600"}, id="JSON"),
        pytest.param("a.yaml", "true\n", True, id="a boolean"),
        pytest.param("a.json", '{"const": 9007199254740993.0}', {"const": 2**53 + 1}, id="an integer with a fraction"),
        pytest.param(
            "a.yaml", "const: 9007199254740993.0\n", {"const": 2**53 + 1}, id="an integer with a fraction, YAML"
        ),
        pytest.param("a", '{"type": "string"}', {"type": "string"}, id="no ending"),
    ],
)
def test_read(tmp_path: Path, name: str, text: str, schema: object) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert read(tmp_path / name) == schema


def test_of_a_message_file_it_is_that_of_its_data(tmp_path: Path) -> None:
    (tmp_path / "created.yaml").write_text("urn: urn:babel:orders:created\ndata: {type: object}\n")
    assert read(tmp_path / "created.yaml") == {"type": "object"}


def test_in_a_registry_what_its_data_refers_to_is_brought_in(tmp_path: Path) -> None:
    for path, text in {
        "babelreg.yaml": "version: 1\n",
        "_common/money.yaml": "type: object\n",
        "orders/created.yaml": (
            "urn: urn:babel:orders:created\nkind: event\n"
            "data: {type: object, properties: {total: {$ref: ../_common/money.yaml}}}\n"
        ),
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert read(tmp_path / "orders/created.yaml")["$defs"] == {"money": {"type": "object"}}


def test_a_tombstone_holds_none(tmp_path: Path) -> None:
    (tmp_path / "placed.yaml").write_text("urn: urn:babel:orders:placed\nstatus: retired\n")
    with pytest.raises(InputError, match="does not contain a schema"):
        read(tmp_path / "placed.yaml")


@pytest.mark.parametrize(
    "name, body, said",
    [
        pytest.param("a.yaml", b"a: 1\na: 2\n", "a.yaml:2:1: ", id="a key twice"),
        pytest.param("a.json", b'{"a": 1, "a": 2}', "'a' appears twice", id="a key twice, JSON"),
        pytest.param("a.json", b'{"a": NaN}', "NaN", id="no number"),
        pytest.param(
            "a.json", b'{"const": 0.10000000000000001}', "more digits than a double", id="digits without effect"
        ),
        pytest.param("a.json", b'{"a": }', "a.json:1:7: ", id="no JSON"),
        pytest.param("a.json", b"[" * 200_000, "nested too deeply", id="a nest"),
        pytest.param("a.yaml", b"[" * 200_000, "a.yaml:1:", id="a nest, YAML"),
        pytest.param("a.yaml", b"\xff\xfe", "UTF-16", id="another encoding"),
        pytest.param("a.yaml", b"- 1\n", "does not contain a schema", id="a list"),
        pytest.param("a.yaml", b"", "is empty", id="nothing"),
        pytest.param("a.json", b" " * (9 << 20), "larger than", id="too large"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, body: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(InputError) as raised:
        read(tmp_path / name)
    assert said in str(raised.value)


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read(path)
