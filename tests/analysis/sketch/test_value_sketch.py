"""Sketches of values: the laws of a commutative monoid, their bounds, and what they keep."""

from __future__ import annotations

import random

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from inferred import OPTIONS, envelope, sketched, traffic

from babelreg.analysis.sketch import sketch_file
from babelreg.analysis.sketch.traffic_sketch import MAX_LABELS, MessageSketch, TrafficSketch
from babelreg.analysis.sketch.value_sketch import MAX_MEMBERS, MAX_NAMES, MAX_SHAPES

TEXTS = st.sampled_from(
    [*(f"state-{n}" for n in range(MAX_MEMBERS + 4)), "paid", "", "bob@real.org", "2026-11-20", "x" * 60, "a b"]
)
NAMES = st.one_of(
    st.sampled_from(["id", "kind", "email", "4711", "bob@real.org", "comment"]),
    st.integers(0, MAX_NAMES + 60).map("field{}".format),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from([2**60, 2**70, 1.5, 0]), TEXTS),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=4)),
    max_leaves=8,
)
MANY_NAMES = st.integers(0, MAX_NAMES).map(lambda start: {f"field{n}": "paid" for n in range(start, start + 90)})
DATA = st.one_of(st.dictionaries(NAMES, VALUES, max_size=5), st.builds(lambda below: {"by": below}, MANY_NAMES))


@settings(max_examples=fewer(15, 30))
@given(st.lists(DATA, max_size=8), st.randoms(use_true_random=False))
def test_any_order_and_split_gives_the_same_bytes(documents, chance):
    bodies = [envelope(number, data) for number, data in enumerate(documents)]
    whole = sketch_file.encode(traffic(bodies))
    chance.shuffle(bodies)
    parts = []
    while bodies:
        size = chance.randint(1, 4)
        parts.append(traffic(bodies[:size]))
        del bodies[:size]
    parts.append(TrafficSketch(OPTIONS.detectors))
    while len(parts) > 1:
        first, other = (parts.pop(chance.randrange(len(parts))) for _ in range(2))
        if chance.random() < 0.5:
            other = sketch_file.decode(sketch_file.encode(other), OPTIONS.detectors)
        first.merge(other)
        parts.append(first)
    assert sketch_file.encode(parts[0]) == whole


@pytest.mark.parametrize("trees", [8, pytest.param(300, marks=pytest.mark.long)])
def test_random_trees_of_merges_over_each_bound_give_the_same_bytes(trees):
    chance = random.Random(7)
    documents = [
        {
            "kind": chance.choice(["order", "refund"]),
            "state": f"state-{chance.randint(0, MAX_MEMBERS)}",
            "by": {f"field{chance.randint(0, 2 * MAX_NAMES)}": {"state": "paid"} for _ in range(5)},
            **{f"field{chance.randint(0, 8)}": chance.choice([1, -1, 2**64, None, "paid"]) for _ in range(3)},
        }
        for _ in range(300)
    ]
    bodies = [envelope(number, data) for number, data in enumerate(documents)]
    whole = sketch_file.encode(traffic(bodies))
    encoded = [sketch_file.encode(traffic(bodies[at : at + 60])) for at in range(0, 300, 60)]
    for _ in range(trees):
        parts = [sketch_file.decode(part, OPTIONS.detectors) for part in chance.sample(encoded, len(encoded))]
        while len(parts) > 1:
            first, other = (parts.pop(chance.randrange(len(parts))) for _ in range(2))
            first.merge(other)
            parts.append(first)
        assert sketch_file.encode(parts[0]) == whole


@pytest.mark.parametrize(
    "values, texts",
    [
        pytest.param(["paid", "paid", "new"], {"paid": 2, "new": 1}, id="few words"),
        pytest.param([f"v{n}" for n in range(MAX_MEMBERS + 1)], None, id="one too many"),
        pytest.param(["paid", "two words"], None, id="a sentence"),
        pytest.param(["paid", "bob@real.org"], None, id="an address"),
        pytest.param(["paid", "4711"], None, id="a number"),
        pytest.param(["paid", "x" * 41], None, id="a long text"),
        pytest.param(["sk_live_51HxAbCdEfGhIjKlMnOp"], None, id="a secret"),
    ],
)
def test_only_texts_like_members_of_an_enumeration_are_kept(values, texts):
    assert sketched(values).texts == texts


@pytest.mark.parametrize("name", ["email", "password", "first_name", "comment", "city"])
def test_no_text_is_kept_where_the_name_says_that_it_is_about_a_person_or_secret(name):
    sketch = sketched([{name: "paid", "status": "paid"}])
    assert sketch.members is not None
    properties = sketch.members.properties or {}
    assert (properties[name].texts, properties["status"].texts) == (None, {"paid": 1})


def test_names_that_are_data_are_not_kept():
    sketch = sketched([{"by": {"bob@real.org": 1, "4711": 2, "total": 3}}])
    written = sketch_file.encode(_message(sketch))
    assert b"bob" not in written
    assert b"4711" not in written
    assert b"total" in written


def test_an_object_with_too_many_names_is_a_map_without_texts():
    sketch = sketched([{f"field{n}": {"state": "paid"} for n in range(MAX_NAMES + 1)}])
    assert sketch.members is not None
    assert sketch.members.properties is None
    assert sketch.members.values is not None
    assert sketch.members.values.count == MAX_NAMES + 1
    assert b"paid" not in sketch_file.encode(_message(sketch))


def test_shapes_are_told_apart_up_to_a_bound():
    few = sketched([{"a": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}])
    many = sketched([{f"field{n}": 1} for n in range(MAX_SHAPES + 1)])
    assert few.members is not None
    assert many.members is not None
    assert {tuple(sorted(shape)): seen.count for shape, seen in (few.members.shapes or {}).items()} == {
        ("a",): 1,
        ("a", "b"): 2,
    }
    assert many.members.shapes is None


def test_queues_are_counted_up_to_a_bound():
    sketch = traffic([envelope(number, {}) for number in range(MAX_LABELS + 1)])
    assert sketch.messages is not None
    assert sketch.messages["urn:babel:a:b"].queues is None
    assert sketch.messages["urn:babel:a:b"].languages == {"go": MAX_LABELS + 1}


def _message(data) -> TrafficSketch:
    sketch = TrafficSketch(OPTIONS.detectors)
    message = MessageSketch(OPTIONS.detectors)
    message.data = data
    sketch.messages = {"urn:babel:a:b": message}
    return sketch
