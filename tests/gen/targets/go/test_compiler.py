"""Go accepts what is generated, and documents come back equal. Needs Go 1.19 or later, and no module."""

from __future__ import annotations

import json
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import hostile
import pytest
from drawn_schemas import drawn
from go_package import go, unformatted, written
from published_schemas import published

from babelreg import load
from babelreg.gen.target import generated_messages
from babelreg.typemap.names import class_name

ROOT = Path(__file__).resolve().parents[4]


pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def example():
    return load.registry(ROOT / "registry.example")


_ROUND_TRIP = """
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"example/messages"
)

func again[T any](data []byte) (any, error) {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, err
	}
	return value, nil
}

var types = map[string]func([]byte) (any, error){
%s
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var line struct {
			URN  string
			Data json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			panic(err)
		}
		value, err := types[line.URN](line.Data)
		text := []byte(nil)
		if err == nil {
			text, err = json.Marshal(value)
		}
		if err != nil {
			text, _ = json.Marshal([]string{err.Error()})
		}
		fmt.Println(string(text))
	}
}
"""


def returned(registry: Any, folder: Path, documents: list[tuple[str, Any]] | str) -> list[str]:
    """Return the texts of ``documents``, pairs of a URN and data, after decoding and encoding by generated types.

    A text has a line of JSON for each, with ``URN`` and ``Data``.
    """
    names = {message.urn: class_name(message.parsed) for message in generated_messages(registry)}
    table = "\n".join(f"\t{json.dumps(urn)}: again[messages.{name}]," for urn, name in names.items())
    written(registry, folder, roundtrip=_ROUND_TRIP.replace("%s", table))
    built = go(folder, "build", "-o", "roundtrip.bin", "./roundtrip")
    assert built.returncode == 0, built.stderr
    lines = documents
    if not isinstance(lines, str):
        lines = "".join(json.dumps({"URN": urn, "Data": data}) + "\n" for urn, data in documents)
    done = subprocess.run([folder / "roundtrip.bin"], input=lines, capture_output=True, text=True, check=True)
    return done.stdout.removesuffix("\n").split("\n")


def exact(text: str) -> Any:
    """Return the JSON value of ``text`` with exact numbers, in which true differs from 1, but 1.0 does not."""

    def tagged(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: tagged(each) for name, each in value.items()}
        if isinstance(value, list):
            return [tagged(each) for each in value]
        return ("bool", value) if isinstance(value, bool) else value

    return tagged(json.loads(text, parse_float=Decimal))


def changed(documents: list[tuple[str, Any]], texts: list[str]) -> list[tuple[Any, str]]:
    """Return the documents that did not come back equal."""
    return [
        (document, text)
        for (_, document), text in zip(documents, texts, strict=True)
        if exact(json.dumps(document)) != exact(text)
    ]


def test_every_example_comes_back_equal(example, tmp_path):
    documents = [(message.urn, each.data) for message in generated_messages(example) for each in message.examples]
    assert len(documents) > 10
    assert changed(documents, returned(example, tmp_path, documents)) == []
    assert go(tmp_path, "vet", "./messages").stderr == ""
    assert unformatted(tmp_path / "messages") == []


def test_what_hostile_registries_give_is_formatted_and_passes_vet(tmp_path):
    written(hostile.registry(), tmp_path)
    vetted = go(tmp_path, "vet", "./messages")
    assert (vetted.returncode, vetted.stderr) == (0, "")
    assert unformatted(tmp_path / "messages") == []


def _has_half_a_pair(document: Any) -> bool:
    """Return True for texts that no wire carries: an unpaired surrogate."""
    text = json.dumps(document, ensure_ascii=False)
    return text != text.encode("utf-8", "replace").decode("utf-8")


def test_hostile_documents_come_back_equal(tmp_path):
    cases, documents = hostile.cases(), hostile.documents()
    sent = [
        (f"urn:babel:hostile:case{number}", documents[name])
        for number, name in enumerate(cases)
        if name in documents and not _has_half_a_pair(documents[name])
    ]
    assert len(sent) > 90
    assert changed(sent, returned(hostile.registry(), tmp_path, sent)) == []


_NUMBERS = [
    "0",
    "-0",
    "1",
    "-1",
    "1.0",
    "-1.0",
    "1e0",
    "1E2",
    "1e+2",
    "10e-1",
    "100e-2",
    "0.0",
    "-0.0",
    "0e5",
    "0.000e9",
    "1.50e1",
    "123456789012345678901234567890",
    "-123456789012345678901234567890.000",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1e308",
    "12e-1",
    "0.1",
    "1.5",
    "-2.5e-3",
]


def test_integers_and_numbers_keep_their_value_and_fractions_are_no_integers(tmp_path):
    number, integer = {"type": "number"}, {"type": "integer"}
    small = {**integer, "minimum": -(2**63), "maximum": 2**63 - 1}
    cases = {name: ("x", {"type": "object", "properties": {"n": schema}, "required": ["n"]})
             for name, schema in {"number": number, "integer": integer, "small": small}.items()}  # fmt: skip
    sent = [(f"urn:babel:hostile:case{case}", text) for case in range(3) for text in _NUMBERS]
    lines = "".join(f'{{"URN": "{urn}", "Data": {{"n": {text}}}}}\n' for urn, text in sent)
    came = returned(hostile.registry(cases), tmp_path, lines)
    expected = []
    for urn, text in sent:
        value = Decimal(text)
        whole = value == value.to_integral_value()
        if urn.endswith("0") or (whole and (urn.endswith("1") or -(2**63) <= value < 2**63)):
            expected.append({"n": value})
        else:
            expected.append(['"n": not an integer' + (" of 64 bits" if whole else "")])
    assert [json.loads(line, parse_int=Decimal, parse_float=Decimal) for line in came] == expected


@pytest.mark.parametrize(
    "made, number",
    [
        pytest.param(lambda: [each[:2] for each in drawn()], 1000, id="sixty drawn schemas"),
        pytest.param(published, 600, id="published schemas"),
    ],
)
def test_what_readers_accept_comes_back_equal(made, number, tmp_path):
    schemas = made()
    registry = hostile.registry({str(at): ("x", schema) for at, (schema, _) in enumerate(schemas)})
    documents = [(f"urn:babel:hostile:case{at}", each) for at, (_, valid) in enumerate(schemas) for each in valid]
    assert len(documents) >= number
    assert changed(documents, returned(registry, tmp_path, documents)) == []
    assert go(tmp_path, "vet", "./messages").stderr == ""
    assert unformatted(tmp_path / "messages") == []


def test_staticcheck_finds_nothing(example, tmp_path):
    written(example, tmp_path)
    staticcheck = ["run", "honnef.co/go/tools/cmd/staticcheck@v0.8.2"]
    proxy = {"GOPROXY": "https://proxy.golang.org"}
    if go(tmp_path, *staticcheck, "-version", **proxy).returncode:
        pytest.skip("no proxy serves staticcheck for this version of Go")
    checked = go(tmp_path, *staticcheck, "-checks", "all", "./...", **proxy)
    assert (checked.returncode, checked.stdout) == (0, "")
