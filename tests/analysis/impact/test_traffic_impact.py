"""Counts of messages by two registries: all of them, once, and the same for any split."""

from __future__ import annotations

import pickle
import random
from datetime import date
from itertools import pairwise

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from message_versions import URN, registry
from recorded_changes import DAY_MS, body, data_text, impact_of

from babelreg.analysis.impact.attribution import known_break
from babelreg.analysis.impact.impact_counts import ImpactCounts, Rescue, Sender
from babelreg.analysis.impact.traffic_impact import TrafficImpact
from babelreg.analysis.sketch.window import Window
from babelreg.breaking.check.run import check

SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer", "maximum": 90}, "kind": {"enum": ["x", "y"]}},
}
EDITED = {**SCHEMA, "properties": {"id": {"type": "integer", "maximum": 50}, "kind": {"enum": ["x", "y", "z"]}}}
BILLING = f"owner: team-billing\nlang: go\nconsumes:\n  - urn: {URN}\n    expects:\n      id: {{maximum: 40}}\n"
FILES = {"_services/billing-worker.yaml": BILLING}
BEFORE = registry(data_text(SCHEMA), **FILES)
AFTER = registry(data_text(EDITED), **FILES)
DAMAGED = [b"{", b"\xff\xfe", b"[]", body({"id": 1}, urn="urn:babel:no:body"), b'{"job": "x"}']


def message(number: int) -> bytes:
    chance = random.Random(number)
    data = {"id": chance.randrange(100), "kind": chance.choice("xyz")} if chance.random() < 0.95 else {}
    return body(
        data,
        lang=chance.choice(["php", "go", "cobol"]),
        queue=chance.choice(["orders", "secret-queue"]),
        created_at=chance.choice([0, DAY_MS, 2 * DAY_MS, 3 * DAY_MS + chance.randrange(5)]),
    )


BODIES = [*map(message, range(300)), *DAMAGED]


def reasons(counts: ImpactCounts) -> dict[tuple[str | None, str | None], int]:
    result: dict[tuple[str | None, str | None], int] = {}
    for cell, count in counts.cells.items():
        result[cell.before, cell.after] = result.get((cell.before, cell.after), 0) + count
    return result


def test_every_message_is_in_one_cell_of_the_matrix():
    samples = [{"id": 1}, {"id": 60}, {"id": 95}, {"id": 1, "kind": "z"}, {}, {"id": 60, "kind": "z"}]
    impact, _ = impact_of(BEFORE, AFTER, [*map(body, samples), *DAMAGED])
    assert reasons(impact.counts) == {
        (None, None): 1, (None, "above_maximum"): 1, ("above_maximum", "above_maximum"): 1, ("not_in_enum", None): 1,
        ("missing_required", "missing_required"): 1, ("not_in_enum", "above_maximum"): 1,
        ("invalid_json", "invalid_json"): 1, ("invalid_utf8", "invalid_utf8"): 1,
        ("root_not_an_object", "root_not_an_object"): 1, ("unknown_urn", "unknown_urn"): 1,
        ("missing_meta", "missing_meta"): 1,
    }  # fmt: skip
    assert impact.counts.total == len(samples) + len(DAMAGED)
    assert impact.counts.hurt == {URN: 1}


def test_a_message_that_is_good_now_is_rescued():
    impact, _ = impact_of(BEFORE, AFTER, [body({"id": 1, "kind": "z"}, lang="go"), body({"id": 1})])
    group = impact.counts.groups[Rescue(URN, "not_in_enum")]
    assert group.producers == {Sender("go", None): 1}
    assert group.sample is not None
    assert group.sample.pointer == "/data/kind"


def test_a_message_that_is_declared_now_is_rescued():
    impact, _ = impact_of(registry(None), AFTER, [body({"id": 1}), body({"id": 99})])
    assert impact.counts.groups.keys() == {Rescue(URN, "unknown_urn")}
    assert reasons(impact.counts) == {("unknown_urn", None): 1, ("unknown_urn", "above_maximum"): 1}


def test_names_of_messages_that_no_registry_knows_are_no_keys():
    bodies = [body({}, urn=f"urn:babel:secret:{number}", lang=f"s{number}", queue=f"q{number}") for number in range(9)]
    impact, _ = impact_of(BEFORE, AFTER, bodies)
    assert len(impact.counts.cells) == 1
    assert "secret" not in repr(impact.counts.cells)


@pytest.mark.parametrize("created_at, counted", [
    pytest.param(2 * DAY_MS - 1, "earlier", id="the instant before the first day"),
    pytest.param(2 * DAY_MS, "total", id="the first instant of the first day"),
    pytest.param(4 * DAY_MS - 1, "total", id="the last instant of the last day"),
    pytest.param(4 * DAY_MS, "later", id="the instant after the last day"),
    pytest.param(None, "undated", id="no time"),
    pytest.param(0, "undated", id="the time of a format without one"),
])  # fmt: skip
def test_a_message_is_counted_by_its_time(created_at, counted):
    impact, _ = impact_of(BEFORE, AFTER, [body({"id": 1}, created_at=created_at)], Window(2, date(1970, 1, 4)))
    counts = impact.counts
    assert {name for name in ("earlier", "later", "undated") if getattr(counts, name)} == {counted} - {"total"}
    assert counts.total == (counted in ("total", "undated"))


def test_expectations_are_counted_among_the_messages_that_each_version_accepts():
    impact, _ = impact_of(BEFORE, AFTER, [body({"id": number}) for number in (1, 41, 60, 95)])
    before, after = (each.version for each in impact.evidence.expectations)
    assert (before, after) == (0, 1)
    assert impact.counts.held == {0: 1, 1: 1}
    assert impact.counts.expected == {0: 3, 1: 2}


FINDINGS = check(BEFORE, AFTER)
IMPACT = TrafficImpact(BEFORE, AFTER, [known_break(finding) for finding in FINDINGS])


def counts_of(bodies: list[bytes]) -> ImpactCounts:
    IMPACT.restart()
    IMPACT.add(bodies)
    return IMPACT.counts


WHOLE = counts_of(BODIES)


@settings(max_examples=fewer(25, 40))
@given(st.lists(st.integers(0, len(BODIES)), max_size=4), st.randoms())
def test_any_split_in_any_order_gives_the_same_counts(cuts, chance):
    bounds = [0, *sorted(cuts), len(BODIES)]
    parts = [BODIES[start:end] for start, end in pairwise(bounds)]
    chance.shuffle(parts)
    merged = ImpactCounts()
    for part in parts:
        merged.merge(pickle.loads(pickle.dumps(counts_of(part))))
    assert merged == WHOLE


def test_it_is_pickled_for_other_processes_without_counts():
    impact, _ = impact_of(BEFORE, AFTER, BODIES)
    copy = pickle.loads(pickle.dumps(impact))
    assert copy.counts == ImpactCounts()
    copy.add(BODIES)
    assert copy.counts == impact.counts


def test_a_message_whose_schema_is_equal_is_validated_once():
    impact, _ = impact_of(BEFORE, registry(data_text(SCHEMA), **FILES), [body({"id": 1})])
    route = impact.versions._routes[URN]
    assert route.shared
