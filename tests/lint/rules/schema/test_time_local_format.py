from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("at: {type: string, format: date-time}", [], id="RFC 3339"),
        pytest.param(
            "at: {type: string, format: date-time, description: Not DD/MM/YYYY.}", [], id="RFC 3339, in words"
        ),
        pytest.param("at: {type: integer, description: Unix milliseconds.}", [], id="Unix milliseconds"),
        pytest.param("born: {type: string, description: DD/MM/YYYY}", ["born"], id="a layout in the description"),
        pytest.param("born: {type: string, description: 'The day, as mm-dd-yyyy'}", ["born"], id="the American one"),
        pytest.param("born: {type: string, description: d.m.Y}", ["born"], id="PHP's letters"),
        pytest.param("text: {type: string, description: Dates as mm/dd/yyyy stay.}", [], id="in a text for people"),
        pytest.param("born: {type: string, description: YYYY-MM-DD}", [], id="the ISO one"),
        pytest.param("day: {type: string, pattern: '^\\d{2}/\\d{2}/\\d{4}$'}", ["day"], id="a pattern"),
        pytest.param("day: {type: string, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'}", [], id="an ISO pattern"),
        pytest.param("path: {type: string, pattern: '^\\d+/\\d+/\\d+$'}", [], id="a path of numbers"),
        pytest.param("day: {type: string, examples: [24/12/2026]}", ["day"], id="an example"),
        pytest.param("day: {type: string, examples: [24.12.2026]}", ["day"], id="an example with dots"),
        pytest.param("release: {type: string, examples: [24.12.2026]}", [], id="it may be a version"),
        pytest.param("sent_at: {type: string, examples: ['2026-12-24 10:00:00']}", ["sent_at"], id="no zone"),
        pytest.param("sent_at: {type: string, examples: ['2026-12-24T10:00:00Z']}", [], id="a zone"),
        pytest.param("sent_at: {type: string, examples: ['Dec 24, 2026']}", ["sent_at"], id="a month by name"),
        pytest.param("note: {type: string, examples: ['May 2026 be good']}", [], id="prose"),
        pytest.param("opening_time: {type: string, examples: ['09:00']}", [], id="a time of day"),
        pytest.param("local_time: {type: string, examples: ['2026-12-24T10:00']}", [], id="meant to be local"),
        pytest.param("at: {type: string, format: local-date-time}", ["at"], id="a format"),
        pytest.param("at: {type: string, format: [local-date-time]}", [], id="a list where a format belongs"),
    ],
)
def test_time_local_format(field: str, found: list[str], in_data: InData) -> None:
    assert in_data("time-local-format", field) == found


def test_an_example_of_the_message_counts(in_data: InData) -> None:
    more = "examples: [{day: 24/12/2026}]\n"
    assert in_data("time-local-format", "day: {type: string}", more=more) == ["day"]
