"""Coverage: its classes, its file, and which falls since an earlier window are judged."""

from __future__ import annotations

import json

import pytest
from drifting import scope_of
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.analysis.drift.coverage import compare_coverage, measured, text
from babelreg.load.registry import coverage_file

URN = "urn:babel:orders:created"
FILES = {
    "orders/created.yaml": f"""\
urn: {URN}
kind: event
aliases: [com.shop.created]
data:
  type: object
  properties:
    a: {{type: string}}
    kind: {{enum: [x, y]}}
    map: {{type: object, additionalProperties: {{type: integer}}}}
"""
}


def sent(times, **data):
    return {"urn": URN, "data": data, "times": times}


def coverage(*messages, days=7):
    return measured(scope_of(FILES, list(messages)).messages, days)


def falls(before, now, days=7):
    compared = compare_coverage(coverage(*before), scope_of(FILES, list(now)).messages, days)
    return [(fall.subject, fall.before, fall.sent, fall.holders) for fall in compared.falls], compared.not_judged


def test_the_file_has_a_class_for_each_field_member_and_alias():
    messages = [sent(100, a="ada@example.com", kind="x"), sent(1, a="b", map={"z1": 1}), sent(0)]
    assert json.loads(text(coverage(*messages))) == {
        "version": 1,
        "window_days": 7,
        "messages": {
            URN: {
                "messages": "100+",
                "aliases": {"com.shop.created": "0"},
                "enums": {"kind": {"x": "100+", "y": "0"}},
                "fields": {"a": "always", "kind": "100+", "map": "1+"},
            }
        },
    }


@pytest.mark.parametrize(
    "count, volume",
    [(0, "0"), (1, "1+"), (99, "1+"), (100, "100+"), (999, "100+"), (1000, "1000+"), (123_456, "100000+")],
)
def test_the_number_of_messages_has_a_class_for_each_power_of_ten(count, volume):
    from babelreg.model.coverage import least, volume_class

    assert volume_class(count) == volume
    assert least(volume) <= count < max(100, 10 * least(volume))


@settings(max_examples=fewer(50))
@given(st.integers(100, 999), st.integers(100, 999))
def test_the_file_stays_the_same_while_classes_do(some, other):
    assert text(coverage(sent(some, a="x"))) == text(coverage(sent(other, a="x")))


def test_a_file_is_read_as_it_was_written():
    before = coverage(sent(100, a="x", kind="x"), sent(1))
    assert coverage_file.parsed(text(before)) == before


@pytest.mark.parametrize(
    "before, now, expected",
    [
        pytest.param([sent(150, a="x")], [sent(150, a="x"), sent(1)], [("'a'", "always", 150, 151)], id="always, and not any more"),
        pytest.param([sent(150, a="x"), sent(1)], [sent(150)], [("'a'", "100+", 0, 150)], id="often, and never"),
        pytest.param([sent(150), sent(1, a="x")], [sent(150)], [("'a'", "1+", 0, 150)], id="seen, and never"),
        pytest.param([sent(150)], [sent(150, a="x")], [], id="a rise"),
        pytest.param([sent(150, kind="x"), sent(120, kind="y")], [sent(90, kind="x"), sent(40, kind="y")], [], id="fewer, within the tenfold that a class spans"),
        pytest.param([sent(150, kind="x"), sent(120, kind="y")], [sent(990, kind="x"), sent(9, kind="y")], [("'y' of 'kind'", "100+", 9, 999)], id="fewer than by chance"),
        pytest.param([sent(150, kind="x"), sent(1, kind="y")], [sent(150, kind="x")], [("'y' of 'kind'", "1+", 0, 150)], id="a member"),
        pytest.param([sent(150, map={"z1": 1})], [sent(150)], [("'map'", "always", 0, 150)], id="what is below is not named"),
    ],
)  # fmt: skip
def test_a_class_falls(before, now, expected):
    assert falls(before, now) == (expected, [])


@pytest.mark.parametrize(
    "before, now, days, reason",
    [
        pytest.param([sent(150, a="x")], [sent(99)], 7, f"{URN} was not compared: 99 of 100 messages", id="a quiet night"),
        pytest.param([sent(1500, a="x")], [sent(999)], 7, f"{URN} was not compared: 999 of 1,000 messages", id="fewer than then"),
        pytest.param([sent(150, a="x")], [], 7, f"{URN} was not compared: 0 of 100 messages", id="no message"),
        pytest.param([sent(150, a="x")], [sent(150)], 1, "nothing was compared: the coverage covers 7 days, this traffic 1", id="another window"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_not_judged(before, now, days, reason):
    assert falls(before, now, days) == ([], [reason])


@settings(max_examples=fewer(40))
@given(st.integers(100, 1500), st.integers(1, 5), st.integers(0, 1500))
def test_less_of_the_same_traffic_never_fails(messages, share, now):
    """A window with a part of the messages has the same shares, so no class falls by that alone."""
    before = [sent(messages, kind="x", a="x"), sent(messages * share, kind="x")]
    part = [sent(now, kind="x", a="x"), sent(now * share, kind="x")] if now else []
    assert falls(before, part)[0] == []


@pytest.mark.parametrize(
    "body, problem",
    [
        pytest.param("{", "Expecting property name", id="no JSON"),
        pytest.param("[]", "it is not an object", id="no object"),
        pytest.param('{"version": 2, "window_days": 1}', "it has version 2, but this babelreg reads version 1", id="another version"),
        pytest.param('{"version": 1, "window_days": 1, "messages": {"u": {"messages": "many"}}}', "'messages' of u is 'many'", id="no class of messages"),
        pytest.param('{"version": 1, "window_days": 1, "messages": {"u": {"fields": {"a": "2+"}}}}', "the class of 'a' of u is '2+'", id="no class"),
        pytest.param("[" * 100_000, "nested too deeply", id="deep"),
    ],
)  # fmt: skip
def test_another_file_is_refused(body, problem):
    with pytest.raises(ValueError, match=problem.replace("(", r"\(").replace("+", r"\+")):
        coverage_file.parsed(body)
