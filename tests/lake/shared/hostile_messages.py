"""Odd and hostile messages, each with the place where it must end: a row as it should be, or quarantine and why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

__all__ = ["CASES", "FILES", "SCHEMA", "URN", "Case"]

URN = "urn:babel:shop:thing"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "d": {"type": "number"},
        "price": {"type": "number", "x-spark-type": "decimal(7,2)"},
        "s": {"type": "string"},
        "maybe": {"type": ["integer", "null"]},
        "kind": {"enum": ["a", "b"]},
        "at": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "scan": {"type": "string", "x-spark-type": "binary"},
        "free": {},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "a.b": {"type": "integer"},
        'q"`': {"type": "integer"},
    },
}
FILES = {
    "babelreg.yaml": "version: 1\n",
    "shop/_context.yaml": "owner: team\ndescription: A shop.\n",
    "shop/thing.yaml": json.dumps(
        {"urn": URN, "kind": "event", "owner": "team", "description": "A thing.", "queue": "q", "data": SCHEMA}
    ),
}
"""The registry's files by path."""

_DEEP = 600
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Case:
    """One message.

    ``becomes`` is the cell of the table in docs/spark.md, and where it ends: ``quarantine: REASON`` with ``pointer``, else a row with
    ``columns`` (those named) and with ``text`` in its ``data_json`` (by default the data as it was sent).
    """

    what: str
    body: bytes
    becomes: str
    pointer: str = ""
    columns: Mapping[str, Any] | None = None
    text: str | None = None

    @property
    def reason(self) -> str | None:
        """Why it is in quarantine; None where it is in the table."""
        return self.becomes.removeprefix("quarantine: ").strip("`") if self.becomes.startswith("quarantine: ") else None


def _message(data: str | bytes, **members: str) -> bytes:
    """An envelope with this text as its ``data``; ``members`` are texts in place of others."""
    meta = members.pop("meta", '{"id":"m","queue":"q","lang":"go","schema_version":1,"created_at":1780000000123}')
    rest = {"trace_id": '"t"', "attempts": "0", **members}
    tail = "".join(f',"{name}":{text}' for name, text in rest.items())
    return (
        f'{{"job":"{URN}","data":'.encode()
        + (data.encode() if isinstance(data, str) else data)
        + f',"meta":{meta}{tail}}}'.encode()
    )


def _refused(what: str, body: bytes | str, reason: str, pointer: str = "") -> Case:
    return Case(what, _message(body) if isinstance(body, str) else body, f"quarantine: `{reason}`", pointer)


def _row(what: str, data: str, becomes: str, columns: Mapping[str, Any], text: str | None = None) -> Case:
    return Case(what, _message(data), becomes, "", columns, data if text is None else text)


_GOOD = _message("{}")
_TEN_MEGABYTES = "x" * (10 * _MEGABYTE)
_DIGITS = "1" + "0" * 28 + "7"

CASES = [
    _refused("Bytes that are not UTF-8", _message(b'{"s":"\xc3\x28"}'), "invalid_utf8"),
    _refused("UTF-16", _GOOD.decode().encode("utf-16"), "invalid_utf8"),
    _refused("A byte order mark before the message", b"\xef\xbb\xbf" + _GOOD, "invalid_json"),
    _refused("`NaN`, `Infinity`", '{"d":NaN}', "invalid_json"),
    _refused("`'single quotes'`, comments, trailing commas", "{'n':1}", "invalid_json"),
    _refused("Bytes after the message", _GOOD + b" x", "invalid_json"),
    _refused("Two messages on one line", _GOOD + _GOOD, "invalid_json"),
    _refused("A truncated message", _GOOD[:-7], "invalid_json"),
    _refused("A line of one byte", b"x", "invalid_json"),
    _refused("JSON that is not an object", b"[" + _GOOD + b"]", "root_not_an_object"),
    _row("A duplicate key", '{"n":1,"n":2}', "a row; the last one wins", {"n": 2}, '{"n":2}'),
    _row(
        "600 levels of nesting",
        '{"free":' + "[" * _DEEP + "]" * _DEEP + "}",
        "a row; also in a column whose schema allows anything",
        {"free": "[" * _DEEP + "]" * _DEEP},
    ),
    _refused("More than 1,024 levels", '{"free":' + "[" * 100_000 + "]" * 100_000 + "}", "too_deep"),
    _row("10 MB", f'{{"s":"{_TEN_MEGABYTES}"}}', "a row", {"s": _TEN_MEGABYTES}),
    _refused("More than 16 MiB", f'{{"s":"{"x" * (17 * _MEGABYTE)}"}}', "too_large"),
    _refused("30 digits where the column is `BIGINT`", f'{{"n":{_DIGITS}}}', "unstorable_integer", "/data/n"),
    _row("30 digits where it is `DOUBLE`", f'{{"d":{_DIGITS}}}', "a row; rounded in the column, not in `data_json`", {"d": 1e29}),
    _row("30 digits where anything is allowed", f'{{"free":{_DIGITS}}}', "a row, with every digit", {"free": _DIGITS}),
    _row("`12345678901234567.89` where the column is `DOUBLE`", '{"d":12345678901234567.89}', "a row; rounded in the column, not in `data_json`", {"d": 12345678901234567.89}),
    _row("`12345678901234567.89` where anything is allowed", '{"free":12345678901234567.89}', "a row, with every digit", {"free": "12345678901234567.89"}),
    _row("`9007199254740993.0` where an integer is expected", '{"n":9007199254740993.0}', "a row, with every digit", {"n": 2**53 + 1}, f'{{"n":{2**53 + 1}}}'),
    _refused("`123456789012345678.9` where an integer is expected", '{"n":123456789012345678.9}', "not_an_integer", "/data/n"),
    _row("`1e-400`", '{"d":1e-400}', "a row; 0 in the column, not in `data_json`", {"d": 0.0}),
    _refused("More than 4,000 digits", f'{{"d":0.{"3" * 4_000}}}', "number_out_of_range", "/data"),
    _refused("A number beyond a double: `1e400`", '{"d":1e400}', "number_out_of_range", "/data"),
    _row("`1.0` and `1e2` where an integer is expected", '{"n":1.0,"a.b":1e2}', "a row", {"n": 1, "a.b": 100}, '{"a.b":100,"n":1}'),
    _row("`-0.0`", '{"d":-0.0}', "a row; it is 0", {"d": 0.0}, '{"d":0}'),
    _refused("`\"1\"` where a number is expected", '{"n":"1"}', "not_an_integer", "/data/n"),
    _refused("One digit more than the `DECIMAL` has", '{"price":1.005}', "unstorable_decimal", "/data/price"),
    _refused("Text that is not base64 where the column is `BINARY`", '{"scan":"a=b"}', "unstorable_binary", "/data/scan"),
    _refused("An unpaired surrogate", '{"s":"\\ud800"}', "unstorable_string", "/data"),
    _refused("The same where the schema checks the text", '{"kind":"\\ud800"}', "not_checkable", "/data"),
    _row("A complete pair, `\\u0000`, U+2028, U+FEFF", '{"s":"\\ud83d\\ude00\\u0000\u2028\ufeff"}', "a row",
         {"s": "\U0001f600\0\u2028\ufeff"}),
    _refused("A leap second", '{"at":"2026-06-30T23:59:60Z"}', "unstorable_timestamp", "/data/at"),
    _refused("A 60th second anywhere else", '{"at":"2026-06-30T12:00:60Z"}', "wrong_format", "/data/at"),
    _row("`t` and `z` in lower case", '{"at":"2026-06-30t23:59:59z"}', "a row",
         {"at": datetime(2026, 6, 30, 23, 59, 59, tzinfo=UTC)}),
    _row("An offset of 23:59", '{"at":"2026-06-30T00:00:00+23:59"}', "a row, in UTC",
         {"at": datetime(2026, 6, 29, 0, 1, tzinfo=UTC)}),
    _row("Nanoseconds", '{"at":"2026-06-30T00:00:00.123456789Z"}', "a row; truncated to microseconds in the column, not in `data_json`",
         {"at": datetime(2026, 6, 30, 0, 0, 0, 123456, UTC)}),
    _refused("The year 0000", '{"day":"0000-01-01"}', "unstorable_date", "/data/day"),
    _refused("After the year 9999, in UTC", '{"at":"9999-12-31T23:59:59-00:01"}', "unstorable_timestamp", "/data/at"),
    _row("The year 9999", '{"day":"9999-12-31"}', "a row", {"day": date(9999, 12, 31)}),
    _refused("A date that does not exist", '{"day":"2026-02-30"}', "wrong_format", "/data/day"),
    _row("A dot, a quote or a backtick in a name", '{"a.b":1,"q\\"`":2}', "a row, in a column of that name",
         {"a.b": 1, 'q"`': 2}),
    _row("A name in another case than the schema's", '{"N":1,"n":2}', "a row; `N` is in `data_json` alone", {"n": 2}),
    _row("A name of 100,000 characters", '{"' + "k" * 100_000 + '":1}', "a row", {"n": None}),
    _row("The same in a `MAP`", '{"counts":{"' + "k" * 100_000 + '":1}}', "a row", {"counts": [("k" * 100_000, 1)]}),
    _row("`null`, and an absent property", '{"maybe":null}', "a row; both are null in the column; `data_json` distinguishes them", {"maybe": None, "d": None}),
    Case("A line that ends with CR LF", _message('{"n":5}') + b"\r", "a row", "", {"n": 5}, '{"n":5}'),
    Case("`created_at` after the year 9999", _message("{}", meta='{"id":"m","schema_version":1,"created_at":999999999999999}'),
         "quarantine: `unstorable_timestamp`", "/meta/created_at"),
    Case("`attempts` that is not an integer literal", _message("{}", attempts="1.0"), "quarantine: `not_an_int64`", "/attempts"),
]  # fmt: skip
"""In the order of the table in docs/spark.md. Lines of white space, and empty ones, are no messages."""
