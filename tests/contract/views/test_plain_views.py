"""The quick way to both views takes schemas that are plain trees, and says of them what the thorough one says."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from examples import fewer
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from babelreg.containment.preconditions import obstacle
from babelreg.contract.views.instance_locations import Locations
from babelreg.contract.views.plain_views import closed, opened
from babelreg.contract.views.producer import ProducerViewBuilder
from babelreg.contract.views.reader import ReaderViewBuilder
from babelreg.schema import dialects
from babelreg.schema.local_references import StrictReferences
from babelreg.schema.validation_cost import ValidationCost

NAMES = ("a", "b", "c")
OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}}
CLOSED = {**OBJECT, "additionalProperties": False}
NEW = dialects.DIALECTS["draft2020-12"]


def thorough(schema: Any, dialect: dialects.Dialect) -> Any:
    return ProducerViewBuilder(Locations(StrictReferences(schema, dialect))).view()


def thoroughly_opened(schema: Any, dialect: dialects.Dialect) -> Any:
    return ReaderViewBuilder(Locations(StrictReferences(schema, dialect))).view()


class Maker:
    """Draws schemas that are plain or nearly so, and documents that come near them."""

    def __init__(self, chance: Random, folder: str) -> None:
        self.chance = chance
        self.folder = folder

    def schema(self) -> dict[str, Any]:
        listed = {"a": self.reference("one"), "b": self.node(3), "c": {"items": self.reference("two")}}
        definitions = {name: self.node(2, within=True) for name in ("one", "two")}
        return {"properties": listed, **self.further(2), self.folder: definitions}

    def reference(self, name: str) -> dict[str, Any]:
        more = self.chance.choice(({}, {"title": "t"}, {"x-a": 1}, *([{"minProperties": 1}] if self.rarely() else [])))
        return {"$ref": f"#/{self.folder}/{name}", **more}

    def rarely(self) -> bool:
        return self.chance.random() < 0.02

    def node(self, depth: int, *, within: bool = False) -> Any:
        drawn = self.chance.random()
        if drawn < 0.25 and not within:
            return self.reference(self.chance.choice(("one", "two")))
        if depth == 0 or drawn < 0.4:
            return self.chance.choice(
                (
                    {},
                    {"type": "integer"},
                    {"enum": [1, "s"]},
                    {"enum": [1, "s"], "x-open-enum": True},
                    {"required": ["a"]},
                    {"maxProperties": 1},
                    {"x-a": {"$ref": "#"}},
                )
            )
        if drawn < 0.55:
            return {"items": self.node(depth - 1)}
        listed = {name: self.node(depth - 1) for name in self.chance.sample(NAMES, self.chance.randint(0, 2))}
        return {"properties": listed, **self.further(depth)}

    def further(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.chance.random() < 0.3:
            found["additionalProperties"] = self.chance.choice((True, False, self.node(depth - 1)))
        if self.chance.random() < 0.3:
            found["required"] = self.chance.sample(NAMES, 1)
        if self.chance.random() < 0.2:
            found["maxProperties"] = 1
        if self.rarely():
            found["allOf"] = [self.node(depth - 1)]
        return found

    def document(self, depth: int = 3) -> Any:
        if depth == 0 or self.chance.random() < 0.2:
            return self.chance.choice((1, "s", None))
        if self.chance.random() < 0.8:
            names = self.chance.sample((*NAMES, "strange"), self.chance.randint(0, 3))
            return {name: self.document(depth - 1) for name in names}
        return [self.document(depth - 1) for _ in range(self.chance.randint(0, 2))]


@pytest.mark.parametrize("dialect", ["draft2020-12", "draft7"])
@settings(max_examples=fewer(50, 100), deadline=None)
@given(seed=st.integers(0, 2**40))
def test_both_ways_say_the_same(dialect: str, seed: int) -> None:
    written_in = dialects.DIALECTS[dialect]
    maker = Maker(Random(seed), "$defs" if dialect == "draft2020-12" else "definitions")
    schema = {"$schema": written_in.uri, **maker.schema()}
    quick = closed(schema, written_in)
    assume(quick is not None and obstacle(schema) is None)
    assert not ValidationCost(quick, written_in).exponential  # lint compiles it without a bound
    documents = [{name: maker.document() for name in NAMES[:2]} if n % 2 else maker.document() for n in range(30)]
    for views in (
        (quick, thorough(schema, written_in)),
        (opened(schema, written_in), thoroughly_opened(schema, written_in)),
    ):
        one, other = (written_in.validator_for(view) for view in views)
        for document in documents:
            assert one.is_valid(document) == other.is_valid(document), (schema, document)


@pytest.mark.parametrize(
    "schema, view",
    [
        pytest.param(OBJECT, CLOSED, id="an object that lists properties"),
        pytest.param({"$schema": NEW.uri, **OBJECT}, {"$schema": NEW.uri, **CLOSED}, id="with a dialect"),
        pytest.param({"items": OBJECT}, {"items": CLOSED}, id="below items"),
        pytest.param({"properties": {}, "required": ["a"]}, {"properties": {"a": True}, "required": ["a"], "additionalProperties": False}, id="a name that is only required"),
        pytest.param(
            {"items": {"$ref": "#/$defs/m"}, "$defs": {"m": OBJECT}},
            {"items": {"$ref": "#/$defs/m"}, "$defs": {"m": CLOSED}},
            id="a definition",
        ),
        pytest.param(
            {"$ref": "#/$defs/n", "$defs": {"n": OBJECT}}, None, id="no reference at the root",
        ),
        pytest.param(
            {"items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}},
            {"items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}, "additionalProperties": False}}},
            id="a definition that leads to itself",
        ),
    ],
)  # fmt: skip
def test_what_is_plain_is_closed(schema: Any, view: Any) -> None:
    assert closed(schema, NEW) == view
    if view is not None:
        assert thorough(schema, NEW) is not schema


@pytest.mark.parametrize(
    "schema, view",
    [
        pytest.param(CLOSED, OBJECT, id="a closed object"),
        pytest.param({"$schema": NEW.uri, **CLOSED}, {"$schema": NEW.uri, **OBJECT}, id="with a dialect"),
        pytest.param({"items": CLOSED}, {"items": OBJECT}, id="below items"),
        pytest.param({"items": {"$ref": "#/$defs/m"}, "$defs": {"m": CLOSED}}, {"items": {"$ref": "#/$defs/m"}, "$defs": {"m": OBJECT}}, id="a definition"),
        pytest.param({**CLOSED, "required": ["a", "b"]}, {**OBJECT, "required": ["a", "b"], "properties": {"a": {"type": "integer"}, "b": False}}, id="a name that is only required"),
        pytest.param({**OBJECT, "maxProperties": 1}, OBJECT, id="a number of properties"),
        pytest.param({"additionalProperties": False, "maxProperties": 1}, {}, id="a number of no properties"),
        pytest.param({"items": {"enum": [1, "s"], "x-open-enum": True}}, {"items": {"x-open-enum": True, "allOf": [{"type": ["integer", "string"]}]}}, id="an open enum"),
        pytest.param({"required": ["a"], "enum": [{"a": 1}], "x-open-enum": True}, {"required": ["a"], "x-open-enum": True, "allOf": [{"type": "object"}]}, id="an open enum of objects"),
        pytest.param({"allOf": [CLOSED]}, None, id="parts together"),
    ],
)  # fmt: skip
def test_what_is_plain_is_opened(schema: Any, view: Any) -> None:
    assert opened(schema, NEW) == view
    assert view in (None, thoroughly_opened(schema, NEW))


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"additionalProperties": {"type": "string"}, "maxProperties": 1},
        {**OBJECT, "additionalProperties": True, "maxProperties": 1},
        {"enum": [1]},
        {"properties": {"a": {"maxProperties": 1, "x-open-enum": True}}},
    ],
    ids=["open", "a map", "an open object", "an enum", "what only looks open"],
)
def test_where_nothing_opens_it_is_the_same(schema: Any) -> None:
    assert opened(schema, NEW) is schema
    assert thoroughly_opened(schema, NEW) is schema


@pytest.mark.parametrize(
    "schema", [CLOSED, {"additionalProperties": {"type": "string"}}, {}], ids=["closed", "a map", "anything"]
)
def test_where_nothing_closes_it_is_the_same(schema: Any) -> None:
    assert closed(schema, NEW) is schema


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(True, id="true"),
        pytest.param({"allOf": [OBJECT]}, id="parts together"),
        pytest.param({"properties": {"a": {"anyOf": [OBJECT]}}}, id="a choice below"),
        pytest.param({"patternProperties": {"^a": {}}}, id="patterns"),
        pytest.param({"items": {"$ref": "#/$defs/m", "minProperties": 1}, "$defs": {"m": OBJECT}}, id="a word beside a reference"),
        pytest.param({"items": {"$ref": "#"}}, id="a reference to the root"),
        pytest.param({"items": {"$ref": "#/properties/a"}, "properties": {"a": {}}}, id="a reference into the tree"),
        pytest.param({"items": {"$ref": "#/$defs/m"}, "$defs": {"m": {"$ref": "#/$defs/n"}, "n": {}}}, id="a chain of references"),
        pytest.param({"items": {"$ref": "#/$defs/m"}}, id="a reference to nothing"),
        pytest.param({"items": {"$ref": "#/$defs/m"}, "$defs": "m"}, id="definitions that are none"),
        pytest.param({"items": {"$ref": 1}}, id="a reference that is none"),
        pytest.param({"properties": [], "items": {}}, id="properties that are none"),
        pytest.param({"items": [{}]}, id="a list of items"),
        pytest.param({**OBJECT, "$defs": {"m": {}}}, id="a definition nobody refers to"),
        pytest.param({"items": {"$schema": NEW.uri}}, id="a dialect within"),
        pytest.param({"properties": {str(n): OBJECT for n in range(501)}}, id="a great many objects"),
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_others(schema: Any) -> None:
    assert closed(schema, NEW) is None


def test_what_nests_deep_is_left_to_others() -> None:
    schema: Any = {}
    for _ in range(60):
        schema = {"items": schema}
    assert closed(schema, NEW) is None
