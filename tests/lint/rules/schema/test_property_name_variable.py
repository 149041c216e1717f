"""A name with a variable of Spark is an error in every place that a column comes from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding, Severity

Lint = Callable[..., list[Finding]]
RULE = "property-name-variable"
MESSAGE = "urn: urn:babel:orders:created\ndata: {type: object, %s}\n"
PROPERTIES = 'properties: {"${env:HOME}": {type: string}}'


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PROPERTIES, id="at the top"),
        pytest.param(f"properties: {{a: {{type: object, {PROPERTIES}}}}}", id="within an object"),
        pytest.param(f"properties: {{a: {{type: array, items: {{{PROPERTIES}}}}}}}", id="within a list"),
        pytest.param(f"properties: {{properties: {{{PROPERTIES}}}}}", id="below a property that is called properties"),
        pytest.param(f"allOf: [{{{PROPERTIES}}}]", id="in allOf"),
        pytest.param(f"oneOf: [{{{PROPERTIES}}}]", id="in oneOf"),
        pytest.param(f"if: {{required: [a]}}, then: {{{PROPERTIES}}}", id="in then"),
        pytest.param(f"dependentSchemas: {{a: {{{PROPERTIES}}}}}", id="in dependentSchemas"),
        pytest.param(f"dependencies: {{a: {{{PROPERTIES}}}}}", id="in dependencies, which Spark's columns follow too"),
        pytest.param(f"additionalProperties: {{{PROPERTIES}}}", id="in the values of a map"),
        pytest.param(f"patternProperties: {{a: {{{PROPERTIES}}}}}", id="in the values of some names"),
        pytest.param(f"$defs: {{a: {{{PROPERTIES}}}}}", id="in a definition"),
    ],
)
def test_it_is_reported_at_any_depth(data: str, findings: Lint) -> None:
    (found,) = findings(MESSAGE % data, RULE)
    assert (found.severity, found.fix) == (Severity.ERROR, "rename it to env_home")
    assert str(found.pointer).endswith("/properties/${env:HOME}")


@pytest.mark.parametrize("path", ["_common/a.yaml", "_common/a.json", "_common/deep/a.yaml", "orders/defs/a.json"])
def test_it_is_reported_in_every_file_that_a_ref_leads_to(path: str, findings: Lint) -> None:
    block = (
        f"# file: orders/created.yaml\nurn: urn:babel:orders:created\ndata: {{$ref: ../{path}}}\n"
        f'# file: {path}\n{{"type": "object", "properties": {{"a": {{"properties": {{"${{a}}": {{}}}}}}}}}}\n'
    )
    assert [(f.place.path, f.pointer) for f in findings(block, RULE)] == [(path, "/properties/a/properties/${a}")]


@pytest.mark.parametrize("name", ["${a}", "x${hiveconf:a}y", "${", "${a}${b}"])
def test_every_way_of_naming_a_variable_is_reported(name: str, findings: Lint) -> None:
    assert len(findings(MESSAGE % f'properties: {{"{name}": {{}}}}', RULE)) == 1


@pytest.mark.parametrize(
    "data",
    [
        pytest.param('properties: {"$a": {}, "a$": {}, "{a}": {}, "$ {a}": {}}', id="no variable"),
        pytest.param('properties: {a: {enum: ["${a}"], description: "${a}"}}', id="text"),
        pytest.param('properties: {a: {const: {properties: {"${a}": 1}}}}', id="a value"),
        pytest.param('patternProperties: {"^${a}$": {}}', id="a pattern"),
    ],
)
def test_nothing_else_is(data: str, findings: Lint) -> None:
    assert findings(MESSAGE % data, RULE) == []
