"""Counts as rectangles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lake.report.chart import HEIGHT, WIDTH, columns, segments

COUNTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=72)


@given(COUNTS)
def test_columns_stay_in_the_picture_and_only_nothing_is_empty(values: list[int]) -> None:
    bars = columns(values)
    assert [bar.empty for bar in bars] == [value == 0 for value in values]
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH + 0.1 and bar.y + bar.height <= HEIGHT + 0.1 for bar in bars)
    assert max(values) == 0 or max(bar.height for bar in bars) == HEIGHT


@given(st.lists(st.integers(0, 10**9), min_size=3, max_size=3).filter(any))
def test_segments_fill_the_picture_and_only_nothing_is_empty(values: list[int]) -> None:
    bars = segments(values)
    assert [bar.empty for bar in bars] == [value == 0 for value in values]
    assert sum(bar.width for bar in bars) == pytest.approx(WIDTH, abs=0.1)


def test_of_nothing_nothing_is_drawn() -> None:
    assert all(bar.empty for bar in [*segments([0, 0, 0]), *columns([0, 0])])
