"""Delays of retries whose longest is shorter than the first are an error where they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg import load

MESSAGE = "urn: urn:babel:orders:created\nkind: event\ndata: {type: object}\ndelivery:\n  backoff: %s\n"


def findings(folder: Path, backoff: str) -> list[tuple[str, str, str | None]]:
    (folder / "babelreg.yaml").write_text("version: 1\n")
    (folder / "orders").mkdir()
    (folder / "orders/created.yaml").write_text(MESSAGE % backoff)
    found = load.registry(folder).defects
    return [(f"{each.place.line}:{each.place.column}", each.message, each.fix) for each in found]


@pytest.mark.parametrize(
    "backoff",
    [
        pytest.param("{}", id="only defaults"),
        pytest.param("{first_seconds: 5, longest_seconds: 5}", id="equal"),
        pytest.param("{first_seconds: 300}", id="as long as the default of the longest"),
        pytest.param("{longest_seconds: 1}", id="as long as the default of the first"),
        pytest.param("{first_seconds: 0.1, longest_seconds: 0.5}", id="fractions"),
    ],
)
def test_a_longest_delay_from_the_first_one_on_is_fine(tmp_path: Path, backoff: str) -> None:
    assert findings(tmp_path, backoff) == []


@pytest.mark.parametrize(
    "backoff, place, message, fix",
    [
        pytest.param(
            "{first_seconds: 10, longest_seconds: 5}",
            "5:49",
            "'delivery.backoff.longest_seconds' is 5, less than first_seconds (10)",
            "write longest_seconds: 10 or more",
            id="both are written",
        ),
        pytest.param(
            "{first_seconds: 301}",
            "5:28",
            "'delivery.backoff.first_seconds' is 301, more than longest_seconds (300, its default)",
            "add longest_seconds: 301 or more",
            id="the longest is the default",
        ),
        pytest.param(
            "{longest_seconds: 0.5}",
            "5:30",
            "'delivery.backoff.longest_seconds' is 0.5, less than first_seconds (1, its default)",
            "add first_seconds: 0.5 or less",
            id="the first is the default",
        ),
    ],
)
def test_a_longest_delay_below_the_first_one_is_an_error(
    tmp_path: Path, backoff: str, place: str, message: str, fix: str
) -> None:
    assert findings(tmp_path, backoff) == [(place, message, fix)]
