"""Schemas of samples: their keywords, and the property that they accept their samples in both views."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from inferred import inferred, schema_of

from babelreg.contract import views
from babelreg.load.yaml import parser
from babelreg.load.yaml.yaml_text import yaml_text
from babelreg.schema.dialects import DEFAULT

SAFE = {"minimum": 0, "maximum": 2**53 - 1}


@pytest.mark.parametrize(
    "values, schema",
    [
        pytest.param(["a"], {"type": "string"}, id="a text"),
        pytest.param(["a", None], {"type": ["string", "null"]}, id="a text or null"),
        pytest.param([None], {}, id="only null: nothing shows the type"),
        pytest.param([1, 2], {"type": "integer", **SAFE}, id="integers"),
        pytest.param([1, -2], {"type": "integer", **SAFE, "minimum": -(2**53 - 1)}, id="negative integers"),
        pytest.param([1, 1.5], {"type": "number"}, id="numbers"),
        pytest.param([1.0], {"type": "number"}, id="a number that happens to be integral"),
        pytest.param([2**60], {"type": "integer"}, id="an integer that no float holds"),
        pytest.param([[1], []], {"type": "array", "items": {"type": "integer", **SAFE}}, id="lists"),
        pytest.param([[]], {"type": "array", "items": {}}, id="an empty list"),
        pytest.param([[None]], {"type": "array", "items": {}}, id="a list of nulls"),
        pytest.param([{}], {"type": "object", "properties": {}}, id="an empty object"),
    ],
)
def test_a_field_has_the_types_that_were_seen(values, schema):
    result = schema_of([{"f": value} for value in values])["properties"]["f"]
    assert result == schema


@pytest.mark.parametrize(
    "texts, found",
    [
        pytest.param(["2026-11-20T10:00:00Z"], "date-time", id="an instant"),
        pytest.param(["2018-04-25 20:42:10"], None, id="a space where RFC 3339 has a T"),
        pytest.param(["2026-11-20T10:00:00+0100"], None, id="an offset without a colon"),
        pytest.param(["2026-11-20"], "date", id="a day"),
        pytest.param(["2026-11-20", "2026-13-20"], None, id="a date that is none"),
        pytest.param(["a@example.com"], "email", id="an address"),
        pytest.param(["Ada <a@example.com>"], None, id="an address with a name"),
        pytest.param(["https://api.github.com/users/ada"], "uri", id="a URI"),
        pytest.param(["https://api.github.com/users/ada{/other}"], None, id="a template of URIs"),
        pytest.param(["https://example.com/ä"], None, id="an IRI"),
        pytest.param(["orders:created"], None, id="a word with a colon, which is a URI by its grammar"),
        pytest.param(["0B54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11"], "uuid", id="an identifier"),
        pytest.param(["10.0.0.1"], "ipv4", id="an address of a host"),
        pytest.param(["fe80::1"], "ipv6", id="a long address of a host"),
        pytest.param(["2026-11-20", "x"], None, id="not every text"),
        pytest.param([""], None, id="an empty text"),
    ],
)
def test_a_format_is_that_of_the_validator(texts, found):
    assert schema_of([{"f": text} for text in texts], format_from=1)["properties"]["f"].get("format") == found


@pytest.mark.parametrize(
    "count, schema, evidence",
    [
        pytest.param(19, {"type": "string"}, "optional: 19 of 19; perhaps date: all of only 19", id="a hint"),
        pytest.param(20, {"type": "string", "format": "date"}, "required: 20 of 20; date: all of 20", id="a decision"),
    ],
)
def test_a_format_is_decided_from_twenty_texts(count, schema, evidence):
    result = inferred([{"f": "2026-11-20"}] * count)
    assert result.schema["properties"]["f"] == schema
    assert result.evidence["properties", "f"] == evidence


@pytest.mark.parametrize(
    "key",
    [
        "bob@real.org", "+49 170 1234567", "4711", "cust_88417", "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11", "2026-11-20",
        "sk_live_51HxAbCdEfGhIjKlMnOp", "https://bob.io/", "10.0.0.1", "a\nb", "\ud800", "x" * 65, "${env:HOME}",
    ],
)  # fmt: skip
def test_names_that_are_data_are_keys_of_a_map(key):
    schema = schema_of([{"by": {key: 1, "total": 2}}, {"by": {}}])
    by = schema["properties"]["by"]
    assert list(by["properties"]) == ["total"]
    assert by["additionalProperties"] == {"type": "integer", **SAFE}
    assert key not in repr(schema)


TEXTS = [
    "2026-02-30", "2026-02-28", "2026-02-28T25:00:00Z", "2026-02-28T05:00:60Z", "a@b", "a@b.c", "http://x", "http://",
    "https://x.y/z", "https://x.y/{z}", "a..b@c.de", "2026-02-28T05:00:00.123+99:00", "http://[::1", "http://a b", "::1",
    "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11", "1.2.3.4", "01.2.3.4", "2016-12-31t23:59:60z", '"a b"@c.de', "a@[1.2.3.4]",
]  # fmt: skip
NAMES = st.sampled_from(["a", "b", "c", "", "$ref", "$id", "$schema", "properties", "null", "1e3", "a@b.c", "47", "é"])
NUMBERS = st.one_of(st.integers(), st.integers(2**52, 2**70), st.floats(allow_nan=False, allow_infinity=False))
FORMATS = jsonschema.FormatChecker(["email", "ipv4", "ipv6", "uri", "uuid"])
"""Of the dates, the second validator refuses leap seconds and the year 0000."""
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(), st.sampled_from(TEXTS)),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=3)),
    max_leaves=8,
)
SAMPLES = st.lists(st.dictionaries(NAMES, JSON, max_size=3), min_size=1, max_size=4)


@settings(max_examples=fewer(50))
@given(SAMPLES)
def test_the_schema_accepts_its_samples_in_both_views(samples):
    read = parser.read(yaml_text({"data": schema_of(samples, format_from=1)}, "message"))["data"]
    both = views.both(read, "tolerant", DEFAULT)
    for view in (read, both.reader, both.producer):
        validator = DEFAULT.validator_for(view)
        second = jsonschema.Draft202012Validator(view, format_checker=FORMATS)
        for sample in samples:
            assert validator.is_valid(sample), (view, sample)
            assert second.is_valid(sample), (view, sample)


@settings(max_examples=fewer(50))
@given(st.lists(SAMPLES, min_size=2, max_size=3))
def test_more_samples_never_refuse_what_fewer_allowed(groups):
    schema = schema_of([sample for group in groups for sample in group], format_from=1)
    validator = DEFAULT.validator_for(schema)
    assert all(validator.is_valid(sample) for group in groups for sample in group)


def test_samples_that_nest_deeper_than_a_file_may_are_accepted():
    sample = {"a": [1, "x"]}
    for _ in range(450):
        sample = {"a": [sample]}
    schema = parser.read(yaml_text(schema_of([sample]), "message"))
    assert DEFAULT.validator_for(schema).is_valid(sample)


@pytest.mark.long
def test_the_webhooks_of_github_are_accepted_by_the_schema_made_from_them():
    if "BABELREG_OCTOKIT" not in os.environ:
        pytest.skip("NOT HELD AGAINST GITHUB'S WEBHOOKS: run tests/gen/fetch_octokit.py, then set BABELREG_OCTOKIT")
    folder = Path(os.environ["BABELREG_OCTOKIT"]) / "webhooks-examples" / "package"
    refused = []
    for path in sorted(folder.glob("*/index.json")):
        for event in json.loads(path.read_text()):
            both = views.both(schema_of(event["examples"], format_from=1), "tolerant", DEFAULT)
            reader, producer = (DEFAULT.validator_for(view) for view in (both.reader, both.producer))
            refused += [event["name"] for e in event["examples"] if not reader.is_valid(e) or not producer.is_valid(e)]
    assert refused == []
