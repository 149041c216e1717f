from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

MESSAGE = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  type: object
  required: [order_id]
  properties:
    order_id: {type: integer}
    email: {type: string, format: email}
    lines: {type: array, items: {type: object, properties: {qty: {type: integer}}}}
"""


@pytest.mark.parametrize(
    "example, place",
    [
        pytest.param("{order_id: 1}", None, id="valid"),
        pytest.param("{order_id: x}", "10:16", id="a wrong type at the value"),
        pytest.param("{}", "10:5", id="a missing property at the object"),
        pytest.param("{order_id: 1, colour: red}", "10:19", id="an undeclared property at its key"),
        pytest.param("{order_id: 1, email: nobody}", "10:26", id="a format"),
        pytest.param("{order_id: 1, lines: [{qty: 1}, {qty: 1.5}]}", "10:43", id="deep inside"),
        pytest.param("{order_id: 1, lines: [{qty: 1, sku: A}]}", "10:36", id="undeclared deep inside"),
        pytest.param("[1]", "10:5", id="no object"),
    ],
)
def test_example_invalid(example: str, place: str | None, findings: Lint) -> None:
    found = findings(f"{MESSAGE}examples:\n  - {example}\n", "example-invalid")
    assert [str(f.place) for f in found] == ([f"orders/created.yaml:{place}"] if place else [])


def test_a_misspelt_property_is_guessed(findings: Lint) -> None:
    found = findings(f"{MESSAGE}examples:\n  - {{order_id: 1, emial: a@b.example}}\n", "example-invalid")
    assert [f.fix for f in found] == ["did you mean 'email'?"]


def test_in_a_file_of_examples_line_and_column_are_shown(findings: Lint) -> None:
    more = 'examples: {file: created.jsonl}\n# file: orders/created.jsonl\n{"order_id": 1}\n\n{"order_id": "x"}\n'
    assert [str(f.place) for f in findings(MESSAGE + more, "example-invalid")] == ["orders/created.jsonl:3:14"]


def test_strict_readers_take_the_schema_as_written(findings: Lint) -> None:
    strict = "# file: babelreg.yaml\nversion: 1\ncompatibility: {reader: strict}\n"
    text = f"{MESSAGE}examples:\n  - {{order_id: 1, colour: red}}\n"
    assert len(findings(text, "example-invalid")) == 1
    assert findings(text + strict, "example-invalid") == []


def test_a_schema_that_cannot_be_used_is_reported_once(findings: Lint) -> None:
    block = "urn: urn:babel:orders:created\ndata: {type: objct}\nexamples: [{a: 1}]\n"
    assert {f.rule for f in findings(block)} <= {"schema-invalid", "schema-root-not-object"}


def test_many_complaints_about_one_example_are_cut_short(findings: Lint) -> None:
    names = ", ".join(f"k{n}: 1" for n in range(50))
    found = findings(f"{MESSAGE}examples:\n  - {{order_id: 1, {names}}}\n", "example-invalid")
    assert len(found) == 5


def test_an_object_that_admits_nothing(findings: Lint) -> None:
    block = "urn: urn:babel:orders:created\ndata: {type: object, additionalProperties: false}\nexamples: [{a: 1}]\n"
    (found,) = findings(block, "example-invalid")
    assert found.message.endswith("the schema allows no properties here")
