from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
RULE = "keyword-unknown"


def fixes(findings: Lint, schema: str) -> list[str | None]:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {schema}}}}}\n"
    return [f.fix for f in findings(block, RULE)]


@pytest.mark.parametrize(
    "schema, fix",
    [
        ("{type: object, requried: [x]}", "did you mean 'required'?"),
        ("{type: string, maxlength: 3}", "did you mean 'maxLength'?"),
        ("{type: string, max_length: 3}", "did you mean 'maxLength'?"),
        ("{type: string, max-length: 3}", "did you mean 'maxLength'?"),
        ("{type: string, pattren: x}", "did you mean 'pattern'?"),
        ("{type: string, discription: x}", "did you mean 'description'?"),
        ("{type: object, additionalproperties: false}", "did you mean 'additionalProperties'?"),
        ("{type: object, additionalProperty: false}", "did you mean 'additionalProperties'?"),
        ("{enums: [x]}", "did you mean 'enum'?"),
        ("{type: array, item: {type: string}}", "did you mean 'items'?"),
        ("{anyof: [{type: string}]}", "did you mean 'anyOf'?"),
        ("{type: string, nullable: true}", "add null to the types: type: [string, 'null']"),
        ("{type: string, values: [a, b]}", "enum"),
        ("{type: integer, max: 3}", "maximum for a number, maxLength for text, maxItems for a list"),
        ("{ref: ../_common/money.yaml}", "did you mean '$ref'?"),
        ("{type: [string, integer], nullable: true}", "add null to the types: type: [string, integer, 'null']"),
        ("{type: decimal, nullable: true}", "add null to the types: type: [string, 'null']"),
        ("{type: string, nullable: false}", "remove it: null is refused unless 'null' is one of the types"),
        (
            "{$ref: ../_common/money.yaml, nullable: true}",
            "add null to the alternatives: anyOf: [{...}, {type: 'null'}]",
        ),
        (
            "{type: string, optional: true}",
            "remove it: a property is optional unless the object's 'required' lists it ('a' does not belong there)",
        ),
        (
            "{type: string, optional: false}",
            "remove it, and list the property in its object: required: [a]",
        ),
        (
            "{type: string, mandatory: true}",
            "remove it, and list the property in its object: required: [a]",
        ),
        ("{type: object, order_id: {type: integer}}", "if 'order_id' is a property, move it below 'properties:'"),
    ],
)
def test_what_was_meant_as_a_keyword_is_reported(schema: str, fix: str, findings: Lint) -> None:
    assert fixes(findings, schema) == [fix]


@pytest.mark.parametrize(
    "schema",
    [
        "{type: string, maxLength: 3, $comment: x}",
        "{type: string, x-maxlength: 3}",
        "{type: object, xrequired: [x], _required: [y]}",
        "{type: string, example: x}",
        "{type: string, enumNames: [x]}",
        "{type: string, discriminator: {propertyName: kind}}",
        "{type: string, xml: {name: x}}",
        "{type: string, externalDocs: {url: x}}",
        "{type: string, tsType: Foo}",
        "{type: object, tsAdditionalProperties: false}",
        "{type: string, note: x, notes: [y], comment: z}",
        "{type: string, options: {multiple: true}}",
        "{type: string, idx: 3, when: now, min: low}",
        "{type: string, unit: cents}",
        "{type: string, markdownDescription: x}",
        "{type: object, properties: {requried: {type: string}, maxlength: {type: integer}}}",
        "{type: object, meta: {note: no schema}}",
        "{enum: [{requried: x}]}",
        "{dependencies: {x: [y]}}",
        "{definitions: {item: {type: string}}}",
    ],
)
def test_other_words_are_not(schema: str, findings: Lint) -> None:
    assert fixes(findings, schema) == []


def test_the_key_is_where_it_is_reported(places: Callable[[str, str], list[str]]) -> None:
    block = "urn: urn:babel:orders:created\ndata:\n  type: object\n  requried: [x]\n"
    assert places(block, RULE) == ["orders/created.yaml:4:3"]
