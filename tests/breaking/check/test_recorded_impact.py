"""Reports of ``babelreg impact`` at the findings of ``breaking``: counts of the same change, and no others."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from babelreg.breaking.check.recorded_impact import read, with_traffic
from babelreg.errors import InputError
from babelreg.finding import Finding, FragmentUse, Place, Severity

TODAY = date(2026, 11, 27)
FINDING = Finding("type-changed", Severity.ERROR, "", Place("a.yaml"), urn="urn:babel:a:b", change="c1", breaks=("x",))
ENTRY = {"key": "k", "changes": ["c1"], "judged": True, "count": 0, "messages_seen": 1_203_441}
WINDOW = {"days": 30, "first_day": "2026-10-29", "last_day": "2026-11-27"}


@pytest.fixture
def report(tmp_path):
    """A function that writes a report with one finding, and reads it."""

    def written(window=WINDOW, **members):
        path = tmp_path / "impact.json"
        value = {
            "babelreg_impact": 1,
            "findings": [{**ENTRY, **members, "more": 1}],
            "seen": {},
            "window": window,
            "x": 1,
        }
        path.write_text(json.dumps(value))
        return read(path)

    return written


def counted(report, finding=FINDING):
    findings, unknown = with_traffic([finding], ["k"], report, TODAY)
    return findings[0].breaks[:-1], unknown


@pytest.mark.parametrize("members, lines", [
    pytest.param({}, ("in theory; 0 of 1,203,441 messages in the 30 days to 2026-11-27",), id="no message"),
    pytest.param(
        {"count": 410, "messages_seen": 787}, ("410 of 787 messages in the 30 days to 2026-11-27 (52.1 %)",), id="half",
    ),
    pytest.param({"count": 1, "window": None, "messages_seen": 1}, ("1 of 1 message recorded (100.0 %)",), id="no window"),
    pytest.param({"messages_seen": 0}, (), id="nothing was seen"),
    pytest.param({"judged": False}, (), id="recorded messages cannot tell"),
])  # fmt: skip
def test_a_finding_has_the_messages_that_it_would_have_refused(report, members, lines):
    assert counted(report(**members)) == (lines, 0)


@pytest.mark.parametrize("entry, finding", [
    pytest.param({"changes": ["c2"]}, FINDING, id="of another change"),
    pytest.param({"key": "other"}, FINDING, id="another finding"),
    pytest.param({}, replace(FINDING, change=None, messages=(FragmentUse("u", "a", "c1"), FragmentUse("v", "a", "c3"))),
                 id="of a change in fewer messages"),
])  # fmt: skip
def test_counts_of_another_change_are_not_taken(report, entry, finding):
    assert counted(report(**entry), finding) == ((), 1)


@pytest.mark.parametrize("window, expires", [
    pytest.param({**WINDOW, "days": 7}, "2026-12-04", id="as many days as the window has"),
    pytest.param(None, "2026-12-27", id="thirty days without a window"),
])  # fmt: skip
def test_a_waiver_may_hold_as_long_as_its_evidence(report, window, expires):
    findings, _ = with_traffic([FINDING], ["k"], report(window=window), TODAY)
    assert findings[0].traffic is not None
    assert findings[0].traffic.expires == expires


@pytest.mark.parametrize(
    "text", ['{"urn:babel:a:b": 3}', "urn,count\nurn:babel:a:b,3\n", "", "[1]", '["babelreg_impact"]']
)
def test_any_other_file_is_left_to_the_reader_of_counts(tmp_path, text):
    path = tmp_path / "counts"
    path.write_text(text)
    assert read(path) is None


@pytest.mark.parametrize("value, message", [
    pytest.param({"babelreg_impact": 2}, "is a report of version 2, but this babelreg reads version 1", id="another version"),
    pytest.param({"babelreg_impact": 1}, "is not a report of `babelreg impact`: ", id="without findings"),
    pytest.param({"babelreg_impact": 1, "findings": [{**ENTRY, "count": "1"}]}, "'findings[0].count' is not an integer",
                 id="a text for a count"),
    pytest.param({"babelreg_impact": 1, "findings": [3]}, "'findings[0]' is not an object", id="a number for a finding"),
])  # fmt: skip
def test_a_damaged_report_is_refused(tmp_path, value, message):
    path = tmp_path / "impact.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError) as raised:
        read(path)
    assert message in str(raised.value)
    assert raised.value.fix is not None
