"""What is told at a glance is what a comparison finds."""

from __future__ import annotations

from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.containment import compare
from babelreg.containment.fast_path import adds_no_break
from babelreg.containment.fast_path import only_optional_properties_differ as evident

A, B = {"type": "integer"}, {"type": "string"}


def plain(properties: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


@pytest.mark.parametrize(
    "one, other, expected",
    [
        pytest.param(plain({"a": A}), plain({"a": A, "b": B}), True, id="a property is new"),
        pytest.param(plain({"a": A, "b": B}), plain({"a": A, "c": B}), True, id="one is new, one is gone"),
        pytest.param(plain({"a": A}), plain({"a": B, "b": B}), False, id="one has another type"),
        pytest.param(plain({"a": A}), plain({"a": A, "b": B}, required=["b"]), False, id="the new one is required"),
        pytest.param(plain({}), plain({"a": A}), False, id="an object that lists nothing admits everything"),
        pytest.param(plain({"a": A}), plain({"a": A}, minProperties=1), False, id="a keyword that is not looked at"),
        pytest.param(
            plain({"a": {"$ref": "#/$defs/x"}}, **{"$defs": {"x": A}}),
            plain({"a": {"$ref": "#/$defs/x"}}, **{"$defs": {"x": B}}),
            False,
            id="a definition is another",
        ),
        pytest.param(
            plain({"a": {"$ref": "#/properties/b"}, "b": A}),
            plain({"a": {"$ref": "#/properties/b"}, "b": A, "c": A}),
            False,
            id="a reference to elsewhere",
        ),
    ],
)
def test_what_is_evident(one: Any, other: Any, expected: bool) -> None:
    assert evident(one, other) is expected
    assert evident(other, one) is expected


values = st.sampled_from([A, B, {"$ref": "#/$defs/x"}, plain({"a": A}), {"enum": [1]}, True])
objects = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("abcd"), values, max_size=3)},
    optional={"required": st.lists(st.sampled_from("ab"), unique=True), "$defs": st.just({"x": A})},
)


@settings(max_examples=150, deadline=None)
@given(objects, objects)
def test_what_is_evident_breaks_nobody(one: Any, other: Any) -> None:
    for schema in (one, other):
        if "$ref" in str(schema):
            schema["$defs"] = {"x": A}
    if evident(one, other):
        found = compare(one, other, formats="asserted")
        assert (found.backward.kind, found.forward.kind) == ("compatible", "compatible")


@pytest.mark.parametrize(
    "earlier, newest, new, expected",
    [
        pytest.param({"a": A}, {"a": A, "b": B}, {"a": B}, True, id="what breaks it breaks the newest"),
        pytest.param({"a": A, "b": B}, {"a": A}, {"a": A}, True, id="a property was dropped and stays away"),
        pytest.param({"a": A, "b": B}, {"a": A}, {"a": A, "b": B}, True, id="it comes back as it was"),
        pytest.param({"a": A, "b": B}, {"a": A}, {"a": A, "b": A}, False, id="it comes back as another"),
        pytest.param({"a": B}, {"a": A}, {"a": A}, False, id="the earlier one is another"),
    ],
)
def test_what_more_may_break(earlier: Any, newest: Any, new: Any, expected: bool) -> None:
    assert adds_no_break(plain(earlier), plain(newest), plain(new)) is expected


def test_a_property_that_is_required_and_not_listed_may_break_the_earlier_one_alone() -> None:
    new = plain({"b": A}, required=["a"])
    assert not adds_no_break(plain({"a": A}), plain({"b": A}), new)
    assert compare(plain({"a": A}), new).forward.kind == "breaking"
    assert compare(plain({"b": A}), new).forward.kind == "compatible"


@settings(max_examples=fewer(100, 200), deadline=None)
@given(objects, objects, objects)
def test_nothing_more_breaks_where_it_is_said(earlier: Any, newest: Any, new: Any) -> None:
    newest["required"] = earlier.get("required", [])  # else few would be alike
    for schema in (earlier, newest, new):
        if "$ref" in str(schema):
            schema["$defs"] = {"x": A}
    if adds_no_break(earlier, newest, new):
        before, now = (compare(one, new, formats="asserted") for one in (earlier, newest))
        for direction in ("backward", "forward"):
            assert getattr(before, direction).kind != "breaking" or getattr(now, direction).kind == "breaking"
