from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding
from babelreg.lint.rules.schema import schema_invalid
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
        ("{pattern: '(?i)abc'}", "'(?i)abc' is not a regular expression of ECMA 262, which has no '(?i)'"),
        ("{pattern: '(('}", "'((' is not a regular expression"),
        ("{patternProperties: {'\\Ax': {}}}", "'\\Ax' is not a regular expression of ECMA 262, which has no '\\A'"),
    ],
)
def test_a_pattern_of_another_language_is_told_from_a_broken_one(schema: str, told: str, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {schema}}}}}\n"
    assert [f.message for f in findings(block, "schema-invalid")] == [told]


DECIMAL = (
    r"type: integer, in minor units such as cents; or type: string, pattern: '^-?[0-9]+\.[0-9]{2}$'; never number, "
    "which is a float on the wire"
)
ANY = "omit type, which allows every value"


@pytest.mark.parametrize(
    "schema, fix",
    [
        ("{type: datetime}", "type: string, format: date-time"),
        ("{type: timestamp}", "type: string, format: date-time"),
        ("{type: date-time}", "type: string, format: date-time"),
        ("{type: date}", "type: string, format: date"),
        ("{type: time}", "type: string, format: time"),
        ("{type: uuid}", "type: string, format: uuid"),
        ("{type: guid}", "type: string, format: uuid"),
        ("{type: email}", "type: string, format: email"),
        ("{type: url}", "type: string, format: uri"),
        ("{type: decimal}", DECIMAL),
        ("{type: Money}", DECIMAL),
        ("{type: float}", "did you mean 'number'?"),
        ("{type: int}", "did you mean 'integer'?"),
        ("{type: bool}", "did you mean 'boolean'?"),
        ("{type: String}", "did you mean 'string'?"),
        ("{type: strng}", "did you mean 'string'?"),
        ("{type: list}", "type: array, items: {type: string}"),
        ("{type: 'list[int]'}", "type: array, items: {type: integer}"),
        ("{type: 'uuid[]'}", "type: array, items: {type: string, format: uuid}"),
        ("{type: dict}", "type: object, additionalProperties: {type: string}"),
        ("{type: bytes}", "type: string, contentEncoding: base64"),
        ("{type: enum}", "enum: [a, b], with type: string"),
        ("{type: any}", ANY),
        ("{type: 'string?'}", "type: [string, 'null']"),
        ("{type: string | null}", "type: [string, 'null']"),
        ("{type: null}", "type: 'null' in quotes, also in a list: type: [string, 'null']; or omit type"),
        ("{type: [string, null]}", "type: [string, 'null']"),
        ("{type: [int, 'null']}", "type: [integer, 'null']"),
        ("{type: [datetime, 'null']}", "type: [string, 'null'], format: date-time"),
        ("{type: [string, datetime]}", "for 'datetime': type: string, format: date-time"),
        ("{type: []}", ANY),
        ("{type: [string, string]}", "list each type once"),
        ("{type: 5}", "one of array, boolean, integer, null, number, object, string"),
        ("{type: zebra}", "one of array, boolean, integer, null, number, object, string"),
        ("{required: true}", "list it in its object, and remove it here: required: [a]"),
        ("{required: false}", "remove it: a property is optional unless the object's 'required' lists it"),
        ("{items: {required: true}}", "list the required properties: required: [email]"),
        ("{required: email}", "required: [email]"),
        ("{properties: [b, c]}", "properties: {b: {type: string}, c: {type: string}}"),
        ("{items: string}", "write {type: string}"),
        ("{items: text}", "write a mapping, for example {type: string}"),
        ("{minimum: '1'}", "minimum: 1, without quotes"),
        ("{maxLength: '20'}", "maxLength: 20, without quotes"),
        ("{maxLength: long}", "maxLength: <integer>"),
        ("{pattern: 5}", "pattern: '5', in quotes"),
    ],
)
def test_the_fix_says_what_to_write(schema: str, fix: str, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {schema}}}}}\n"
    assert [f.fix for f in findings(block, "schema-invalid")] == [fix]


@pytest.mark.parametrize("name", ["datetime", "date", "uuid", "decimal", "list", "dict", "bytes", "any", "list[int]"])
def test_what_the_fix_says_is_a_valid_schema(name: str, findings: Lint) -> None:
    block = "urn: urn:babel:orders:created\ndata: {type: object, properties: {a: {%s}}}\n"
    (found,) = findings(block % f"type: '{name}'", "schema-invalid")
    for said in str(found.fix).replace(", in minor units such as cents", "").split("; "):
        if said.startswith("type:") and "never" not in said:
            assert findings(block % said, "schema-invalid") == []
