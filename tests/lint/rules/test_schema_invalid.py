from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

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
