"""Examples from samples: no value of them, or those that may be published."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inferred import OPTIONS, schema_of

from babelreg.analysis.infer.examples import kept_examples, synthesised_example
from babelreg.contract import views
from babelreg.schema.dialects import DEFAULT


def kept(*samples):
    return kept_examples(samples, schema_of(samples, format_from=1), OPTIONS.detectors)


def test_a_synthesised_example_has_every_field():
    sample = {
        "email": "bob@real.org",
        "lines": [{"sku": "A"}],
        "at": "2026-11-20T10:00:00Z",
        "n": None,
        "by": {"47": 1},
    }
    schema = schema_of([sample], format_from=1)
    assert synthesised_example(schema) == {
        "email": "ada@example.com",
        "lines": [{"sku": "a"}],
        "at": "2024-02-29T12:00:00Z",
        "n": None,
        "by": {},
    }


@pytest.mark.parametrize(
    "sample, example",
    [
        pytest.param({"status": "paid", "id": 4711}, {"status": "paid", "id": 4711}, id="what is harmless stays"),
        pytest.param({"email": "bob@real.org"}, {"email": "ada@example.com"}, id="personal by its name"),
        pytest.param({"x": "mail bob@real.org"}, {"x": "a"}, id="personal by its form"),
        pytest.param(
            {"lines": [{"sku": "A", "notes": "call Bob"}]}, {"lines": [{"sku": "A", "notes": "a"}]}, id="deep"
        ),
        pytest.param({"shipping_address": {"one": "Main St"}}, {"shipping_address": {"one": "a"}}, id="by an object"),
        pytest.param({"dob": "1984-02-03"}, {"dob": "2024-02-29"}, id="a birth date"),
        pytest.param({"amount": Decimal("12345678901234567.89"), "n": 3}, {"amount": 0, "n": 3}, id="not in a double"),
        pytest.param({"postcode": 10115}, {"postcode": 0}, id="a postcode"),
        pytest.param({"by": {"bob@real.org": 1, "total": 2}}, {"by": {"total": 2}}, id="keys that are data"),
    ],
)
def test_a_kept_example_has_only_what_no_detector_finds(sample, example):
    assert kept(sample) == [example]


def test_three_samples_are_kept_and_equal_ones_once():
    samples = [{"n": n, "email": f"bob{n}@real.org"} for n in (1, 1, 2, 3)]
    assert [example["n"] for example in kept(*samples)] == [1, 2]


FIELDS = st.sampled_from(["total", "email", "lines", "state", "47", "password"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from(["b@c.de", "2026-01-01"])),
    lambda below: st.one_of(st.lists(below, max_size=2), st.dictionaries(FIELDS, below, max_size=2)),
    max_leaves=5,
)


@settings(max_examples=30)
@given(st.lists(st.dictionaries(FIELDS, VALUES, max_size=3), min_size=1, max_size=3))
def test_every_example_is_what_a_producer_may_send(samples):
    schema = schema_of(samples, format_from=1)
    producer = DEFAULT.validator_for(views.both(schema, "tolerant", DEFAULT).producer)
    examples = [
        synthesised_example(schema),
        *kept_examples(samples, schema, OPTIONS.detectors),
    ]
    assert [example for example in examples if not producer.is_valid(example)] == []
