"""Light data classes behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from functools import cached_property
from typing import Any

import pytest

from babelreg import light_dataclass


def members() -> dict[str, Any]:
    """The body of a class with a required member, defaults, and a member that does not count in the hash."""
    annotations = {"name": "str", "number": "int", "more": "Mapping[str, int]", "rest": "Mapping[str, int]"}
    more = dataclasses.field(default_factory=dict, hash=False)
    rest = dataclasses.field(default_factory=dict, compare=False, repr=False)
    return {"__annotations__": annotations, "__doc__": "A class.", "number": 3, "more": more, "rest": rest}


def made(decorator: Any, *, slots: bool) -> Any:
    body = {**members(), "__module__": __name__, "__qualname__": "Example"}
    return decorator(frozen=True, slots=slots)(type("Example", (), body))


LIGHT = made(light_dataclass.dataclass, slots=True)
STANDARD = made(dataclasses.dataclass, slots=True)


@light_dataclass.dataclass(frozen=True, slots=True)
class Single:
    """A class of one member, at the top of a module, where pickle finds it."""

    member: int


@light_dataclass.dataclass(frozen=True)
class Computed:
    """A class without slots."""

    member: int

    @cached_property
    def double(self) -> int:
        return 2 * self.member


def outcome(kind: Any, ask: Callable[[Any], Any]) -> Any:
    """What ``ask`` returns for the class, or the kind of its error."""
    try:
        return ask(kind)
    except (AttributeError, TypeError) as err:
        return type(err)


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda kind: repr(kind("a")), id="defaults"),
        pytest.param(lambda kind: repr(kind("a", 1, {"b": 2}, {"c": 3})), id="by position"),
        pytest.param(lambda kind: repr(kind(number=1, name="a")), id="by name"),
        pytest.param(lambda kind: kind(), id="a missing member"),
        pytest.param(lambda kind: kind("a", unknown=1), id="an unknown member"),
        pytest.param(lambda kind: kind("a", name="b"), id="a member twice"),
        pytest.param(lambda kind: kind("a", 1, {}, {}, 5), id="too many members"),
        pytest.param(lambda kind: kind("a").more is kind("a").more, id="a default of its own for each"),
        pytest.param(lambda kind: (kind("a") == kind("a"), kind("a") != kind("b")), id="equality"),
        pytest.param(lambda kind: kind("a", rest={"b": 1}) == kind("a"), id="a member that is not compared"),
        pytest.param(lambda kind: kind("a") == ("a", 3, {}, {}), id="another type with the same members"),
        pytest.param(lambda kind: hash(kind("a", more={"b": 1})) == hash(kind("a")), id="a member out of the hash"),
        pytest.param(lambda kind: hash(kind([])), id="a member that has no hash"),
        pytest.param(lambda kind: setattr(kind("a"), "name", "b"), id="assignment"),
        pytest.param(lambda kind: delattr(kind("a"), "name"), id="deletion"),
        pytest.param(lambda kind: repr(dataclasses.replace(kind("a", 1), name="b")), id="replace"),
        pytest.param(lambda kind: dataclasses.asdict(kind("a", 1)), id="asdict"),
        pytest.param(lambda kind: [field.name for field in dataclasses.fields(kind)], id="fields"),
        pytest.param(lambda kind: kind.__match_args__, id="match"),
        pytest.param(lambda kind: kind("a").__dict__, id="slots"),
        pytest.param(lambda kind: repr(copy.copy(kind("a", 1))), id="copy"),
        pytest.param(lambda kind: repr(copy.deepcopy(kind("a", more={"b": 1}))), id="deepcopy"),
    ],
)
def test_it_behaves_as_the_standard_one(ask: Callable[[Any], Any]) -> None:
    assert outcome(LIGHT, ask) == outcome(STANDARD, ask)


def test_it_is_pickled() -> None:
    assert pickle.loads(pickle.dumps(Single(1))) == Single(1) != Single(2)


def test_a_class_without_slots_caches_properties() -> None:
    value = Computed(2)
    assert (value.double, vars(value)) == (4, {"member": 2, "double": 4})
    assert copy.copy(value) == value


def test_members_are_those_of_the_annotations() -> None:
    assert [field.type for field in dataclasses.fields(LIGHT)] == list(members()["__annotations__"].values())
