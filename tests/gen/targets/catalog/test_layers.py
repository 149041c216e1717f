from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.gen.targets.catalog.layers import Edge, layout

NAMES = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1, max_size=8)


def crossings(order: list[list[str]], edges: list[list[Edge]]) -> int:
    count = 0
    for at, pairs in enumerate(edges):
        for (a, x), (b, y) in itertools.combinations(pairs, 2):
            first, second = order[at].index(a) - order[at].index(b), order[at + 1].index(x) - order[at + 1].index(y)
            count += first * second < 0
    return count


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[str]], list[list[Edge]]]:
    layers = [draw(NAMES), draw(NAMES), draw(NAMES)]
    edges = [
        draw(st.lists(st.tuples(st.sampled_from(layers[i]), st.sampled_from(layers[i + 1])), unique=True))
        for i in (0, 1)
    ]
    return layers, edges


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_nodes_stand_apart_from_the_top_down_whatever_the_order_of_the_input(
    graph: tuple[list[list[str]], list[list[Edge]]],
) -> None:
    layers, edges = graph
    placed = layout(layers, edges)
    assert [sorted(name for name, _ in layer) for layer in placed] == [sorted(layer) for layer in layers]
    heights = [[height for _, height in layer] for layer in placed]
    assert min(height for layer in heights for height in layer) == 0
    for layer in heights:
        assert all(lower - upper >= 0.98 for upper, lower in itertools.pairwise(layer))
    assert layout([layer[::-1] for layer in layers], [pairs[::-1] for pairs in edges]) == placed


@pytest.mark.parametrize(
    "layers, edges",
    [
        pytest.param([["a", "b"], ["x", "y"], ["p"]], [[("a", "y"), ("b", "x")], [("x", "p"), ("y", "p")]], id="a cross"),
        pytest.param([["a", "b", "c"], ["x", "y", "z"], ["p", "q"]],
                     [[("a", "z"), ("b", "y"), ("c", "x")], [("x", "q"), ("z", "p")]], id="three in reverse"),
    ],
)  # fmt: skip
def test_edges_that_need_not_cross_do_not(layers: list[list[str]], edges: list[list[Edge]]) -> None:
    assert crossings([[name for name, _ in layer] for layer in layout(layers, edges)], edges) == 0


def test_a_lone_neighbour_stands_in_the_middle() -> None:
    placed = layout([["a"], ["x", "y", "z"], []], [[("a", name) for name in "xyz"], []])
    assert placed[0] == [("a", 1.0)]
