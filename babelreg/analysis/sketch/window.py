"""Window of time: the days before a given one, in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Window:
    """The last ``days`` days, of which ``last_day`` is the last one."""

    days: int
    last_day: date

    @property
    def first_day(self) -> date:
        """The first day of the window."""
        return self.last_day - timedelta(days=self.days - 1)

    @property
    def begin_ms(self) -> int:
        """The first instant of the window, in Unix milliseconds."""
        return int(datetime.combine(self.first_day, datetime.min.time(), UTC).timestamp()) * 1000

    @property
    def end_ms(self) -> int:
        """The first instant after the window, in Unix milliseconds."""
        return self.begin_ms + self.days * _DAY_MS

    def holds(self, created_ms: int | None) -> bool:
        """Return True for a time in the window, and for an unknown one."""
        return created_ms is None or self.begin_ms <= created_ms < self.end_ms

    def __str__(self) -> str:
        plural = "" if self.days == 1 else "s"
        return f"{self.days} day{plural} to {self.last_day.isoformat()}"
