"""Traffic at field paths: the counts of a sketch are those of the messages, where the sketch tells them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inferred import sketched

from babelreg.analysis.drift.field_traffic import field_traffic
from babelreg.schema.field_path import EACH, parts

NAMES = st.sampled_from(["a", "b", "c", "*", ""])
VALUES = st.recursive(
    st.sampled_from([None, 1, "x"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
    max_leaves=8,
)
STEPS = st.lists(st.sampled_from(["a", "b", "", EACH]), min_size=1, max_size=3).map(tuple)


def counted(values, steps):
    """Return the number of values above the last step that could hold it, and of those at the path."""
    *above, last = steps
    for step in above:
        values = below(values, step)
    kind = list if last is EACH else dict
    return sum(isinstance(value, kind) for value in values), len(below(values, last))


def below(values, step):
    if step is EACH:
        return [item for value in values if isinstance(value, list) for item in value]
    return [value[step] for value in values if isinstance(value, dict) and step in value]


@given(st.lists(VALUES, max_size=6), STEPS)
def test_counts_are_those_of_the_messages(values, steps):
    traffic = field_traffic(sketched(values), steps, {})
    holders, present = counted(values, steps)
    assert traffic is not None
    assert traffic.present == present
    assert traffic.holders == holders or not present


@pytest.mark.parametrize(
    "values, path, named, expected",
    [
        pytest.param([{"a": {"x1": 1, "kk": 2}}, {"a": {}}], "a.*", ["kk"], (2, 1), id="all other names"),
        pytest.param([{"a": {"kk": 1, "4711": 2}}], "a.*", ["kk"], (1, 1), id="a name that is data is another"),
        pytest.param([{"a": {"4711": 2}}], "a.*", ["0815"], None, id="a declared name that is data"),
        pytest.param([{"a": {"4711": 2}}], "a.4711", [], None, id="a name that is data"),
        pytest.param([{"a": {f"n{i}x": 1 for i in range(500)}}], "a.n1x", [], None, id="one of very many names"),
        pytest.param([{"a": {f"n{i}x": 1 for i in range(500)}}], "a.*", [], (1, 500), id="very many names"),
        pytest.param([{"a": 1}], ".", [], (1, 1), id="all data"),
    ],
)
def test_names_are_told_apart_or_not(values, path, named, expected):
    traffic = field_traffic(sketched(values), parts(path), {("a",): named})
    assert (traffic and (traffic.holders, traffic.present)) == expected
