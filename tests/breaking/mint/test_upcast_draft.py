"""Steps from the old data to the new: inferred where that is sure, and said where it is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from steps import growth

from babelreg import load
from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.mint.upcast_draft import UpcastDraft, draft_upcast
from babelreg.contract.upcast import compiled
from babelreg.load.files.tree import Memory

URN = "urn:babel:orders:created"


def version(schema: Any) -> Any:
    text = f"urn: {URN}\nkind: event\ndata: {json.dumps(schema)}\n"
    read = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n", "orders/created.yaml": text.encode()}))
    return read, read.by_urn[URN]


def draft(old: Any, new: Any, *examples: Any, strict: bool = False) -> UpcastDraft:
    (before, published), (after, edited) = version(old), version(new)
    return draft_upcast(Pair(published, edited, before, after), examples, strict=strict)


def thing(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
LINES = {"type": "array", "items": thing(["sku"], sku=TEXT)}


@pytest.mark.parametrize(
    "old, new, examples, steps",
    [
        pytest.param(
            thing(["amount"], amount=INTEGER),
            thing(["amount_minor"], amount_minor=INTEGER),
            [{"amount": 1}],
            [{"rename": {"amount": "amount_minor"}}],
            id="renamed",
        ),
        pytest.param(
            thing([], lines=LINES),
            thing([], lines={"type": "array", "items": thing(["sku_code"], sku_code=TEXT)}),
            [{"lines": [{"sku": "a"}]}],
            [{"rename": {"lines[].sku": "lines[].sku_code"}}],
            id="renamed in every item",
        ),
        pytest.param(
            thing(["v"], v={"const": "2.2"}),
            thing(["v"], v={"const": "2.3"}),
            [{"v": "2.2"}],
            [{"set": {"v": "2.3"}}],
            id="a fixed value that is another",
        ),
        pytest.param(
            thing(["v"], v={"enum": ["a", "b"]}),
            thing(["v"], v={"const": "c"}),
            [{"v": "a"}],
            [],
            id="a fixed value where there was a choice",
        ),
        pytest.param(
            thing(["id"], id=INTEGER),
            thing(["id"], id=TEXT),
            [{"id": 7}],
            [{"cast": {"id": "integer->string"}}],
            id="cast",
        ),
        pytest.param(
            thing([], id=TEXT),
            thing([], id=INTEGER),
            [{"id": "7"}],
            [{"cast": {"id": "string->integer"}}],
            id="cast back",
        ),
        pytest.param(
            thing(["id"], id=INTEGER),
            thing(["id", "qty"], id=INTEGER, qty={"type": "integer", "default": 1}),
            [{"id": 7}],
            [{"default": {"qty": 1}}],
            id="a default that the schema names",
        ),
        pytest.param(
            thing([]), thing(["v"], v={"const": 2}), [{}], [{"default": {"v": 2}}], id="the only value there is"
        ),
        pytest.param(
            thing([]), thing(["v"], v={"enum": ["a"]}), [{}], [{"default": {"v": "a"}}], id="the only value listed"
        ),
        pytest.param(
            thing([]),
            thing(["note"], note={"type": ["string", "null"]}),
            [{}],
            [{"default": {"note": None}}],
            id="null, where nothing is known and null is allowed",
        ),
        pytest.param(
            thing(["total"], total=thing(["minor"], minor=INTEGER)),
            thing(["total"], total=thing(["minor", "currency"], minor=INTEGER, currency={"const": "EUR"})),
            [{"total": {"minor": 1}}],
            [{"default": {"total.currency": "EUR"}}],
            id="inside an object that is always there",
        ),
        pytest.param(
            thing([], total=thing(["minor"], minor=INTEGER)),
            thing([], total=thing(["minor", "currency"], minor=INTEGER, currency={"const": "EUR"})),
            [{"total": {"minor": 1}}, {}],
            [],
            id="never inside an object that may be absent, for it would be made",
        ),
        pytest.param(
            thing(["qty"], qty=INTEGER),
            thing(["qty"], qty={"type": "number"}),
            [{"qty": 1}],
            [],
            id="an integer is a number",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": INTEGER},
            {"type": "object", "additionalProperties": TEXT},
            [{"a": 1}],
            [],
            id="no step can name any other property",
        ),
    ],
)
def test_drafted(old: Any, new: Any, examples: list[Any], steps: list[Any]) -> None:
    found = draft(old, new, *examples)
    assert list(found.steps) == steps
    assert found.checked == len(examples)


def test_a_step_of_each_kind_in_the_order_they_are_applied() -> None:
    old = thing(["id", "amount"], id=INTEGER, amount=INTEGER)
    new = thing(["id", "amount_minor", "unit"], id=TEXT, amount_minor=INTEGER, unit={"const": "cent"})
    found = draft(old, new, {"id": 1, "amount": 2})
    assert [list(step) for step in found.steps] == [["rename"], ["cast"], ["default"]]
    assert compiled(found.steps).apply({"id": 1, "amount": 2}) == {"id": "1", "amount_minor": 2, "unit": "cent"}
    assert found.gaps == ()


@pytest.mark.parametrize(
    "old, new, example, said",
    [
        pytest.param(
            thing([]),
            thing(["email"], email=TEXT),
            {},
            "nothing fills 'email', add `- default:",
            id="no value known",
        ),
        pytest.param(thing([], c=TEXT), thing([], c={"enum": ["a"]}), {"c": "b"}, "'c': ", id="a value that is gone"),
        pytest.param(
            thing([], id=TEXT),
            thing([], id=INTEGER),
            {"id": "A7"},
            "is not a string of an integer's digits",
            id="no digits",
        ),
    ],
)
def test_what_cannot_be_inferred_is_said_with_the_document(old: Any, new: Any, example: Any, said: str) -> None:
    found = draft(old, new, example)
    assert any(said in line and json.dumps(example) in line for line in found.gaps)


def test_the_plainest_document_is_checked_where_there_are_no_examples() -> None:
    found = draft(thing([]), thing(["email"], email=TEXT))
    assert (found.checked, len(found.gaps)) == (0, 1)


def test_every_example_is_checked_however_many_there_are() -> None:
    found = draft(thing([], c=TEXT), thing([], c={"enum": ["a"]}), *[{"c": "a"}] * 300, {"c": "b"})
    assert (found.checked, len(found.gaps)) == (301, 1)


def test_a_name_that_only_one_document_has_gets_no_default() -> None:
    old, new = ({"type": "object", "additionalProperties": thing(required, x={"const": 1})} for required in ([], ["x"]))
    assert draft(old, new, {"EUR": {}}).steps == ()


def test_a_schema_that_asks_for_many_things_is_not_tried_with_all_of_them() -> None:
    def ask(count: int) -> None:
        names = [f"p{n}" for n in range(count)]
        new = thing(names, **{name: {"type": "integer", "default": "no integer"} for name in names})
        found = draft(thing([]), new, *[{"n": n} for n in range(5)])
        assert found.steps == ()
        assert found.gaps

    assert growth(ask, 25, 200) < 1.5


def test_a_strict_reader_refuses_what_is_left_over() -> None:
    old, new = thing([], a=TEXT, b=TEXT), {**thing([], a=TEXT), "additionalProperties": False}
    assert draft(old, new, {"b": "x"}).gaps == ()
    assert len(draft(old, new, {"b": "x"}, strict=True).gaps) == 1
