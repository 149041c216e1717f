"""Thresholds are percentages by scope."""

from __future__ import annotations

from decimal import Decimal

import pytest

from babelreg.errors import UsageError
from babelreg.model import Thresholds
from babelreg.model.thresholds import parsed

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


@pytest.mark.parametrize(
    "value, expected",
    [
        pytest.param("5%", {"total": "5%"}, id="a share alone"),
        pytest.param(["5%", "urn:babel:a:b=1.5%", "each=0%"], {"total": "5%", "urn:babel:a:b": "1.5%", "each": "0%"},
                     id="texts of a command line"),
        pytest.param({"urn:a=b": "5%"}, {"urn:a=b": "5%"}, id="a mapping"),
        pytest.param(["urn:a=b=5%"], {"urn:a=b": "5%"}, id="an equals sign in a URN"),
        pytest.param((), {}, id="nothing"),
    ],
)  # fmt: skip
def test_thresholds_are_read_as_people_write_them(value, expected):
    assert parsed(value, "--fail-above") == Thresholds.of(expected)


@pytest.mark.parametrize(
    "value, problem",
    [
        pytest.param("5", "'5' is not a percentage", id="without its sign"),
        pytest.param("urn:a=", "'' is not a percentage", id="nothing after the URN"),
        pytest.param("101%", "'101%' is not a percentage", id="more than everything"),
        pytest.param("-1%", "'-1%' is not a percentage", id="less than nothing"),
        pytest.param(["5%", "total=6%"], "'total' has two thresholds", id="twice for one scope"),
    ],
)
def test_another_text_is_wrong_use(value, problem):
    with pytest.raises(UsageError, match=problem):
        parsed(value, "--fail-above")
