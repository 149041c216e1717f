"""A threshold is exceeded by a larger share of quarantined messages, from 100 messages on."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.errors import UsageError
from babelreg.lake.ingest.thresholds import LEAST_MESSAGES, OTHER, UrnCounts, check_known, exceeded
from babelreg.model import Thresholds

A, B = "urn:babel:a:a", "urn:babel:b:b"


@pytest.mark.parametrize(
    "thresholds, counts, scopes",
    [
        pytest.param("5%", UrnCounts({A: 95}, {}, {A: {"x": 5}}), [], id="exactly the limit"),
        pytest.param("5%", UrnCounts({A: 94}, {}, {A: {"x": 6}}), ["total"], id="above the limit"),
        pytest.param("5%", UrnCounts({A: 49}, {}, {A: {"x": 50}}), [], id="fewer than 100 messages"),
        pytest.param("0%", UrnCounts({A: 999}, {}, {A: {"x": 1}}), ["total"], id="none at all is accepted"),
        pytest.param("100%", UrnCounts({}, {}, {A: {"x": 200}}), [], id="everything is accepted"),
        pytest.param("5%", UrnCounts({A: 1}, {A: 94}, {A: {"x": 5}}), [], id="duplicates are read, too"),
        pytest.param("5%", UrnCounts({A: 90}, {}, {OTHER: {"poison": 10}}), ["total"], id="no URN counts in all"),
        pytest.param(
            {"each": "5%"}, UrnCounts({A: 900}, {}, {OTHER: {"poison": 500}}), [], id="no URN counts for no URN"
        ),
        pytest.param(
            {"each": "5%"}, UrnCounts({A: 900, B: 80}, {}, {B: {"x": 20}}), [B], id="each URN by itself"
        ),
        pytest.param(
            {"each": "5%", B: "30%"}, UrnCounts({B: 80}, {}, {B: {"x": 20}}), [], id="a URN's own limit"
        ),
        pytest.param(
            {A: "5%"}, UrnCounts({A: 900, B: 1}, {}, {B: {"x": 900}}), [], id="another URN does not count"
        ),
        pytest.param({A: "5%"}, UrnCounts({A: 9, B: 900}, {}, {A: {"x": 90}}), [], id="fewer than 100 of the URN"),
        pytest.param(
            {"total": "1%", "each": "1%"}, UrnCounts({}, {}, {B: {"x": 100}, A: {"x": 100}}), ["total", A, B],
            id="all that are exceeded",
        ),
    ],
)  # fmt: skip
def test_a_larger_share_exceeds_a_threshold(thresholds: Any, counts: UrnCounts, scopes: list[str]) -> None:
    assert [above.scope for above in exceeded(Thresholds.of(thresholds), counts)] == scopes


def test_an_exceeded_threshold_has_its_figures() -> None:
    counts = UrnCounts({A: 1_000}, {A: 7}, {A: {"x": 2, "y": 40}, OTHER: {"x": 12}})
    total, own = exceeded(Thresholds.of({"total": "5%", A: "0.5%"}), counts)
    assert (total.limit, total.share, total.read, total.quarantined) == ("5%", "5.09%", 1_061, 54)
    assert (own.limit, own.share, own.reasons) == ("0.5%", "4.01%", {"y": 40, "x": 2})


def test_a_share_above_its_limit_reads_so() -> None:
    counts = UrnCounts({A: 94_999}, {}, {A: {"x": 5_001}})
    (above,) = exceeded(Thresholds.of("5%"), counts)
    assert (above.share, above.limit) == ("5.01%", "5%")


COUNTS = st.dictionaries(st.sampled_from([A, B, OTHER]), st.dictionaries(st.sampled_from("xyz"), st.integers(1, 300)))


@given(st.dictionaries(st.sampled_from([A, B]), st.integers(1, 300)), COUNTS, st.integers(0, 100))
def test_a_higher_limit_exceeds_no_more(accepted: Mapping[str, int], refused: Any, percent: int) -> None:
    counts = UrnCounts(accepted, {}, refused)
    low = {above.scope for above in exceeded(Thresholds({"total": Decimal(percent), "each": Decimal(percent)}), counts)}
    high = {above.scope for above in exceeded(Thresholds({"total": Decimal(100), "each": Decimal(100)}), counts)}
    assert high == set()
    assert ("total" in low) == (
        counts.read() >= LEAST_MESSAGES and sum(counts.reasons().values()) * 100 > percent * counts.read()
    )
    assert counts.read() == sum(map(counts.read, [*counts.urns, OTHER]))


def test_a_threshold_of_an_unknown_urn_is_refused() -> None:
    check_known(Thresholds.of({"total": "1%", "each": "1%", A: "1%"}), [A], "--fail-above")
    with pytest.raises(UsageError, match="--fail-above limits 'urn:babel:a:aa', which is not in the registry"):
        check_known(Thresholds.of({"urn:babel:a:aa": "1%"}), [A], "--fail-above")
