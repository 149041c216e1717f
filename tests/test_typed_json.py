"""Parsed JSON becomes a dataclass, or an error that names the member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pytest

from babelreg.typed_json import WrongType, typed


@dataclass(frozen=True)
class Part:
    name: str
    rows: int = 0


@dataclass(frozen=True)
class Whole:
    kind: Literal["one", "other"]
    parts: tuple[Part, ...]
    pair: tuple[int, str]
    share: float
    on: bool
    by_name: Mapping[str, Part] = field(default_factory=dict)
    at: int | None = None


class Pair(NamedTuple):
    name: str
    other: Any = None


SOUND: dict[str, Any] = {"kind": "one", "parts": [{"name": "a"}], "pair": [1, "b"], "share": 1, "on": True}


def test_a_sound_value_is_read() -> None:
    value = {**SOUND, "by_name": {"x": {"name": "b", "rows": 2}}, "at": 3}
    assert typed(Whole, value) == Whole("one", (Part("a"),), (1, "b"), 1, True, {"x": Part("b", 2)}, 3)
    assert typed(Whole, {**SOUND, "at": None}).at is None


@pytest.mark.parametrize(
    "member, value, told",
    [
        pytest.param("kind", "third", "'kind' is not one of one, other", id="not a choice"),
        pytest.param("kind", ["one"], "'kind' is not one of one, other", id="a list for a choice"),
        pytest.param("parts", {}, "'parts' is not an array", id="an object for an array"),
        pytest.param("parts", ["a"], "'parts[0]' is not an object", id="a string for an object"),
        pytest.param("parts", [{"name": "a"}, {"name": None}], "'parts[1].name' is not a string", id="null within"),
        pytest.param("parts", [{}], "'parts[0]' is not an object with the member 'name'", id="a member is gone"),
        pytest.param(
            "parts", [{"name": "a", "x": 1}], "'parts[0]' is not an object without a member 'x'", id="unknown"
        ),
        pytest.param("parts", [{"name": "a", "rows": True}], "'parts[0].rows' is not an integer", id="true for one"),
        pytest.param("parts", [{"name": "a", "rows": 1.0}], "'parts[0].rows' is not an integer", id="a double"),
        pytest.param("pair", [1], "'pair' is not an array of 2 values", id="too short"),
        pytest.param("pair", [1, 2], "'pair[1]' is not a string", id="the second"),
        pytest.param("share", "1", "'share' is not a number", id="text for a number"),
        pytest.param("on", 1, "'on' is not a boolean", id="one for true"),
        pytest.param("by_name", [], "'by_name' is not an object", id="an array for a mapping"),
        pytest.param("by_name", {"x": {"name": 1}}, "'by_name.x.name' is not a string", id="within a mapping"),
        pytest.param("at", "3", "'at' is not an integer or null", id="none of a union"),
    ],
)
def test_a_value_of_another_type_is_named(member: str, value: Any, told: str) -> None:
    with pytest.raises(WrongType) as refused:
        typed(Whole, {**SOUND, member: value})
    assert str(refused.value) == told


def test_a_named_tuple_is_an_array_of_its_members() -> None:
    assert typed(Pair, ["a", [1]]) == Pair("a", [1])
    with pytest.raises(WrongType, match=r"'\[0\]' is not a string"):
        typed(Pair, [1, 2])
    with pytest.raises(WrongType, match="it is not an array of 2 values"):
        typed(Pair, ["a"])


def test_another_document_is_refused() -> None:
    with pytest.raises(WrongType, match="it is not an object"):
        typed(Whole, [])
