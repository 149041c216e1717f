"""A change that many messages share is evaluated once; what is large is evaluated in a linear number of steps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.check import run as checking
from babelreg.breaking.check.run import check
from babelreg.containment import compare
from babelreg.containment.decision import Containment
from babelreg.containment.search import values
from babelreg.finding import Finding
from babelreg.load.files.tree import Memory
from babelreg.model import Registry

MONEY = {
    "type": "object",
    "required": ["minor"],
    "properties": {"minor": {"type": "integer"}, "by": {"type": "string"}},
}
NARROWER = {**MONEY, "properties": {"minor": {"type": "integer", "minimum": 0}, "by": {"type": "string"}}}
TOTAL = {"total": {"$ref": "../_common/money.yaml"}}


def registry(fragment: Any, schemas: list[Any], settings: str = "") -> Registry:
    files = {
        "babelreg.yaml": f"version: 1\n{settings}",
        "orders/_context.yaml": "owner: t\n",
        "_services/api.yaml": "owner: t\nlang: php\n",
        "_common/money.yaml": json.dumps(fragment),
    }
    for number, schema in enumerate(schemas):
        about = f"urn: urn:babel:orders:m{number}\nkind: event\nproducers: [api]\n"
        files[f"orders/m{number}.yaml"] = f"{about}data: {json.dumps(schema)}\n"
    read = load.from_tree(Memory({path: text.encode() for path, text in files.items()}))
    assert not read.defects, read.defects
    return read


def message(number: int, required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {f"own{number}": {"type": "string"}, **TOTAL, **more},
    }


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each verdict that was worked out. In one process, so that none is missed."""
    asked: list[str] = []
    verdict = Containment.verdict

    def counted(self: Containment) -> Any:
        asked.append(self.inner)
        return verdict(self)

    monkeypatch.setattr(Containment, "verdict", counted)
    monkeypatch.setattr(checking, "cpu_count", lambda: 1)
    return asked


@pytest.mark.parametrize("messages", [2, 60])
def test_a_fragment_that_many_messages_share_is_evaluated_once(messages: int, verdicts: list[str]) -> None:
    schemas = [message(number) for number in range(messages)]
    found = check(registry(MONEY, schemas), registry(NARROWER, schemas))
    assert len(verdicts) == 2  # one for each direction
    assert [finding.rule for finding in found] == ["number-range-changed"]
    assert len(found[0].messages) == messages


def test_each_distinct_use_is_evaluated(verdicts: list[str]) -> None:
    schemas = [
        message(0),
        message(1),
        message(2, ("total",)),
        {"type": "object", "properties": {"paid": TOTAL["total"]}},
        {"type": "object", "properties": {"all": {"type": "array", "items": TOTAL["total"]}}},
        message(5, other={"type": "object", "properties": TOTAL}),
    ]
    check(registry(MONEY, schemas), registry(NARROWER, schemas))
    assert len(verdicts) == 2 * 5


def alone(fragments: tuple[Any, Any], schema: Any, settings: str) -> list[Finding]:
    return check(*(registry(fragment, [schema], settings) for fragment in fragments))


@pytest.mark.parametrize("reader", ["tolerant", "strict"])
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(message(0), id="an optional property beside it"),
        pytest.param(message(0, ("own0",)), id="a required one"),
        pytest.param(message(0, own1={"type": "object", "properties": TOTAL}), id="another use"),
        pytest.param({**message(0), "additionalProperties": False}, id="an object that is closed"),
        pytest.param({**message(0), "minProperties": 2}, id="an object that counts its properties"),
    ],
)
def test_what_is_left_out_changes_no_finding(schema: Any, reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = f"compatibility: {{reader: {reader}}}\n"
    reduced = alone((MONEY, NARROWER), schema, settings)
    monkeypatch.setattr("babelreg.breaking.check.verdicts._reduced", lambda pair: (pair.old.schema, pair.new.schema))
    whole = alone((MONEY, NARROWER), schema, settings)
    assert [(f.rule, f.place, f.direction, f.message) for f in reduced] == [
        (f.rule, f.place, f.direction, f.message) for f in whole
    ]
    assert reduced


class Counted(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("size", [1_000, 4_000])
def test_an_enum_is_ordered_in_a_linear_number_of_comparisons(size: int) -> None:
    from babelreg.containment.search.node import SearchDocument
    from babelreg.schema.dialects import DEFAULT

    def listing(last: str) -> Any:
        return SearchDocument(
            {"enum": [*(Counted(f"v{n}") for n in range(size - 1)), Counted(last)]}, DEFAULT, formats=False
        ).node

    inner, outer = listing("old"), listing("new")
    Counted.compared = 0
    first = next(values.CandidateSearch()._of((inner,), (outer,), 0))
    assert first == "old"
    assert Counted.compared < 3 * size


@pytest.mark.parametrize("size", [1_000, 4_000])
def test_the_items_of_a_large_set_are_ordered_once(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []
    hashable = values._hashable
    monkeypatch.setattr(values, "_hashable", lambda value: (steps.append(value), hashable(value))[1])
    array = {"type": "array", "uniqueItems": True, "minItems": 50_000}
    old, new = ({**array, "items": {"enum": [f"v{n}" for n in range(count)]}} for count in (size, size - 1))
    assert compare(old, new).forward.kind == "compatible"
    assert len(steps) < 100 * size


def test_a_large_enum_has_a_verdict() -> None:
    old = {"type": "object", "properties": {"x": {"enum": [f"v{n}" for n in range(20_000)]}}}
    new = {"type": "object", "properties": {"x": {"enum": [*(f"v{n}" for n in range(19_999)), "other"]}}}
    verdict = compare(old, new)
    assert (verdict.backward.kind, verdict.backward.witness) == ("breaking", {"x": "v19999"})
    assert (verdict.forward.kind, verdict.forward.witness) == ("breaking", {"x": "other"})
