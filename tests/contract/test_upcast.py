"""Operations that carry data from version to version: exact, pure, never a guess."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract.upcast import UpcastError, compiled, composed


@pytest.mark.parametrize(
    "operations, data, found",
    [
        pytest.param([{"rename": {"a": "b"}}], {"a": 1}, {"b": 1}, id="rename"),
        pytest.param([{"rename": {"a": "b.c"}}], {"a": 1}, {"b": {"c": 1}}, id="rename makes parents"),
        pytest.param([{"rename": {"a": "a.b"}}], {"a": 1}, {"a": {"b": 1}}, id="rename into itself"),
        pytest.param([{"rename": {"a.b": "b"}}], {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}, "b": 1}, id="rename up"),
        pytest.param([{"rename": {"a": "b"}}], {"c": 1}, {"c": 1}, id="rename of what is not there"),
        pytest.param([{"rename": {"a": "x.y"}}], {"c": 1}, {"c": 1}, id="no parents for what is not there"),
        pytest.param([{"rename": {"a.b": "c"}}], {"a": None}, {"a": None}, id="a null on the way is an absence"),
        pytest.param([{"rename": {"l[].q": "l[].n"}}], {"l": [{"q": 1}, {"n": 2}]}, {"l": [{"n": 1}, {"n": 2}]},
                     id="rename in every item"),
        pytest.param([{"rename": {"l[].q": "l[].x.y"}}], {"l": [{"q": 1}]}, {"l": [{"x": {"y": 1}}]},
                     id="rename in items makes parents"),
        pytest.param([{"rename": {"a": "b"}}, {"rename": {"b": "c"}}], {"a": 1}, {"c": 1}, id="in order"),
        pytest.param([{"rename": {"a\\.b": "c"}}], {"a.b": 1, "a": {"b": 2}}, {"c": 1, "a": {"b": 2}}, id="a dot"),
        pytest.param([{"rename": {"a\\[]": "c"}}], {"a[]": 1}, {"c": 1}, id="brackets in a name"),
        pytest.param([{"set": {"a": 2}}], {"a": 1}, {"a": 2}, id="set overwrites"),
        pytest.param([{"set": {"a.b": [1]}}], {}, {"a": {"b": [1]}}, id="set makes parents"),
        pytest.param([{"set": {"l[].k": 1}}], {"l": [{}, {"k": 0}]}, {"l": [{"k": 1}, {"k": 1}]}, id="set in items"),
        pytest.param([{"set": {"l[].k": 1}}], {}, {}, id="an absent array stays absent"),
        pytest.param([{"set": {"a": None}}], {}, {"a": None}, id="set null"),
        pytest.param([{"default": {"a": 2}}], {"a": 1}, {"a": 1}, id="default keeps"),
        pytest.param([{"default": {"a": 2}}], {"a": None}, {"a": None}, id="default keeps null"),
        pytest.param([{"default": {"a.b": 2}}], {}, {"a": {"b": 2}}, id="default makes parents"),
        pytest.param([{"drop": "a"}], {"a": 1, "b": 2}, {"b": 2}, id="drop"),
        pytest.param([{"drop": ["a", "l[].b"]}], {"a": 1, "l": [{"b": 1}]}, {"l": [{}]}, id="drop several"),
        pytest.param([{"drop": "a.b"}], {}, {}, id="drop nothing"),
        pytest.param([{"cast": {"a": "integer->string"}}], {"a": 2**70}, {"a": str(2**70)}, id="integer to string"),
        pytest.param([{"cast": {"a": "integer->string"}}], {"a": 5.0}, {"a": "5"}, id="5.0 is an integer"),
        pytest.param([{"cast": {"a": "string->integer"}}], {"a": "-12"}, {"a": -12}, id="string to integer"),
        pytest.param([{"cast": {"a": "integer->number"}}], {"a": 5}, {"a": 5.0}, id="integer to number"),
        pytest.param([{"cast": {"a": "integer->number"}}], {"a": 2**60 + 1}, {"a": 2**60 + 1}, id="no digit is lost"),
        pytest.param([{"cast": {"a": "string->integer"}}], {"a": None}, {"a": None}, id="cast leaves null"),
        pytest.param([{"cast": {"l[].a": "string->integer"}}], {"l": [{"a": "1"}]}, {"l": [{"a": 1}]}, id="in items"),
        pytest.param([{"map": {"a": {"x": "y"}}}], {"a": "x"}, {"a": "y"}, id="map"),
        pytest.param([{"map": {"a": {"x": "y"}}}], {"a": "z"}, {"a": "z"}, id="map leaves what it does not list"),
        pytest.param([{"map": {"a": {"1": "one", "true": 0, "null": ""}}}], {"a": True}, {"a": 0}, id="map of true"),
        pytest.param([{"map": {"a": {"1": "one"}}}], {"a": 1}, {"a": "one"}, id="map of a number"),
        pytest.param([{"map": {"a": {"1": "one"}}}], {"a": 1.0}, {"a": "one"}, id="1.0 and 1 are one number"),
        pytest.param([{"map": {"a": {"x": "y"}}}], {"a": ["x"]}, {"a": ["x"]}, id="an array is no value of a table"),
    ],
)  # fmt: skip
def test_apply(operations: Any, data: Any, found: Any) -> None:
    before = copy.deepcopy(data)
    made = compiled(operations).apply(data)
    # as text, because 5 == 5.0 and True == 1
    assert json.dumps(made, sort_keys=True) == json.dumps(found, sort_keys=True)
    assert data == before


def test_the_example_of_the_registry() -> None:
    upcast = compiled([{"rename": {"amount_minor": "total.minor"}}, {"default": {"total.currency": "EUR"}}])
    assert upcast.apply({"amount_minor": 9990}) == {"total": {"minor": 9990, "currency": "EUR"}}


@pytest.mark.parametrize(
    "operations, data, says",
    [
        pytest.param(
            [{"rename": {"a": "b"}}], {"a": 1, "b": 2}, r"upcast 1 \(rename\): 'b' already exists", id="taken"
        ),
        pytest.param([{"rename": {"a": "b.c"}}], {"a": 1, "b": 2}, "b is not an object", id="no object on the way"),
        pytest.param([{"rename": {"a.b": "c"}}], {"a": 1}, "a is not an object", id="no object to come from"),
        pytest.param([{"set": {"l[].a": 1}}], {"l": {}}, "l is not an array", id="no array on the way"),
        pytest.param([{"set": {"l[].a": 1}}], {"l": [1]}, r"l\[\] is not an object", id="items that are no objects"),
        pytest.param([{"cast": {"a": "integer->string"}}], {"a": True}, "a is not an integer", id="true is no integer"),
        pytest.param([{"cast": {"a": "integer->string"}}], {"a": 1.5}, "a is not an integer", id="a fraction"),
        pytest.param([{"cast": {"a": "string->integer"}}], {"a": "0x1"}, "not a string of an integer", id="no digits"),
        pytest.param(
            [{"cast": {"a": "string->integer"}}], {"a": "１"}, "not a string of an integer", id="other digits"
        ),
    ],
)
def test_data_that_does_not_fit(operations: Any, data: Any, says: str) -> None:
    with pytest.raises(UpcastError, match=says):
        compiled(operations).apply(data)


@pytest.mark.parametrize(
    "operations, says",
    [
        pytest.param([{"move": {"a": "b"}}], "there is no operation 'move'", id="an unknown operation"),
        pytest.param([{"set": {"a": 1}, "drop": "b"}], "must be one operation", id="two at once"),
        pytest.param(["drop"], "must be one operation", id="a text"),
        pytest.param([{"rename": {"a": 1}}], "paths to paths", id="a target that is no path"),
        pytest.param([{"rename": {"l[].a": "m[].a"}}], "the same items", id="items of another array"),
        pytest.param([{"rename": {"l[].a": "a"}}], "the same items", id="out of the items"),
        pytest.param([{"drop": []}], "a path or a list", id="an empty drop"),
        pytest.param([{"drop": "a..b"}], "an empty name", id="two dots"),
        pytest.param([{"drop": "a[]"}], "must end in a name", id="a path to items"),
        pytest.param([{"drop": "[].a"}], "must begin with a name", id="a path from items"),
        pytest.param([{"drop": "a[]b"}], "comes a dot", id="a name after brackets"),
        pytest.param([{"drop": "a\\"}], "ends in a backslash", id="a backslash at the end"),
        pytest.param([{"cast": {"a": "string->float"}}], "there is no cast", id="an unknown cast"),
        pytest.param([{"map": {"a": "b"}}], "a table", id="no table"),
        pytest.param([{"set": 1}], "mapping of paths", id="no mapping"),
    ],
)
def test_operations_that_make_no_sense(operations: Any, says: str) -> None:
    with pytest.raises(UpcastError, match=says):
        compiled(operations)


NAMES = st.sampled_from(["a", "b", "c"])
DATA = st.dictionaries(NAMES, st.recursive(st.integers(), lambda below: st.dictionaries(NAMES, below), max_leaves=5))
OPERATIONS = st.lists(
    st.one_of(
        st.builds(lambda a, b: {"rename": {a: b}}, NAMES, NAMES),
        st.builds(lambda a, b, v: {"set": {f"{a}.{b}": v}}, NAMES, NAMES, st.integers()),
        st.builds(lambda a, v: {"default": {a: v}}, NAMES, st.integers()),
        st.builds(lambda a: {"drop": a}, NAMES),
    ),
    max_size=4,
)


@settings(max_examples=150, deadline=None)
@given(DATA, OPERATIONS, OPERATIONS)
def test_composition_is_one_after_the_other(data: Any, first: Any, second: Any) -> None:
    one, two = compiled(first), compiled(second)
    try:
        expected = two.apply(one.apply(data))
    except UpcastError:
        with pytest.raises(UpcastError):
            composed([one, two]).apply(data)
    else:
        assert composed([one, two]).apply(data) == expected
