"""Attribution of refused messages: each belongs to the findings that are about what refuses it."""

from __future__ import annotations

import json

import pytest
import sane_schemas
from examples import fewer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from message_versions import URN, registry
from recorded_changes import body, data_text, impact_of, impact_of_schemas

from babelreg.analysis.impact.attribution import schema_field
from babelreg.analysis.impact.impact_counts import Rescue, UnexplainedPlace
from babelreg.errors import SchemaError


def counted(impact, findings):
    """The number of messages by rule and pointer; of an unexplained place by its keyword."""
    return {
        (key.keyword, key.pointer)
        if isinstance(key, UnexplainedPlace)
        else (findings[key].rule, findings[key].pointer): (group.count)
        for key, group in impact.counts.groups.items()
        if isinstance(key, (int, UnexplainedPlace))
    }


def of(properties, **more):
    return {"type": "object", "properties": properties, **more}


MONEY = "type: object\nproperties:\n  minor: {type: integer, maximum: %s}\n"
TOTAL = {"$ref": "../_common/money.yaml"}


@pytest.mark.parametrize("before, after, samples, expected", [
    pytest.param(
        of({"a": {}, "b": {}}, required=["a"]), of({"a": {}, "b": {}}, required=["a", "b"]),
        [{"a": 1}, {"a": 1, "b": 2}, {"a": 3}], {("property-required", "/data/required"): 2},
        id="a property that became required",
    ),
    pytest.param(
        of({"a": {"type": "integer"}}, additionalProperties={"type": ["integer", "boolean"]}),
        of({}, additionalProperties={"type": "boolean"}),
        [{"a": 1}, {"b": 1}, {"b": True}],
        {("property-removed", "/data/properties/a"): 1, ("type-changed", "/data/additionalProperties/type"): 2},
        id="a property that was removed while the type of the others became narrower",
    ),
    pytest.param(
        of({}, additionalProperties=True),
        of({"ab": {"type": "boolean"}}, patternProperties={"^a": {"type": "boolean"}}),
        [{"ab": 1}, {"ac": 1}, {"ac": True}],
        {("property-declared", "/data/properties/ab"): 1, ("type-changed", "/data/patternProperties/^a/type"): 2},
        id="a property that was declared beside a pattern that has its name",
    ),
    pytest.param(
        of({"a": {"type": "integer", "maximum": 9}, "b": {"maxLength": 9}}),
        of({"a": {"type": "integer", "maximum": 5}, "b": {"maxLength": 2}}),
        [{"a": 6}, {"a": 7, "b": "abc"}, {"b": "ab"}],
        {("number-range-changed", "/data/properties/a/maximum"): 2,
         ("text-length-changed", "/data/properties/b/maxLength"): 1},
        id="a message that two findings refuse belongs to both",
    ),
    pytest.param(
        of({"a": {"type": "array", "items": {"enum": ["x", "y"]}}}), of({"a": {"type": "array", "items": {"enum": ["x"]}}}),
        [{"a": ["x"]}, {"a": ["x", "y", "y"]}], {("enum-value-removed", "/data/properties/a/items/enum"): 1},
        id="two items of one message count once",
    ),
    pytest.param(
        of({"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        of({"a": {"anyOf": [{"type": "string"}, {"type": "integer", "maximum": 3}]}}),
        [{"a": 4}, {"a": 3}, {"a": "x"}], {("number-range-changed", "/data/properties/a/anyOf/1/maximum"): 1},
        id="a union refuses by its branch",
    ),
    pytest.param(
        of({"a": {"type": "string"}}), of({"a": {"type": "integer", "minimum": 0}}),
        [{"a": "x"}, {}], {("type-changed", "/data/properties/a/type"): 1}, id="another type",
    ),
    pytest.param(
        of({"a": {"type": "integer"}}, additionalProperties=False),
        of({"b": {}}, additionalProperties={"type": "string"}),
        [{"a": 4}], {("property-removed", "/data/properties/a"): 1}, id="a property that is one of the others now",
    ),
    pytest.param(
        of({"a": of({"b": {"type": "integer"}})}, additionalProperties=False),
        of({}, additionalProperties=of({"b": {"type": "string"}})),
        [{"a": {"b": 4}}], {("property-removed", "/data/properties/a"): 1}, id="a property in one of the others now",
    ),
    pytest.param(
        {"type": "object"},
        of({"a_b": {"type": "string"}}, patternProperties={"^a": {"oneOf": [{"type": "array"}]}}),
        [{"a_c": 1}], {("union-changed", "/data/patternProperties/^a/oneOf"): 1},
        id="a pattern that a declared property matches",
    ),
    pytest.param(
        of({"a": {"$ref": "#/$defs/one"}}, **{"$defs": {"one": {"type": "integer", "maximum": 9}}}),
        of({"a": {"$ref": "#/$defs/one"}}, **{"$defs": {"one": {"type": "integer", "maximum": 5}}}),
        [{"a": 6}], {("number-range-changed", "/data/$defs/one/maximum"): 1}, id="a definition of the file",
    ),
])  # fmt: skip
def test_a_refused_message_belongs_to_the_finding_about_what_refuses_it(before, after, samples, expected):
    assert counted(*impact_of_schemas(before, after, samples)) == expected


def test_a_refusal_in_a_shared_fragment_belongs_to_the_finding_in_its_file():
    files = {"_common/money.yaml before": MONEY % 900, "_common/money.yaml": MONEY % 100}
    schema = of({"total": TOTAL, "lines": {"type": "array", "items": of({"price": TOTAL})}})
    samples = [{"total": {"minor": 101}}, {"lines": [{"price": {"minor": 200}}]}, {"total": {"minor": 100}}]
    impact, findings = impact_of_schemas(schema, schema, samples, **files)
    assert counted(impact, findings) == {("number-range-changed", "/properties/minor/maximum"): 2}
    assert [finding.place.path for finding in findings] == ["_common/money.yaml"]


def test_a_removed_message_is_refused_by_the_finding_about_its_removal():
    impact, findings = impact_of(registry(data_text(of({}))), registry(None), [body({}), body({"a": 1})])
    assert counted(impact, findings) == {("urn-removed", None): 2}


def test_an_alias_that_is_gone_refuses_what_was_sent_under_it():
    before = registry("aliases: [OrderCreated]\ndata: {type: object}\n")
    after = registry("data: {type: object}\n")
    impact, findings = impact_of(before, after, [body({}, urn="OrderCreated"), body({})])
    assert list(counted(impact, findings).values()) == [1]
    assert [findings[key].rule for key in impact.counts.groups] == ["alias-removed"]


def test_what_breaking_does_not_compare_is_named_as_unexplained():
    before = registry(f"status: draft\n{data_text(of({'a': {'type': 'integer'}}))}")
    after = registry(f"status: draft\n{data_text(of({'a': {'type': 'string'}}))}")
    impact, findings = impact_of(before, after, [body({"a": 1}), body({"a": 2})])
    assert findings == []
    assert impact.counts.groups.keys() == {
        UnexplainedPlace(URN, "orders/created.yaml", "/data/properties/a/type", "type")
    }
    assert counted(impact, findings) == {("type", "/data/properties/a/type"): 2}
    assert impact.counts.hurt == {URN: 2}


def test_what_no_producer_may_send_is_told_apart():
    schemas = of({"a": {}}), of({"a": {}, "b": {"type": "string"}})
    impact, findings = impact_of_schemas(*schemas, [{"b": 1}, {"b": "x"}])
    assert findings == []
    assert impact.counts.groups.keys() == {
        UnexplainedPlace(URN, "orders/created.yaml", "/data/properties/b/type", "type", undeclared=True)
    }


def test_a_finding_about_what_producers_do_not_send_yet_explains_nothing():
    schemas = of({"a": {"enum": ["x"]}}), of({"a": {"enum": ["x", "y"]}})
    impact, findings = impact_of_schemas(*schemas, [{"a": "x"}])
    assert [finding.direction for finding in findings] == ["forward"]
    assert impact.counts.groups == {}


@pytest.mark.parametrize("pointer, field", [
    pytest.param(("properties", "a", "items", "enum"), ("a", 0), id="items"),
    pytest.param(("properties", "$ref", "$ref", "properties", "b", "type"), ("$ref", "b"), id="a property named $ref"),
    pytest.param(("allOf", 0, "additionalProperties", "anyOf", 1, "type"), ("*",), id="other properties, in a branch"),
    pytest.param(("required",), (), id="the data itself"),
])  # fmt: skip
def test_a_pointer_into_a_schema_leads_to_a_field(pointer, field):
    assert schema_field(pointer) == field


def _subschemas(value, at=()):
    if isinstance(value, dict):
        yield at
        for name, below in value.items():
            yield from _subschemas(below, (*at, name))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _subschemas(below, (*at, index))


def _with(value, at, new):
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = _with(value[at[0]], at[1:], new)
    return copy


@st.composite
def _changes(draw):
    """A schema, another one or a copy with a changed part, and documents of the first."""
    before, other = draw(sane_schemas.schemas()), draw(sane_schemas.schemas())
    places = [at for at in _subschemas(before.get("properties", {})) if at]
    after = other
    if places and draw(st.booleans()):
        part = other
        for step in draw(st.sampled_from(list(_subschemas(other)))):
            part = part[step]
        after = _with(before, ("properties", *draw(st.sampled_from(places))), part)
    documents = draw(st.lists(sane_schemas.documents(before), min_size=1, max_size=6))
    return before, after, [document for document in documents if isinstance(document, dict)]


def _attributed(change) -> None:
    before, after, documents = change
    try:
        impact, _ = impact_of_schemas(before, after, documents)
    except (AssertionError, SchemaError):  # a changed part that is not a schema there
        return
    counts = impact.counts
    assert counts.total == len(documents)
    hurt = sum(count for cell, count in counts.cells.items() if cell.before is None and cell.after is not None)
    assert sum(group.count for key, group in counts.groups.items() if not isinstance(key, Rescue)) >= hurt
    unexplained = [key for key in counts.groups if isinstance(key, UnexplainedPlace)]
    assert all(key.undeclared for key in unexplained), json.dumps(change)


@settings(max_examples=fewer(8, 15), suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(_changes())
def test_each_refused_message_belongs_to_a_finding(change):
    _attributed(change)


@pytest.mark.long
@settings(max_examples=1500, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(_changes())
def test_each_refused_message_belongs_to_a_finding_long(change):
    _attributed(change)
