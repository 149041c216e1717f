"""Thresholds are percentages by scope."""

from __future__ import annotations

from decimal import Decimal

from babelreg.model import Thresholds

SETTINGS = Thresholds.of({"total": "5%", "each": "20%", "urn:babel:a:b": "0.5%"})


def test_a_share_alone_is_that_of_all_messages():
    assert Thresholds.of("5%") == Thresholds({"total": Decimal(5)})
    assert Thresholds.of(None) == Thresholds()


def test_a_urn_without_an_entry_has_the_limit_of_each():
    assert (SETTINGS.limit("urn:babel:a:b"), SETTINGS.limit("urn:babel:c:d")) == (Decimal("0.5"), Decimal(20))
    assert Thresholds.of("5%").limit("urn:babel:a:b") is None


def test_another_threshold_replaces_the_one_of_the_same_scope_alone():
    replaced = SETTINGS.replaced_by(Thresholds.of({"total": "1%", "urn:babel:c:d": "2%"}))
    assert replaced.total == Decimal(1)
    assert replaced.urns == {"urn:babel:a:b": Decimal("0.5"), "urn:babel:c:d": Decimal(2)}
