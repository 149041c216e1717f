"""Recursion through branches that overlap is reported; through branches that exclude each other it is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
RULE = "recursion-overlapping"
MESSAGE = "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties: {rule: {$ref: '#/$defs/n'}}\n  $defs:\n"
N = "{$ref: '#/$defs/n'}"


def node(text: str) -> str:
    return f"{MESSAGE}    n: {text.replace('N', N)}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{properties: {m: {oneOf: [N, N]}}}", id="the same branch twice"),
        pytest.param("{anyOf: [{properties: {m: N}}, {properties: {m: N}, minProperties: 2}]}", id="one property in two branches"),
        pytest.param("{properties: {m: N}, patternProperties: {'^m': N}}", id="a name and a pattern"),
        pytest.param("{oneOf: [{required: [k], properties: {k: {const: a}, m: N}}, {properties: {k: {const: b}, m: N}}]}",
                     id="a tag that one branch does not require"),
        pytest.param("{oneOf: [{type: object, properties: {m: N}}, {type: [object, 'null'], properties: {m: N}}]}",
                     id="types that overlap"),
    ],
)  # fmt: skip
def test_branches_that_overlap(text: str, findings: Lint) -> None:
    (finding,) = findings(node(text), RULE)
    assert finding.pointer.startswith("/data/$defs/n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{properties: {m: N}}", id="one reference"),
        pytest.param("{properties: {left: N, right: N}}", id="two properties"),
        pytest.param("{oneOf: [N, {type: string}]}".replace("oneOf", "properties: {m: {oneOf").replace("]}", "]}}}"),
                     id="one branch of two"),
        pytest.param("{oneOf: [{required: [k], properties: {k: {const: a}, m: N}}, {required: [k], properties: {k: {const: b}, m: N}}]}",
                     id="branches with a tag"),
        pytest.param("{oneOf: [{type: object, additionalProperties: N}, {type: array, items: N}, {type: 'null'}]}", id="types"),
        pytest.param("{oneOf: [{required: [a], additionalProperties: false, properties: {a: {items: N}}},"
                     " {required: [b], additionalProperties: false, properties: {b: {items: N}}}]}", id="properties of their own"),
    ],
)  # fmt: skip
def test_branches_that_exclude_each_other(text: str, findings: Lint) -> None:
    assert findings(node(text), RULE) == []


def test_definitions_that_double(findings: Lint) -> None:
    chain = "".join(
        f"    d{n}: {{allOf: [{{$ref: '#/$defs/d{n + 1}'}}, {{$ref: '#/$defs/d{n + 1}'}}]}}\n" for n in range(16)
    )
    (finding,) = findings(f"{MESSAGE.replace('/n', '/d0')}{chain}    d16: {{}}\n", RULE)
    assert (finding.pointer, "10,000 times" in finding.message) == ("/data", True)


def test_a_shared_file_is_reported_once(findings: Lint) -> None:
    file = f"# file: _common/n.yaml\n$ref: '#/$defs/n'\n$defs: {{n: {{properties: {{m: {{oneOf: [{N}, {N}]}}}}}}}}\n"
    data = "data: {type: object, properties: {a: {$ref: ../_common/n.yaml}}}\n"
    users = "".join(f"# file: orders/{name}.yaml\nurn: urn:babel:orders:{name}\n{data}" for name in ("created", "paid"))
    found = findings(file + users, RULE)
    assert [(finding.place.path, finding.pointer) for finding in found] == [("_common/n.yaml", "/$defs/n/properties/m")]
