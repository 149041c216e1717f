"""Sets of code points as sorted ranges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from babelreg.schema.regex.code_points import (
    complement,
    named,
    span,
    union,
)

points = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5))).map(
    lambda pairs: union([((first, first + more),) for first, more in pairs])
)


def holds(members: tuple[tuple[int, int], ...], point: int) -> bool:
    return any(first <= point <= last for first, last in members)


@given(points)
def test_a_complement_holds_what_the_set_does_not(members: tuple[tuple[int, int], ...]) -> None:
    assert all(holds(members, point) != holds(complement(members), point) for point in range(60))
    assert complement(complement(members)) == members


def test_the_last_code_point_is_counted() -> None:
    assert complement(()) == ((0, 0x10FFFF),)


def test_engines_have_classes_of_their_own() -> None:
    assert named("jsonschema-rs", "digit") == span("0", "9")
    assert holds(named("python", "digit"), ord("\u0669"))
    assert sum(last - first + 1 for first, last in named("python", "word")) > 100_000
