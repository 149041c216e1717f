"""Layout of a graph in three layers: services that send, messages, services that receive.

The order of each layer follows the barycentres of its neighbours (Sugiyama, 1981), then each node moves as close to its
neighbours as the order allows. Steps are bounded and ties are broken by name, so the layout depends on the graph alone.
"""

from __future__ import annotations

from collections.abc import Sequence

Edge = tuple[str, str]
_SWEEPS = 8


def layout(layers: Sequence[Sequence[str]], edges: Sequence[Sequence[Edge]]) -> list[list[tuple[str, float]]]:
    """Return each layer's nodes from top to bottom with their heights, at least 1 apart, the topmost at 0.

    ``edges[i]`` lead from ``layers[i]`` to ``layers[i + 1]``.
    """
    orders = [sorted(layer) for layer in layers]
    near = _neighbours(layers, edges)
    for sweep in range(_SWEEPS):
        there = range(len(orders)) if sweep % 2 == 0 else reversed(range(len(orders)))
        for at in there:
            beside = [other for other in (at - 1, at + 1) if 0 <= other < len(orders)]
            heights = {(other, name): float(i) for other in beside for i, name in enumerate(orders[other])}
            wanted = _wanted(orders[at], near[at], heights)
            orders[at] = sorted(orders[at], key=lambda name: (wanted[name], name))
    return _placed(orders, near)


def _neighbours(
    layers: Sequence[Sequence[str]], edges: Sequence[Sequence[Edge]]
) -> list[dict[str, list[tuple[int, str]]]]:
    near: list[dict[str, list[tuple[int, str]]]] = [{name: [] for name in layer} for layer in layers]
    for at, pairs in enumerate(edges):
        for source, target in sorted(pairs):
            near[at][source].append((at + 1, target))
            near[at + 1][target].append((at, source))
    return near


def _wanted(
    order: Sequence[str], near: dict[str, list[tuple[int, str]]], heights: dict[tuple[int, str], float]
) -> dict[str, float]:
    """Return the mean height of the neighbours of each node, its own place where it has none."""
    wanted = {}
    for place, name in enumerate(order):
        found = [heights[node] for node in near[name] if node in heights]
        wanted[name] = sum(found) / len(found) if found else float(place)
    return wanted


def _placed(orders: list[list[str]], near: list[dict[str, list[tuple[int, str]]]]) -> list[list[tuple[str, float]]]:
    """Return the nodes with heights: the longest layer evenly, the others as close to it as their order allows."""
    longest = max(range(len(orders)), key=lambda at: (len(orders[at]), at == 1))
    heights: dict[tuple[int, str], float] = {(longest, name): float(i) for i, name in enumerate(orders[longest])}
    for at in sorted(range(len(orders)), key=lambda at: (abs(at - longest), at)):
        if at != longest:
            wanted = _wanted(orders[at], near[at], heights)
            heights |= {
                (at, name): height
                for name, height in zip(orders[at], _spread([wanted[n] for n in orders[at]]), strict=True)
            }
    top = min(heights.values(), default=0.0)
    return [[(name, round(heights[at, name] - top, 2)) for name in order] for at, order in enumerate(orders)]


def _spread(wanted: list[float]) -> list[float]:
    """Return heights at least 1 apart, in order, with the least squared distance from ``wanted`` (pooling)."""
    blocks: list[list[float]] = []  # sum of wanted heights less their place, number of nodes
    for place, height in enumerate(wanted):
        blocks.append([height - place, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count]
    starts = [total / count for total, count in blocks for _ in range(int(count))]
    return [start + place for place, start in enumerate(starts)]
