"""Schemas of samples: what they say, and the law that they accept their samples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.exchange.samples.inference import inferred_schema, masked
from babelreg.schema.dialects import DEFAULT

SAFE = {"minimum": 0, "maximum": 2**53 - 1}


def no_category(name):
    return None


@pytest.mark.parametrize(
    "values, schema",
    [
        pytest.param(["a"], {"type": "string"}, id="a text"),
        pytest.param(["a", None], {"type": ["string", "null"]}, id="a text or null"),
        pytest.param([None], {"type": ["string", "null"]}, id="only null"),
        pytest.param([1, 2], {"type": "integer", **SAFE}, id="integers"),
        pytest.param([1, -2], {"type": "integer", **SAFE, "minimum": -(2**53 - 1)}, id="negative integers"),
        pytest.param([1, 1.5], {"type": "number"}, id="numbers"),
        pytest.param([2**60], {"type": "integer"}, id="an integer that no float holds"),
        pytest.param(["2026-11-20T10:00:00Z"], {"type": "string", "format": "date-time"}, id="an instant"),
        pytest.param(["2026-11-20", "2026-13-20"], {"type": "string"}, id="a date that is none"),
        pytest.param(["a@example.com"], {"type": "string", "format": "email"}, id="an address"),
        pytest.param([[1], []], {"type": "array", "items": {"type": "integer", **SAFE}}, id="lists"),
        pytest.param([[]], {"type": "array", "items": {}}, id="an empty list"),
    ],
)
def test_a_field_has_the_types_that_were_seen(values, schema):
    result = inferred_schema([{"f": value} for value in values], no_category)["properties"]["f"]
    assert {key: value for key, value in result.items() if key != "description"} == schema


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(),
              st.sampled_from(["2026-02-30", "2026-02-28", "2026-02-28T25:00:00Z", "2026-02-28T05:00:60Z", "a@b", "a@b.c",
                               "http://x", "https://x.y/z", "a..b@c.de", "2026-02-28T05:00:00.123+99:00",
                               "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11"])),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(st.sampled_from("abc"), below, max_size=3)),
    max_leaves=8,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3), min_size=1, max_size=4))
def test_the_schema_accepts_its_samples_and_the_masked_ones(samples):
    schema = inferred_schema(samples, lambda name: "name" if name == "a" else None)
    validator = DEFAULT.validator_for(schema)
    for sample in samples:
        assert validator.is_valid(sample), (schema, sample)
        assert validator.is_valid(masked(sample, schema)), (schema, masked(sample, schema))


def test_personal_values_are_masked():
    samples = [{"email": "bob@real.org", "born": "1990-01-01", "names": [{"first": "Bob"}]}]
    schema = inferred_schema(samples, {"email": "email", "first": "name"}.get)
    assert masked(samples[0], schema) == {"email": "ada@example.com", "born": "1990-01-01", "names": [{"first": "..."}]}
