"""One parser profile: the same value, or the same refusal, for every reader."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import parse, reason


def refused(body: bytes, **bounds: int) -> str | None:
    try:
        parse.document(body, **bounds)
    except parse.ParseError as err:
        return err.reason
    return None


def nested(depth: int, inner: str = "1") -> bytes:
    return ('{"data":' + '{"a":' * (depth - 1) + inner + "}" * depth).encode()


@pytest.mark.parametrize(
    "body, found",
    [
        pytest.param(b"{}", None, id="an object"),
        pytest.param(b" \t\r\n{} \n", None, id="JSON's own white space around it"),
        pytest.param(b"\x0b{}", "invalid_json", id="a vertical tab is no white space of JSON"),
        pytest.param(b"", "invalid_json", id="nothing"),
        pytest.param(b"null", "root_not_an_object", id="null"),
        pytest.param(b"[{}]", "root_not_an_object", id="an array"),
        pytest.param(b'"a"', "root_not_an_object", id="a string"),
        pytest.param(b"12345678901234567890123", "root_not_an_object", id="a long number"),
        pytest.param(b'\xef\xbb\xbf{"a":1}', "invalid_json", id="a byte order mark"),
        pytest.param(b'{"a":"\xff"}', "invalid_utf8", id="a byte that is not UTF-8"),
        pytest.param(b'{"a":"\xed\xa0\x80"}', "invalid_utf8", id="a surrogate in UTF-8"),
        pytest.param(b'{"a":"\xc0\xaf"}', "invalid_utf8", id="an overlong sequence"),
        pytest.param("{}".encode("utf-16"), "invalid_utf8", id="UTF-16"),
        pytest.param(b'{"a":NaN}', "invalid_json", id="NaN"),
        pytest.param(b'{"a":-Infinity}', "invalid_json", id="Infinity"),
        pytest.param(b'{"a":01}', "invalid_json", id="a leading zero"),
        pytest.param(b'{"a":1,}', "invalid_json", id="a comma too many"),
        pytest.param(b"{'a':1}", "invalid_json", id="single quotes"),
        pytest.param(b'{"a":1} // no', "invalid_json", id="a comment"),
        pytest.param(b'{"a":1}{"b":2}', "invalid_json", id="two objects"),
        pytest.param(b'{"a":"\t"}', "invalid_json", id="a raw control character"),
        pytest.param(b'{"a":1}\x00', "invalid_json", id="a null byte after it"),
        pytest.param(b'{"a":"\\ud800"}', None, id="an unpaired surrogate is within the grammar"),
        pytest.param(b'{"data":{"n":1e400}}', "number_out_of_range", id="a number in data beyond a double"),
        pytest.param(b'{"data":{"n":[' + b"9" * 400 + b"]}}", "number_out_of_range", id="an integer beyond a double"),
        pytest.param(b'{"extra":1e400}', None, id="elsewhere only the grammar counts"),
        pytest.param(b'{"extra":' + b"9" * 5000 + b"}", None, id="and so it does for endless integers"),
        pytest.param(nested(1000), None, id="a thousand levels"),
        pytest.param(nested(1000, "12345678901234567890"), None, id="a thousand levels and a long integer"),
        pytest.param(nested(1024), None, id="the bound"),
        pytest.param(nested(1025), "too_deep", id="one above the bound"),
        pytest.param(b"[" * 100_000, "too_deep", id="a hundred thousand brackets"),
        pytest.param(b'\\"x' * 200_000, "invalid_json", id="a string that never ends, with many quotes"),
        pytest.param(b'{"a":"' + b"[" * 5000 + b'"}', None, id="brackets in a string are no nesting"),
        pytest.param(b'{"a":"\\"' + b"[" * 5000 + b'",}', "invalid_json", id="nor are they after an escaped quote"),
    ],
)
def test_document_takes_or_refuses(body: bytes, found: str | None) -> None:
    assert refused(body) == found
    assert found is None or reason.kind(found) == "poison"


def test_the_size_is_bounded() -> None:
    assert refused(b'{"a":1}', max_bytes=7) is None
    assert refused(b'{"a":1}', max_bytes=6) == "too_large"


@pytest.mark.parametrize(
    "literal",
    ["9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1" * 300],
)
def test_no_digit_of_an_integer_is_lost(literal: str) -> None:
    assert parse.document(b'{"data":{"n":%s}}' % literal.encode())["data"]["n"] == int(literal)


def test_the_last_value_of_a_repeated_key_wins() -> None:
    assert parse.document(b'{"a":{"x":1},"a":{"y":2}}') == {"a": {"y": 2}}
    assert parse.document(b'{"a":{"x":1},"n":12345678901234567890123,"a":{"y":2}}')["a"] == {"y": 2}


def test_a_deep_body_leaves_the_interpreter_as_it_was() -> None:
    before = sys.getrecursionlimit()
    parse.document(nested(1000, "12345678901234567890"))
    assert sys.getrecursionlimit() == before


def test_bare_data_may_be_any_value_within_a_double() -> None:
    assert parse.bare(b"[1,2]") == [1, 2]
    with pytest.raises(parse.ParseError, match="range of a double"):
        parse.bare(b"[1e400]")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4).filter(str.isprintable), below),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=fewer(100, 200), deadline=None)
@given(st.dictionaries(st.sampled_from(["job", "data", "x"]), JSON), st.booleans(), st.sampled_from([None, 1]))
def test_everything_json_writes_is_read_as_it_was(value: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    read = parse.document(text.encode())
    assert read == value
    assert json.dumps(read) == json.dumps(value)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=40) | st.text(alphabet='{}[]",:0123456789.eE-+\\ tfn', max_size=30).map(str.encode))
def test_whatever_comes_is_read_or_refused(body: bytes) -> None:
    found = refused(body)
    assert found is None or found in reason.REASONS
    if found is None:
        assert isinstance(json.loads(body), dict)
