"""The laws of the two views, and what they do to the schemas people write."""

from __future__ import annotations

import copy
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from examples import fewer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from steps import steps

from babelreg.containment.preconditions import obstacle
from babelreg.contract import views
from babelreg.contract.views.instance_locations import Locations
from babelreg.contract.views.producer import ProducerViewBuilder
from babelreg.contract.views.reader import ReaderViewBuilder
from babelreg.errors import SchemaError
from babelreg.schema import dialects
from babelreg.schema.local_references import StrictReferences

_spec = importlib.util.spec_from_file_location("schemas", Path(__file__).parents[1] / "schemas.py")
assert _spec is not None
assert _spec.loader is not None
made = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made)

LAWS = settings(max_examples=fewer(45, 80), deadline=None)
LONG = settings(max_examples=10_000, deadline=None)
BOTH = pytest.mark.parametrize("dialect", ["draft2020-12", "draft7"])
SEEDS = st.integers(0, 2**40)


def usable(schema: Any) -> bool:
    """False for a circle in place, and for the rare schema that is beyond the bound on combinations."""
    return obstacle(schema) is None and within_bounds(schema)


def within_bounds(schema: Any) -> bool:
    try:
        views.both(schema)
    except SchemaError as err:
        assert "too many combinations" in err.message
        return False
    return True


def producer_lies_within(name: str, seed: int) -> None:
    """Everything the producer view admits, the schema admits, and so does the reader view."""
    maker = made.Maker(Random(seed), name)
    schema = maker.schema()
    assume(usable(schema))
    dialect = dialects.DIALECTS[name]
    producer, reader = (dialect.validator_for(view) for view in views.both(schema))
    written = dialect.validator_for(schema)
    for document in (maker.document() for _ in range(30)):
        if producer.is_valid(document):
            assert written.is_valid(document), (schema, document)
            assert reader.is_valid(document), (schema, document)


def with_fresh(document: Any, value: Any) -> Any:
    """The document with one more, undeclared property in every object at every depth."""
    if isinstance(document, dict):
        return {**{name: with_fresh(below, value) for name, below in document.items()}, made.FRESH: value}
    if isinstance(document, list):
        return [with_fresh(below, value) for below in document]
    return document


def without_fresh(document: Any) -> Any:
    """The document without the property that no schema declares."""
    if isinstance(document, dict):
        return {name: without_fresh(below) for name, below in document.items() if name != made.FRESH}
    if isinstance(document, list):
        return [without_fresh(below) for below in document]
    return document


def reader_is_deaf_to_undeclared(dialect: str, seed: int) -> None:
    """One more undeclared property in every object changes nothing."""
    maker = made.Maker(Random(seed), dialect, silent=True)
    schema = maker.schema()
    assume(usable(schema))
    reader = dialects.DIALECTS[dialect].validator_for(views.reader_view(schema))
    for document in (without_fresh(maker.document()) for _ in range(30)):
        assert reader.is_valid(with_fresh(document, {"a": 1})) == reader.is_valid(document), (schema, document)


def reader_agrees_on_declared_names(dialect: str, seed: int) -> None:
    """Without undeclared properties, the reader view says what the schema says, where JSON Schema has words for it."""
    maker = made.Maker(Random(seed), dialect)
    schema = maker.schema()
    assume(usable(schema))
    locations = Locations(StrictReferences(schema))
    opening = ReaderViewBuilder(locations)
    assume(not opening.widens())
    compiled = dialects.DIALECTS[dialect]
    written, reader = compiled.validator_for(schema), compiled.validator_for(opening.view())
    declared = compiled.validator_for(ProducerViewBuilder(locations).closer())
    for document in (maker.document() for _ in range(30)):
        if declared.is_valid(document):
            assert reader.is_valid(document) == written.is_valid(document), (schema, document)


EACH_LAW = pytest.mark.parametrize(
    "law",
    [
        pytest.param(reader_is_deaf_to_undeclared, id="undeclared properties never change what a reader says"),
        pytest.param(reader_agrees_on_declared_names, id="reader and schema agree on declared names"),
        pytest.param(producer_lies_within, id="producer view lies within the schema and the reader view"),
    ],
)


@BOTH
@EACH_LAW
@LAWS
@given(seed=SEEDS)
def test_law(law: Callable[[str, int], None], dialect: str, seed: int) -> None:
    law(dialect, seed)


@pytest.mark.long
@BOTH
@EACH_LAW
@LONG
@given(seed=SEEDS)
def test_law_at_length(law: Callable[[str, int], None], dialect: str, seed: int) -> None:
    law(dialect, seed)


@BOTH
@LAWS
@given(seed=SEEDS)
def test_producers_send_nothing_undeclared_where_properties_are_listed(dialect: str, seed: int) -> None:
    maker = made.Maker(Random(seed), dialect)
    schema = maker.schema()
    assume(within_bounds(schema))
    root = Locations(StrictReferences(schema)).root
    assume(root is not None and root.closed)
    producer = dialects.DIALECTS[dialect].validator_for(views.producer_view(schema))
    for document in (maker.document() for _ in range(30)):
        if isinstance(document, dict):
            assert not producer.is_valid({**document, made.FRESH: 1}), (schema, document)


@BOTH
@LAWS
@given(seed=SEEDS)
def test_views_are_valid_schemas_and_leave_the_original_alone(dialect: str, seed: int) -> None:
    schema = made.Maker(Random(seed), dialect).schema()
    assume(within_bounds(schema))
    before = copy.deepcopy(schema)
    compiled = dialects.DIALECTS[dialect]
    meta = compiled.validator_for(compiled.metaschema)
    for view in views.both(schema):
        assert meta.is_valid(view), (schema, view)
        assert json.loads(json.dumps(view)) == view
    assert schema == before


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def listed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


INTEGER = {"type": "integer"}
MONEY = {"money": listed(minor=INTEGER)}

# schema, document, does the producer view admit it, does the reader view
CASES = [
    pytest.param(listed(a=INTEGER), {"a": 1}, True, True, id="declared properties pass"),
    pytest.param(listed(a=INTEGER), {"a": 1, "z": 1}, False, True, id="an undeclared one is for readers to ignore"),
    pytest.param(closed(a=INTEGER), {"a": 1, "z": 1}, False, True, id="closed as written is open to readers"),
    pytest.param({**listed(a=INTEGER), "additionalProperties": True}, {"z": 1}, True, True, id="true is kept"),
    pytest.param({**listed(a=INTEGER), "additionalProperties": INTEGER}, {"z": "s"}, False, False, id="a map is kept"),
    pytest.param({"type": "object"}, {"z": 1}, True, True, id="an object that lists nothing is free"),
    pytest.param({"type": "object", "properties": {}}, {"z": 1}, False, True, id="an empty list admits nothing"),
    pytest.param({**listed(), "required": ["a"]}, {"a": 1}, True, True, id="a required name is declared"),
    pytest.param({"patternProperties": {"^x-": INTEGER}}, {"x-1": 1}, True, True, id="a pattern declares"),
    pytest.param({"patternProperties": {"^x-": INTEGER}}, {"z": 1}, False, True, id="a pattern alone lists"),
    pytest.param({"propertyNames": {"maxLength": 1}, **listed(a=INTEGER)}, {"zz": 1}, False, False,
                 id="propertyNames stays for readers"),
    pytest.param({**listed(a=INTEGER), "maxProperties": 1}, {"a": 1, "z": 1}, False, True,
                 id="an ignored property is not counted"),
    pytest.param({"type": "object", "maxProperties": 1}, {"a": 1, "z": 1}, False, False, id="a free map is counted"),
    pytest.param({"allOf": [listed(a={}), listed(b={})]}, {"a": 1, "b": 1}, True, True,
                 id="names of all branches count together"),
    pytest.param({"allOf": [listed(a={}), listed(b={})]}, {"a": 1, "z": 1}, False, True, id="allOf closes once"),
    pytest.param({"allOf": [closed(a={}), listed(b={})]}, {"a": 1, "b": 1}, False, False,
                 id="a closed branch refuses its sister's names"),
    pytest.param({"allOf": [closed(a={}), listed(b={})]}, {"a": 1, "z": 1}, False, True,
                 id="a closed branch lets readers ignore unknown names"),
    pytest.param({"oneOf": [closed(card={}), closed(iban={})]}, {"card": 1}, True, True,
                 id="closed branches of oneOf stay apart"),
    pytest.param({"oneOf": [closed(card={}), closed(iban={})]}, {"card": 1, "z": 1}, False, True,
                 id="closed branches of oneOf stay apart for readers of unknown names"),
    pytest.param({"oneOf": [closed(card={}), closed(iban={})]}, {"card": 1, "iban": 1}, False, False,
                 id="both at once is neither"),
    pytest.param({"oneOf": [listed(k={"enum": ["a"], "x-open-enum": True}), listed(k={"const": "b"})]}, {"k": "b"},
                 True, True, id="an open enum makes a oneOf tolerant"),
    pytest.param({"anyOf": [{"required": ["a"]}, listed(b={})]}, {"a": 1, "b": 1}, True, True,
                 id="required in a branch declares"),
    pytest.param({**listed(a={}), "if": {"required": ["a"]}, "then": listed(b={}), "else": listed(c={})},
                 {"a": 1, "b": 1, "c": 1}, True, True, id="then and else declare"),
    pytest.param({**listed(a={}), "if": listed(kind={"const": 1}), "then": {"required": ["a"]}}, {"kind": 1, "a": 1},
                 False, True, id="if declares nothing"),
    pytest.param({**listed(a={}), "not": closed(a={"const": 1})}, {"a": 1}, False, False,
                 id="nothing changes inside not"),
    pytest.param({**listed(a={}), "dependentSchemas": {"a": listed(b={})}}, {"a": 1, "b": 1}, True, True,
                 id="dependentSchemas declares"),
    pytest.param({**listed(a={}), "allOf": [{"$ref": "#/$defs/money"}], "$defs": MONEY}, {"a": 1, "minor": 1},
                 True, True, id="a reference in place declares"),
    pytest.param({**listed(total={"$ref": "#/$defs/money"}), "$defs": MONEY}, {"total": {"minor": 1, "z": 1}},
                 False, True, id="a referenced child closes"),
    pytest.param({"allOf": [listed(x=listed(a={})), listed(x=listed(b={}))]}, {"x": {"a": 1, "b": 1}}, True, True,
                 id="one child under two branches has the names of both"),
    pytest.param({"allOf": [listed(x=listed(a={})), listed(x=listed(b={}))]}, {"x": {"z": 1}}, False, True,
                 id="one child under two branches closes once"),
    pytest.param({**listed(kid={"allOf": [{"$ref": "#"}, listed(ext={})]})}, {"kid": {"ext": 1, "kid": {}}},
                 True, True, id="a recursive extension admits its own names"),
    pytest.param({**listed(kid={"allOf": [{"$ref": "#"}, listed(ext={})]})}, {"ext": 1}, False, True,
                 id="and the root does not"),
    pytest.param({"type": "array", "items": listed(a={})}, [{"a": 1}, {"z": 1}], False, True, id="items close"),
    pytest.param({"items": listed(a={}), "contains": {"required": ["k"]}}, [{"k": 1}], True, True,
                 id="contains declares for items that list"),
    pytest.param({"contains": listed(k={"const": 1})}, [{"k": 1}, {"z": 1}], True, True,
                 id="contains alone closes nothing"),
    pytest.param({**listed(a={}), "unevaluatedProperties": False}, {"a": 1, "z": 1}, False, True,
                 id="unevaluated is open to readers"),
    pytest.param({"allOf": [listed(a={})], "unevaluatedProperties": False}, {"a": 1}, True, True,
                 id="unevaluated knows what branches declare"),
    pytest.param({"enum": ["a"], "x-open-enum": True}, "b", False, True, id="an open enum takes a new value"),
    pytest.param({"enum": ["a"], "x-open-enum": True}, 1, False, False, id="an open enum takes no new type"),
    pytest.param({"enum": [1, 2.5], "x-open-enum": True}, 7.25, False, True, id="an open enum of numbers"),
    pytest.param({"enum": ["a"], "x-open-enum": False}, "b", False, False, id="x-open-enum must be true"),
]  # fmt: skip


@pytest.mark.parametrize("schema, document, sent, taken", CASES)
def test_views_admit(schema: Any, document: Any, sent: bool, taken: bool) -> None:
    producer, reader = views.both(schema)
    found = dialects.DEFAULT.validator_for(producer).is_valid(document)
    assert (found, dialects.DEFAULT.validator_for(reader).is_valid(document)) == (sent, taken)


def test_a_reference_beside_a_listing_pattern_still_judges() -> None:
    schema = {"patternProperties": {"^a": {"$ref": "#/$defs/n"}, "b$": listed(x={})}, "$defs": {"n": INTEGER}}
    producer = dialects.DEFAULT.validator_for(views.producer_view(schema))
    assert producer.is_valid({"a": 1})
    assert not producer.is_valid({"ab": {}})
    assert not producer.is_valid({"ab": True})


def test_a_required_name_closes_like_the_further_properties_it_is_one_of() -> None:
    schema = {"allOf": [{"additionalProperties": listed(x={})}, {"required": ["a"]}]}
    producer = dialects.DEFAULT.validator_for(views.producer_view(schema))
    assert producer.is_valid({"a": {"x": 1}, "b": {"x": 1}})
    assert not producer.is_valid({"a": {"z": 1}})


def test_a_reference_in_draft_7_voids_what_stands_beside_it() -> None:
    schema = {
        "$schema": dialects.DIALECTS["draft7"].uri,
        "properties": {"t": {"$ref": "#/definitions/m", "properties": {"void": {}}}},
        "definitions": {"m": listed(minor={})},
    }
    producer = dialects.DIALECTS["draft7"].validator_for(views.producer_view(schema))
    assert producer.is_valid({"t": {"minor": 1}})
    assert not producer.is_valid({"t": {"void": 1}})


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(True, id="a boolean"),
        pytest.param({"type": "string", "minLength": 1}, id="a scalar"),
        pytest.param({"type": "array", "items": {"type": "integer"}}, id="an array of scalars"),
        pytest.param({"type": "object"}, id="a free object"),
        pytest.param({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/n"}], "$defs": {"n": INTEGER}}, id="a union"),
    ],
)
def test_a_schema_without_listed_properties_is_the_same_in_both_views(schema: Any) -> None:
    assert views.both(schema) == (schema, schema)


def test_a_strict_reader_sees_the_schema_as_written() -> None:
    schema = listed(a=INTEGER)
    assert views.both(schema, "strict") == (schema, schema)


def test_an_ordinary_schema_is_closed_where_it_stands() -> None:
    schema = {**listed(a=INTEGER, total={"$ref": "#/$defs/money"}), "$defs": MONEY}
    assert views.producer_view(schema) == {
        **closed(a=INTEGER, total={"$ref": "#/$defs/money"}),
        "$defs": {"money": closed(minor=INTEGER)},
    }


@pytest.mark.parametrize(
    "schema, says",
    [
        pytest.param(listed(a={"$ref": "#/$defs/none"}), "does not resolve", id="a reference to nothing"),
        pytest.param(listed(a={"$ref": "other.json"}), "points outside the document", id="a reference out"),
        pytest.param({"$schema": "http://example.com/mine"}, "not a known dialect", id="an unknown dialect"),
    ],
)
def test_views_say_what_they_cannot_use(schema: Any, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        views.both(schema)


def test_a_schema_that_combines_its_parts_without_end_is_refused_soon() -> None:
    # an automaton that must remember its last twenty steps: one place for every subset of its states
    states = {f"s{n}": listed(a={"$ref": f"#/$defs/s{n + 1}"}, b={"$ref": f"#/$defs/s{n + 1}"}) for n in range(20)}
    again = listed(a={"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/s0"}]}, b={"$ref": "#"})
    schema = {**again, "$defs": {**states, "s20": listed(c={})}}
    assert steps(lambda: refused(schema), most=20_000_000) > 0


def test_a_schema_nested_too_deep_is_refused() -> None:
    schema: Any = {}
    for _ in range(5_000):
        schema = listed(a=schema)
    with pytest.raises(SchemaError, match="levels deep"):
        views.both(schema)


def test_more_names_and_branches_than_can_be_asked_are_refused_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("babelreg.contract.views.instance_locations.MAX_STEPS", 50_000)
    assert steps(lambda: refused({"anyOf": [listed(**{f"p{i}": {}}) for i in range(800)]}), most=3_000_000) > 0


def refused(schema: Any) -> None:
    with pytest.raises(SchemaError, match="too many combinations"):
        views.both(schema)


@pytest.mark.parametrize("properties", [None, [], [1], "ab", 7, True])
def test_an_invalid_schema_out_of_the_metaschemas_sight_has_views_that_say_so(properties: Any) -> None:
    schema = {"default": {"properties": properties}, "$ref": "#/default"}
    views.both(schema)
    with pytest.raises(SchemaError):
        dialects.DEFAULT.validator_for(views.producer_view(schema))
