from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "data, found",
    [
        pytest.param("{type: object}", 0, id="an object"),
        pytest.param("{type: [object]}", 0, id="an object in a list"),
        pytest.param("{$ref: '#/$defs/a', $defs: {a: {type: object}}}", 0, id="by reference"),
        pytest.param("{allOf: [{type: object}, {required: [a]}]}", 0, id="by one of all"),
        pytest.param("{oneOf: [{type: object}, {type: object}]}", 0, id="by each of one"),
        pytest.param("{$ref: ../_common/thing.yaml}", 0, id="by a file"),
        pytest.param("{type: array}", 1, id="a list"),
        pytest.param("{type: [object, 'null']}", 1, id="an object or null"),
        pytest.param("{properties: {a: {type: string}}}", 1, id="it is not said"),
        pytest.param("{oneOf: [{type: object}, {type: array}]}", 1, id="not in each of one"),
        pytest.param("true", 1, id="anything"),
        pytest.param("{$ref: '#/$defs/a', $defs: {a: {properties: {b: {$ref: '#/$defs/a'}}}}}", 1, id="turning round"),
    ],
)
def test_schema_root_not_object(data: str, found: int, findings: Lint) -> None:
    block = f"# file: orders/a.yaml\nurn: urn:babel:orders:a\ndata: {data}\n# file: _common/thing.yaml\ntype: object\n"
    assert len(findings(block, "schema-root-not-object")) == found
