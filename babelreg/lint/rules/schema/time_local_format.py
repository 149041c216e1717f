"""A time in a local notation, or without a time zone.

03/04/2026 is in March or in April, and 10:00 is ten different moments: every consumer guesses. Send Unix
milliseconds as an integer, or an RFC 3339 text in UTC (`format: date-time`, 2026-04-03T08:00:00Z); a day alone
is `format: date`.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        ordered_at: {type: string, description: DD/MM/YYYY HH:MM}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        ordered_at: {type: string, format: date-time}

Fix::

    Add a field of `format: date-time` beside the old one and deprecate the old one in its description, or mint a
    version that replaces it. If the text is only for people, state it in the name or the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"

_TIME = frozenset(words("at on date time timestamp datetime day when birthday dob deadline expiry"))
_DURATIONS = frozenset({"local", "opening", "closing", "zone", "timezone", "interval", "duration", "format", "pattern"})
_PROSE = frozenset(words("text body message note notes comment comments content html markdown template prompt subject"))
_FORMATS = frozenset({"local-date-time", "localdatetime", "date-time-local", "datetime-local", "local-time"})
# DD/MM/YYYY, m-d-y, dd.mm.yy, d/m/Y: day and month before the year
_LAYOUT = LazyPattern(r"\b(?:dd?[./-]mm?[./-](?:yyyy|yy)|mm?[./-]dd?[./-](?:yyyy|yy)|[dm][./-][dm][./-][yY])\b", re.I)
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_LOCAL_DATE = LazyPattern(rf"{_DAY}(?P<mark>[./]){_DAY}(?P=mark)(?:19|20)[0-9]{{2}}\b")
_MONTH_NAME = LazyPattern(
    r"(?:[0-9]{1,2}\.? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? "
    r"(?:[0-9]{1,2}, )?(?:19|20)[0-9]{2}\b"
)
_NO_ZONE = LazyPattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?\Z")
_LONGEST_PATTERN = 200
_DIGITS = r"(?:\\d|\[0-9\]|\[0-3\]|\[01\]|\(0\[1-9\][^/]*\))"
_PATTERN = LazyPattern(rf"^\^?\(?{_DIGITS}[^/]*?\\?/[^/]*{_DIGITS}[^/]*?\\?/[^/]*{_DIGITS}[^/]*\)?\$?$")


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields:
        if "string" in field.types:
            evidence = _local(field)
            if evidence is not None:
                at, reason = evidence
                text = f"{field.shown} is a time in a local format: {reason}"
                fix = "format: date-time (RFC 3339 in UTC), format: date for a day, or an integer of Unix milliseconds"
                yield Problem(text, field.source, at, fix=fix, urn=field.urn)


def _local(field: SchemaField) -> tuple[Pointer, str] | None:
    """Return the pointer of the evidence that the field is a local time, and the evidence, or None."""
    schema, timely = field.schema, _is_time(field.words)
    if schema.get("format") in ("date-time", "date", "time"):
        return None
    if isinstance(form := schema.get("format"), str) and form in _FORMATS:
        return (*field.pointer, "format"), f"format {form}"
    for key in ("description", "title", "$comment") if timely or _PROSE.isdisjoint(field.words) else ():
        layout = _LAYOUT.search(text) if isinstance(text := schema.get(key), str) else None
        if layout and not re.search(r"\b(?:not|never|no)\b", schema[key], re.I):
            return (*field.pointer, key), layout[0]
    pattern = schema.get("pattern")
    if timely and isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN and _PATTERN.match(pattern):
        return (*field.pointer, "pattern"), f"pattern {pattern}"
    for value in field.samples():
        if isinstance(value, str) and _is_local(value, timely):
            return (*field.pointer, "type"), f"it has '{value[:40]}'"
    return None


@lru_cache(maxsize=1 << 12)
def _is_time(named: tuple[str, ...]) -> bool:
    return not _TIME.isdisjoint(named) and _DURATIONS.isdisjoint(named)


def _is_local(value: str, timely: bool) -> bool:
    date = _LOCAL_DATE.match(value)
    if date:
        # 12.10.2026 may also be a version number
        return timely or (date["mark"] == "/" and date.end() == len(value))
    return timely and bool(_MONTH_NAME.match(value) or _NO_ZONE.match(value))
