from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding
from babelreg.lint.rules import schema_invalid
from babelreg.lint.scope import Scope
from babelreg.model import Edit, Registry

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "data, pointer",
    [
        pytest.param("{type: object}", None, id="valid"),
        pytest.param("{type: objct}", "/data/type", id="a type that is none"),
        pytest.param("{type: object, properties: {a: {type: int}}}", "/data/properties/a/type", id="below"),
        pytest.param("{type: object, required: a}", "/data/required", id="a keyword of the wrong type"),
        pytest.param("{type: object, properties: {a: {pattern: '('}}}", "/data/properties/a/pattern", id="a pattern"),
        pytest.param("{type: object, properties: {a: {minimum: '1'}}}", "/data/properties/a/minimum", id="a bound"),
        pytest.param("{type: object, properties: [a]}", "/data/properties", id="a list for a mapping"),
        pytest.param("{type: object, required: [a, b, a]}", "/data/required", id="a name that is required twice"),
        pytest.param("{$schema: 'http://json-schema.org/draft-07/schema#', type: object}", None, id="draft-07"),
        pytest.param("{$schema: 'https://example.com/mine', type: object}", "/data/$schema", id="no dialect of ours"),
    ],
)
def test_schema_invalid(data: str, pointer: str | None, findings: Lint) -> None:
    found = findings(f"urn: urn:babel:orders:created\ndata: {data}\n", "schema-invalid")
    assert [f.pointer for f in found] == ([pointer] if pointer else [])
    assert all(f.fix for f in found)


def test_a_fragment_is_reported_in_its_own_file(findings: Lint) -> None:
    block = "# file: orders/a.yaml\nurn: urn:babel:orders:a\n# file: _common/money.yaml\ntype: objct\n"
    assert [str(f.place) for f in findings(block, "schema-invalid")] == ["_common/money.yaml:1:7"]


@pytest.mark.parametrize(
    "required, indexes",
    [
        pytest.param("[a, b, a, a]", [3, 2], id="the repetitions, from the end"),
        pytest.param("[a, 1]", [], id="nothing where the fault is another"),
    ],
)
def test_a_repeated_name_can_be_taken_out(
    required: str, indexes: list[int], registry: Callable[[str], Registry]
) -> None:
    loaded = registry(f"urn: urn:babel:orders:created\ndata: {{type: object, required: {required}}}\n")
    edits = [edit for problem in schema_invalid.check(Scope(loaded)) for edit in problem.edits]
    assert edits == [Edit("orders/created.yaml", "remove", ("data", "required", index)) for index in indexes]


def test_an_exclusive_bound_of_draft_04_is_said_how_to_write(findings: Lint) -> None:
    block = (
        "urn: urn:babel:orders:created\ndata: {type: object, properties: {a: {exclusiveMinimum: true, minimum: 1}}}\n"
    )
    assert [f.fix for f in findings(block, "schema-invalid")] == [
        "exclusiveMinimum: <number>, without minimum (draft-04 wrote it so)"
    ]


@pytest.mark.parametrize(
    "schema, told",
    [
        ("{pattern: '(?i)abc'}", "'(?i)abc' is no regular expression of ECMA 262, which has no '(?i)'"),
        ("{pattern: '(('}", "'((' is no regular expression"),
        ("{patternProperties: {'\\Ax': {}}}", "'\\Ax' is no regular expression of ECMA 262, which has no '\\A'"),
    ],
)
def test_a_pattern_of_another_language_is_told_from_a_broken_one(schema: str, told: str, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {schema}}}}}\n"
    assert [f.message for f in findings(block, "schema-invalid")] == [told]
