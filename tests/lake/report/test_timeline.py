"""When messages were made, in steps that fit what there is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.report.timeline import CountTimeline, TimelineBuilder

START = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
MINUTES = {"hour": 60, "day": 1_440, "week": 10_080, "year": 525_600, "century": 52_560_000}


def timeline(*moments: datetime | None, pieces: int = 1) -> CountTimeline:
    clock = TimelineBuilder()
    for at in range(pieces):
        clock.add(pa.array(moments[at::pieces], pa.timestamp("us", "UTC")))
    found = clock.timeline()
    assert found is not None
    return found


@pytest.mark.parametrize(
    "minutes, step, first",
    [
        pytest.param(60, "minute", "2026-11-20T09:30", id="an hour in minutes"),
        pytest.param(600, "10 minutes", "2026-11-20T09:30", id="ten hours in tens of minutes"),
        pytest.param(2_880, "hour", "2026-11-20T09:00", id="two days in hours"),
        pytest.param(20_000, "6 hours", "2026-11-20T06:00", id="two weeks in quarters of a day"),
        pytest.param(80_000, "day", "2026-11-20T00:00", id="two months in days"),
        pytest.param(1_000_000, "month", "2026-11-01T00:00", id="two years in months"),
        pytest.param(20_000_000, "year", "2026-01-01T00:00", id="forty years in years"),
    ],
)
def test_the_step_fits_the_span(minutes: int, step: str, first: str) -> None:
    found = timeline(*(START + timedelta(minutes=minutes * n / 99) for n in range(100)))
    assert (found.step, found.starts[0].isoformat()[:16], sum(found.counts)) == (step, first, 100)


def test_one_wrong_clock_does_not_flatten_the_picture() -> None:
    moments = [START + timedelta(minutes=n % 50) for n in range(1_000)]
    found = timeline(datetime(1970, 1, 1, tzinfo=UTC), *moments, datetime(9999, 12, 31, tzinfo=UTC), None)
    assert (found.step, found.before, found.after, found.unknown, sum(found.counts)) == ("minute", 1, 1, 1, 1_000)


@settings(max_examples=fewer(40))
@given(
    st.lists(st.none() | st.datetimes(timezones=st.just(UTC)), min_size=1, max_size=80),
    st.integers(1, 5),
)
def test_every_message_is_counted_once_and_steps_follow_each_other(moments: list[datetime | None], pieces: int) -> None:
    if not any(moments):
        clock = TimelineBuilder()
        clock.add(pa.array(moments, pa.timestamp("us", "UTC")))
        assert clock.timeline() is None
        return
    found = timeline(*moments, pieces=pieces)
    assert sum(found.counts) + found.before + found.after + found.unknown == len(moments)
    assert len(found.starts) <= 72
    assert list(found.starts) == sorted(set(found.starts))
    assert found == timeline(*moments)


def test_memory_is_bounded_whatever_clocks_say() -> None:
    clock = TimelineBuilder()
    for piece in range(5):
        clock.add(
            pa.array(
                [START + timedelta(minutes=(n + piece * 20_000) * 61) for n in range(20_000)], pa.timestamp("us", "UTC")
            )
        )
    found = clock.timeline()
    assert len(clock._counts) <= 6_000
    assert found is not None
    assert sum(found.counts) == 100_000
