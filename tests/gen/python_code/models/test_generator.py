"""Asking the generator once for each shape gives what asking for each message gives."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sane_schemas as sane
from examples import fewer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.cache.store import CacheStore
from babelreg.errors import BabelregError
from babelreg.gen.cache import function_cache
from babelreg.gen.cache.function_cache import cached_answers
from babelreg.gen.python_code.models import classes as python_models
from babelreg.gen.python_code.models import generator
from babelreg.gen.python_code.models.generator import in_order
from babelreg.gen.python_code.models.kind import Kind
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.gen.python_code.models.prefetch import ShapePrefetch
from babelreg.typemap.python.types import shape_of
from babelreg.typemap.shapes import Attribute, Class, Shape


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    known: dict[str, str] = {}
    monkeypatch.setattr(generator, "ANSWERS", known)
    monkeypatch.setattr(function_cache, "ANSWERS", known)
    monkeypatch.setattr(generator, "_CHECKED", set())
    return known


@settings(max_examples=fewer(15, 25), deadline=None, suppress_health_check=list(HealthCheck))
@given(sane.schemas(), st.sampled_from(sorted(KINDS)), st.booleans())
def test_the_answers_are_those_for_the_whole_message(schema: dict[str, Any], name: str, typed: bool) -> None:
    kind = KINDS[name]
    asked = shape_of(schema, "Data", typed=typed and name != "typeddict")
    whole = python_models._parsed(python_models._generate(asked, kind), asked, kind)
    got = generator.annotations_of(
        asked, kind.output, lambda new: python_models._parsed(python_models._generate(new, kind), new, kind), str
    )
    assert got == whole


def questions(*schemas: dict[str, Any]) -> list[list[str]]:
    """The attributes that the generator was asked for, run by run."""
    asked: list[list[str]] = []

    def answer(new: Shape) -> dict[str, dict[str, str]]:
        names = [attribute.name for attribute in new.classes[new.root].attributes]
        asked.append(names)
        return {new.root: dict.fromkeys(names, "Any")}

    for schema in schemas:
        generator.annotations_of(shape_of({"type": "object", **schema}, "Data"), "kind", answer, str)
    return asked


@pytest.mark.usefixtures("nothing_known")
def test_a_shape_that_is_known_is_not_asked_for_again() -> None:
    money = {"type": "object", "properties": {"minor": {"type": "integer"}}}
    first = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}, "paid": money}}
    second = {"properties": {"owed": money, "c": {"type": "string"}}}
    third = {"required": ["a"], "properties": {"a": {"type": "string"}}}
    assert questions(first, second) == [["a0", "a1", "a2"]]
    assert questions(third) == [["a0"]]


@pytest.mark.usefixtures("nothing_known")
def test_texts_that_look_like_our_own_names_are_left_alone() -> None:
    values = ["<0>", "DataSlot0", '"<0>"', "\\<0>"]
    schema = {"properties": {"a": {"anyOf": [{"enum": values}, {"type": "object", "properties": {"x": {}}}]}}}
    (data,) = [
        one for one in python_models.models(shape_of({"type": "object", **schema}, "Data")) if one.name == "Data"
    ]
    annotation = data.attributes[0].annotation
    assert annotation == r'Literal["<0>", "DataSlot0", "\"<0>\"", "\\<0>"] | DataAOption2 | Missing'


@pytest.mark.parametrize(
    "answer", ["os.system", "__import__('os')", "Literal[f'{x}']", "str; import os", "Evil", "<9>", ""]
)
def test_what_was_kept_and_is_no_answer_is_asked_for_again(
    answer: str, nothing_known: dict[str, str], tmp_path: Path
) -> None:
    plain = shape_of({"type": "object", "properties": {"x": {"type": "string"}}}, "Data")
    store = CacheStore(tmp_path, "answers")
    with cached_answers(store, ["key"]):
        python_models.models(plain)
        nothing_known.update(dict.fromkeys(nothing_known, answer))
    nothing_known.clear()
    generator._CHECKED.clear()
    with cached_answers(store, ["key"]):
        pass
    assert list(nothing_known.values()) == [answer]
    (data,) = python_models.models(plain)
    assert data.attributes[0].annotation == "str | Missing"
    assert list(nothing_known.values()) == ["str | MISSING"]


@pytest.mark.parametrize("value", [None, {}, [1], {"a": 1}, "text", 1])
def test_a_value_that_is_not_a_table_of_answers_is_a_miss(
    value: Any, nothing_known: dict[str, str], tmp_path: Path
) -> None:
    store = CacheStore(tmp_path, "answers")
    store.put(["key"], value)
    with cached_answers(store, ["key"]):
        assert nothing_known == {}


def classes(**uses: list[str]) -> Shape:
    def attributes(names: list[str]) -> tuple[Attribute, ...]:
        return tuple(Attribute(name.lower(), name, {"$ref": f"#/$defs/{name}"}, True) for name in names)

    return Shape("Root", {name: Class(name, attributes(used)) for name, used in uses.items()})


@pytest.mark.parametrize(
    "found, order",
    [
        pytest.param(classes(Root=["B", "A"], B=[], A=[]), ["A", "B", "Root"], id="by name"),
        pytest.param(classes(Root=["A"], A=["B"], B=[]), ["B", "A", "Root"], id="what is used first"),
        pytest.param(classes(Root=["Root"]), ["Root"], id="a class that uses itself"),
        pytest.param(classes(Root=["B"], B=["A"], A=["B"]), ["A", "B", "Root"], id="a circle"),
        pytest.param(classes(Root=["A"], A=["Root"], B=[]), ["B", "A", "Root"], id="a circle through the root"),
    ],
)
def test_classes_stand_after_those_they_use(found: Shape, order: list[str]) -> None:
    assert in_order(found) == order


@pytest.mark.usefixtures("nothing_known")
def test_whoever_goes_on_gets_ever_more_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(python_models, "prefetch", lambda shapes, kind: asked.append(len(shapes)))
    made: list[int] = []

    def make(number: int) -> Shape:
        made.append(number)
        return shape_of({}, f"Data{number}")

    ahead = ShapePrefetch(KINDS["pydantic"], {str(n): partial(make, n) for n in range(200)})
    assert ahead.shape("7").root == "Data7"
    assert (made, asked) == ([7], [])
    for number in range(8, 200):
        assert ahead.shape(str(number)).root == f"Data{number}"
    assert made == list(range(7, 200))
    assert asked == [2, 4, 8, 16, 32, 64, 64, 2]


@pytest.mark.usefixtures("nothing_known")
def test_what_is_wrong_with_one_message_does_not_hurt_another(monkeypatch: pytest.MonkeyPatch) -> None:
    generate = python_models._generate

    def refusing(shape: Shape, kind: Kind) -> str:
        attributes = [attribute for class_ in shape.classes.values() for attribute in class_.attributes]
        if any(attribute.shape.get("type") == "integer" for attribute in attributes):
            raise BabelregError("unexpected output")
        return generate(shape, kind)

    monkeypatch.setattr(python_models, "_generate", refusing)
    wrong = shape_of({"type": "object", "properties": {"b": {"type": "integer"}}}, "Wrong")
    right = shape_of({"type": "object", "properties": {"a": {"type": "string"}}}, "Right")
    kind = KINDS["pydantic"]
    ahead = ShapePrefetch(kind, {"first": lambda: right, "second": lambda: right, "third": lambda: wrong})
    assert [python_models.models(ahead.shape(urn), kind)[0].name for urn in ("first", "second")] == ["Right", "Right"]
    with pytest.raises(BabelregError, match="unexpected output"):
        python_models.models(ahead.shape("third"), kind)
