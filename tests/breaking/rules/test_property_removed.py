from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.check.run import check
from babelreg.finding import Finding
from babelreg.load.files.tree import Memory
from babelreg.model import Registry


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["property 'x.b' was removed"],
            id="a property is gone",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            [],
            id="nothing is gone",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": "object", "properties": {"c": {"type": "string"}, "d": {"type": "string"}}},
                },
            },
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["property 'x.b' was removed"],
            id="only the outermost is named",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {"type": "object", "properties": {"q": {"type": "integer"}, "r": {"type": "integer"}}},
            },
            {"type": "array", "items": {"type": "object", "properties": {"q": {"type": "integer"}}}},
            ["property 'x[].r' was removed"],
            id="below items",
        ),
        pytest.param(
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["property 'x.b' was removed"],
            id="a required one, once",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "anyOf": [{"properties": {"b": {"type": "integer"}}}, {}],
            },
            [],
            id="moved into a union branch",
        ),
        pytest.param(
            {"type": "object", "properties": {"amount": {"type": "integer"}}},
            {"type": "object", "properties": {"amount_minor": {"type": "integer"}}},
            [],
            id="renamed is another rule",
        ),
    ],
)
def test_property_removed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "property-removed"] == found


def of(number: int) -> dict[str, Any]:
    names = {f"p{n:02}": {"type": "string"} for n in range(number)}
    return {"type": "object", "properties": {"kept": {"type": "integer"}, **names}}


@pytest.mark.parametrize(
    "gone, messages",
    [
        pytest.param(2, ["properties 'x.p00' and 'x.p01' were removed"], id="two of one object"),
        pytest.param(
            9,
            [
                "properties 'x.p00', 'x.p01', 'x.p02', 'x.p03', 'x.p04', 'x.p05', 'x.p06', 'x.p07' and 'x.p08' were removed"
            ],
            id="a whole part is one finding",
        ),
    ],
)
def test_a_part_that_was_taken_away_is_no_wall_of_text(
    gone: int, messages: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    found = data_breaks(of(gone), of(0))
    assert [finding.message for finding in found] == messages
    assert found[0].fix is not None
    assert "deprecated: true" in found[0].fix


def test_it_is_hurt_who_reads_any_of_them(breaks: Callable[..., list[Finding]]) -> None:
    reads = "owner: t\nlang: go\nconsumes: [{urn: 'urn:babel:orders:created', reads: [p08]}]\n"
    texts = [f"consumers: []\ndata: {json.dumps(of(number))}\n" for number in (9, 0)]
    (found,) = breaks(*texts, **{"_services/billing-worker.yaml": reads})
    assert found.breaks == ("billing-worker (consumer, go, t; reads p08) relies on it",)
    assert found.pointer == "/data/properties"


def in_fragment(number: int) -> Registry:
    message = "urn: urn:babel:orders:created\nkind: event\ndata: {properties: {x: {$ref: ../_common/x.yaml}}}\n"
    files = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: t\n", "orders/created.yaml": message}
    read = load.from_tree(
        Memory({path: text.encode() for path, text in {**files, "_common/x.yaml": json.dumps(of(number))}.items()})
    )
    assert not read.defects
    return read


def test_in_a_fragment_they_are_told_in_its_words() -> None:
    (found,) = check(in_fragment(9), in_fragment(0))
    assert found.message.startswith("properties 'p00', 'p01', 'p02', ")
