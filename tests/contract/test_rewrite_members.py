from __future__ import annotations

import json

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract.envelope_edit import with_members
from babelreg.contract.parse import MAX_DEPTH, document


@pytest.mark.parametrize(
    "text, members, expected",
    [
        pytest.param('{"a":1.10,"attempts":0}', {"attempts": 1}, '{"a":1.10,"attempts":1}', id="other bytes stay"),
        pytest.param('{"attempts" : null , "a":1e5}', {"attempts": 2}, '{"attempts" : 2 , "a":1e5}', id="blanks stay"),
        pytest.param('{"a":1}', {"attempts": 1}, '{"a":1,"attempts":1}', id="a member that was not there"),
        pytest.param("{}", {"attempts": 1}, '{"attempts":1}', id="an empty object"),
        pytest.param(' { } \n', {"attempts": 1}, ' {"attempts":1}', id="an empty object with blanks"),
        pytest.param('{"attempts":0,"attempts":1}', {"attempts": 2}, '{"attempts":2,"attempts":2}', id="a repeated key"),
        pytest.param('{"data":{"attempts":0},"attempts":0}', {"attempts": 1},
                     '{"data":{"attempts":0},"attempts":1}', id="the same name deeper"),
        pytest.param('{"a":"\\"attempts\\":0,}","attempts":0}', {"attempts": 1},
                     '{"a":"\\"attempts\\":0,}","attempts":1}', id="the same name in a text"),
        pytest.param('{"\\u0061ttempts":0}', {"attempts": 1}, '{"\\u0061ttempts":1}', id="an escaped key"),
        pytest.param('{"dead_letter":{"reason":"old"}}', {"dead_letter": {"reason": "new"}},
                     '{"dead_letter":{"reason":"new"}}', id="an object in place of an object"),
        pytest.param('{"a":12345678901234567890.123456789}', {"b": 1},
                     '{"a":12345678901234567890.123456789,"b":1}', id="digits that no float holds"),
    ],
)  # fmt: skip
def test_members_are_set_in_the_text(text: str, members: dict[str, object], expected: str) -> None:
    assert with_members(text, members) == expected


@pytest.mark.parametrize(
    "text, gone",
    [
        pytest.param('{"job":"u","timestamp":1}', "timestamp", id="a forbidden key"),
        pytest.param('{"job":"u","meta":{"ts":1,"id":"x"}}', "ts", id="a forbidden meta key"),
        pytest.param('{"urn":"u"}', "urn", id="the inbound alias"),
    ],
)
def test_what_must_not_be_passed_on_is_dropped(text: str, gone: str) -> None:
    again = json.loads(with_members(text, {"attempts": 1}))
    assert gone not in {**again, **again.get("meta", {})}
    assert (again["job"], again["attempts"]) == ("u", 1)


def test_deep_nesting_is_no_trouble() -> None:
    text = '{"data":' + "[" * 50_000 + "]" * 50_000 + ',"attempts":0}'
    assert with_members(text, {"attempts": 1}) == text.replace('"attempts":0', '"attempts":1')


@pytest.mark.parametrize("forbidden", ['"timestamp":1', '"urn":"u"'])
def test_nor_is_it_where_something_must_not_be_passed_on(forbidden: str) -> None:
    deep = "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2)
    text = f'{{"job":"u",{forbidden},"data":{{"a":{deep}}}}}'
    document(text.encode())
    assert with_members(text, {"attempts": 1}) == f'{{"job":"u","data":{{"a":{deep}}},"attempts":1}}'


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
    max_leaves=8,
)
_KEYS = st.text(max_size=4).filter(lambda key: key not in ("urn", "timestamp"))


@settings(max_examples=fewer(60))
@given(
    st.dictionaries(_KEYS | st.just("attempts"), _JSON, max_size=4),
    st.dictionaries(st.sampled_from(["attempts", "dead_letter"]), _JSON, min_size=1),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
def test_it_means_what_setting_the_members_means(
    document: dict[str, object], members: dict[str, object], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    assert json.loads(with_members(text, members)) == {**document, **members}
