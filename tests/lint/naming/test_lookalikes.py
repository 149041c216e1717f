"""Which spellings of one name are taken for one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from babelreg.lint.naming.lookalikes import variants

COUNTED = st.dictionaries(st.text(st.sampled_from("aAbs-_. "), max_size=5), st.integers(1, 9), max_size=8)


@given(COUNTED)
def test_a_name_is_taken_for_one_that_is_used_no_less_and_stands_for_itself(counted: dict[str, int]) -> None:
    found = variants(counted)
    for name, meant in found.items():
        assert counted[meant] >= counted[name]
        assert meant not in found


@given(COUNTED)
def test_when_all_are_spelled_as_meant_nothing_is_left_to_say(counted: dict[str, int]) -> None:
    found = variants(counted)
    merged: dict[str, int] = {}
    for name, times in counted.items():
        merged[found.get(name, name)] = merged.get(found.get(name, name), 0) + times
    assert variants(merged) == {}
