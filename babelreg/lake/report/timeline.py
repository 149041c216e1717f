"""Counts of accepted messages over time, by ``created_at``, in steps that suit the range.

The input is a stream of Arrow arrays of times; the state is a count per step. When there are too many steps, the next
coarser unit is used, from minutes to years, so that memory is bounded whatever the clocks of producers were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_STEPS = 6_000
_MOST_COLUMNS = 72
_OUTLYING = 0.005
"""The share of messages at each end that may be omitted: one wrong clock must not flatten the chart."""

_UNITS: tuple[tuple[str, int], ...] = (
    ("minute", 1),
    ("minute", 10),
    ("hour", 1),
    ("hour", 6),
    ("day", 1),
    ("month", 1),
    ("year", 1),
    ("year", 10),
    ("year", 100),
    ("year", 200),
)


@dataclass(frozen=True, slots=True)
class CountTimeline:
    """``counts`` of steps that follow each other without a gap, the first one beginning at ``starts[0]``.

    ``step`` names their length, as ``6 hours``. ``before`` and ``after`` count what lies outside, ``unknown`` what has
    no time. Their sum is the number of messages.
    """

    step: str
    starts: tuple[datetime, ...]
    counts: tuple[int, ...]
    before: int = 0
    after: int = 0
    unknown: int = 0


class TimelineBuilder:
    """Takes times, gives a :class:`CountTimeline`."""

    def __init__(self) -> None:
        self._unit = 0
        self._counts: Counter[datetime] = Counter()
        self._unknown = 0

    def add(self, times: pa.Array) -> None:
        """Count an array of timestamps."""
        from pyarrow import compute

        name, multiple = _UNITS[self._unit]
        # Steps of several units are made in Python: Arrow counts them from 1970.
        floored = compute.floor_temporal(times.filter(_within(times)), multiple=1, unit=name)
        self._unknown += len(times) - len(floored)
        for entry in compute.value_counts(floored):
            moment = entry["values"].as_py()
            self._counts[_floor(moment, name, multiple)] += entry["counts"].as_py()
        while len(self._counts) > _MOST_STEPS and self._unit + 1 < len(_UNITS):
            self._coarser()

    def timeline(self) -> CountTimeline | None:
        """Return the counts in at most 72 steps; None where no message has a time.

        A few outliers at each end are omitted where they would make the steps much coarser.
        """
        if not self._counts:
            return None
        full = _fitting(self._counts, self._unit, 0)
        inner = _fitting(self._counts, self._unit, _OUTLYING)
        unit, starts, counts = full if full[0] <= inner[0] + 1 else inner
        before = sum(count for moment, count in counts.items() if moment < starts[0])
        after = sum(count for moment, count in counts.items() if moment > starts[-1])
        name, multiple = _UNITS[unit]
        step = name if multiple == 1 else f"{multiple} {name}s"
        return CountTimeline(step, starts, tuple(counts[start] for start in starts), before, after, self._unknown)

    def _coarser(self) -> None:
        self._unit += 1
        self._counts = _floored(self._counts, self._unit)


def _floored(counts: Counter[datetime], unit: int) -> Counter[datetime]:
    floored: Counter[datetime] = Counter()
    for moment, count in counts.items():
        floored[_floor(moment, *_UNITS[unit])] += count
    return floored


def _fitting(
    counts: Counter[datetime], unit: int, outlying: float
) -> tuple[int, tuple[datetime, ...], Counter[datetime]]:
    """Return the finest unit from ``unit`` on in which all but the ``outlying`` share fits, its steps and counts."""
    while True:
        first, last = _inner(counts, outlying)
        starts = _range(first, last, *_UNITS[unit])
        if starts is not None:
            return unit, starts, counts
        unit += 1
        counts = _floored(counts, unit)


def _inner(counts: Counter[datetime], outlying: float) -> tuple[datetime, datetime]:
    """Return the first and the last step once the ``outlying`` share at each end is left out."""
    ordered = sorted(counts)
    sums = list(accumulate(counts[moment] for moment in ordered))
    edge = int(sums[-1] * outlying)
    first = next(moment for moment, total in zip(ordered, sums, strict=True) if total > edge)
    last = next(moment for moment, total in zip(ordered, sums, strict=True) if total >= sums[-1] - edge)
    return first, last


def _within(times: pa.Array) -> pa.Array:
    """Return which ``times`` are in the years 1 to 9999, the range of Python's dates; null where there is no time."""
    import pyarrow as pa
    from pyarrow import compute

    first, last = (pa.scalar(moment.replace(tzinfo=UTC), times.type) for moment in (datetime.min, datetime.max))
    return compute.and_(compute.greater_equal(times, first), compute.less_equal(times, last))


def _floor(moment: datetime, unit: str, multiple: int) -> datetime:
    moment = moment.replace(tzinfo=UTC, second=0, microsecond=0)
    if unit == "minute":
        return moment.replace(minute=moment.minute - moment.minute % multiple)
    moment = moment.replace(minute=0)
    if unit == "hour":
        return moment.replace(hour=moment.hour - moment.hour % multiple)
    moment = moment.replace(hour=0)
    if unit == "day":
        return moment
    moment = moment.replace(day=1)
    if unit == "month":
        return moment
    return moment.replace(month=1, year=max(1, moment.year - moment.year % multiple))


def _range(first: datetime, last: datetime, unit: str, multiple: int) -> tuple[datetime, ...] | None:
    """Return every step from ``first`` to ``last``; None when they are too many."""
    steps = [first]
    while steps[-1] < last:
        if len(steps) == _MOST_COLUMNS:
            return None
        steps.append(_next(steps[-1], unit, multiple))
    return tuple(steps)


def _next(moment: datetime, unit: str, multiple: int) -> datetime:
    if unit == "month":
        return moment.replace(year=moment.year + moment.month // 12, month=moment.month % 12 + 1)
    if unit == "year":
        return moment.replace(year=moment.year - moment.year % multiple + multiple)
    return moment + timedelta(**{f"{unit}s": multiple})


def spans(moments: Iterable[datetime], step: str) -> list[str]:
    """Return the beginnings of steps as text, as exact as the ``step`` is."""
    form = "%Y-%m-%d %H:%M" if "hour" in step or "minute" in step else "%Y-%m-%d"
    if "month" in step:
        form = "%Y-%m"
    return [f"{moment.year:04d}" if "year" in step else moment.strftime(form) for moment in moments]
