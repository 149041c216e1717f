"""Phrases on those who sent recorded messages: number, languages and queues, without labels that may hold data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.plural import counted

_MOST = 3
_FIRST_DAY = date(1970, 1, 1)


def senders_phrase(sketch: MessageSketch, is_public: Callable[[str], bool], after: date | None = None) -> str:
    """Return ``12 messages, by php, to queue 'orders'``.

    After a day it is ``3 of 12 messages after it``, where the sketch tells the days; the senders are those of all.
    """
    count = counted(sketch.count, "message")
    if after is not None and sketch.days is not None:
        last = (after - _FIRST_DAY).days
        later = sum(times for day, times in sketch.days.items() if day > last)
        count = f"{later:,} of {count} after it"
    languages, queues = shown(sketch.languages, is_public), shown(sketch.queues, is_public)
    return (
        count
        + (f", by {', '.join(languages)}" if languages else "")
        + (f", to queue {', '.join(queues)}" if queues else "")
    )


def shown(labels: Mapping[str, int] | None, is_public: Callable[[str], bool]) -> list[str]:
    """Return the commonest labels, without those that are not public."""
    ordered = sorted((labels or {}).items(), key=lambda item: (-item[1], item[0]))
    public = [f"'{label}'" for label, _ in ordered if is_public(label)]
    return public[:_MOST]
