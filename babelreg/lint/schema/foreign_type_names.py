"""Type names of other languages, and their equivalents in JSON Schema."""

from __future__ import annotations

import re
from typing import Any

from babelreg.lazy_pattern import LazyPattern
from babelreg.suggest import likely_typo

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


def _table(**names: str) -> dict[str, str]:
    """Return a table from each word of the values to its key."""
    return {name: meant for meant, listed in names.items() for name in listed.split()}


_SYNONYMS = _table(
    integer="int int8 int16 int32 int64 uint uint32 uint64 long short bigint smallint tinyint byte integers",
    number="float float32 float64 double real num numbers",
    boolean="bool flag booleans",
    string="str text varchar char nvarchar strings",
    object="struct record dataclass message",
    null="none nil nul",
)
_FORMATS = _table(
    date_time="datetime date-time timestamp timestamptz datetimeoffset instant",
    date="date localdate",
    time="time",
    duration="duration interval timedelta",
    uuid="uuid guid",
    uri="uri url link href",
    email="email e-mail mail",
    hostname="hostname",
    ipv4="ip ipaddress ip-address ipv4",
    ipv6="ipv6",
)
_KINDS = _table(
    decimal="decimal money bigdecimal numeric currency amount",
    list="list set tuple sequence vector arraylist",
    map="dict map hash hashmap dictionary",
    bytes="bytes binary blob base64 bytea",
    enum="enum",
    any="any mixed unknown",
    json="json jsonb",
)
_LEFT_OUT = "omit type, which allows every value"
_SPELLED = {
    "decimal": r"type: integer, in minor units such as cents; or type: string, pattern: '^-?[0-9]+\.[0-9]{2}$'; never "
    "number, which is a float on the wire",
    "list": "type: array, items: {type: string}",
    "map": "type: object, additionalProperties: {type: string}",
    "bytes": "type: string, contentEncoding: base64",
    "enum": "enum: [a, b], with type: string",
    "any": _LEFT_OUT,
    "json": f"type: object; or {_LEFT_OUT}",
}
_REPLACEMENTS = {name: _SPELLED[kind] for name, kind in _KINDS.items()}
_REPLACEMENTS |= {name: f"type: string, format: {form.replace('_', '-')}" for name, form in _FORMATS.items()}
_LIST_OF = LazyPattern(r"(?:(?:list|array|set)[<\[(](?P<of>[\w-]+)[>\])]|(?P<item>[\w-]+)\[\])\Z", re.IGNORECASE)
_OR_NULL = LazyPattern(
    r"(?:(?P<some>[\w-]+)\?|(?P<one>[\w-]+) *\| *(?:null|none)|(?:optional|nullable)[<\[(](?P<of>[\w-]+)[>\])])\Z",
    re.IGNORECASE,
)


def suggestion(value: Any) -> str:
    """Return the fix for a value of ``type`` that JSON Schema does not have, as it can be pasted where there is one."""
    if value is None:
        return "type: 'null' in quotes, also in a list: type: [string, 'null']; or omit type"
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, str):
        return f"one of {', '.join(TYPES)}"
    if (match := _LIST_OF.match(value)) and (item := _inner(match["of"] or match["item"])):
        return f"type: array, items: {{{item}}}"
    if (match := _OR_NULL.match(value)) and (name := _name(match["some"] or match["one"] or match["of"])):
        return f"type: [{name}, 'null']"
    if value.lower() in _REPLACEMENTS:
        return _REPLACEMENTS[value.lower()]
    name = _name(value)
    return f"did you mean '{name}'?" if name else f"one of {', '.join(TYPES)}"


def _of_list(values: list[Any]) -> str:
    if not values:
        return _LEFT_OUT
    if len({str(value) for value in values}) < len(values):
        return "list each type once"
    names = ["null" if value is None else _name(value) for value in values]
    if all(names):
        return f"type: {shown_list([str(name) for name in names])}"
    wrong = next(value for value, name in zip(values, names, strict=True) if not name)
    known = [str(name) for name in names if name and name != "null"]
    if (
        not known
        and len(values) == names.count("null") + 1
        and isinstance(wrong, str)
        and wrong.lower() in _REPLACEMENTS
    ):
        return _REPLACEMENTS[wrong.lower()].replace("type: string", "type: [string, 'null']")
    return f"for {wrong!r}: {suggestion(wrong)}"


def shown_list(names: list[str]) -> str:
    """Return a list of types as YAML, with ``null`` in quotes."""
    return f"[{', '.join(names)}]".replace("null", "'null'")


def _inner(name: str) -> str | None:
    known = _name(name)
    return f"type: {known}" if known else _REPLACEMENTS.get(name.lower())


def _name(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    lower = value.lower()
    return lower if lower in TYPES else _SYNONYMS.get(lower) or likely_typo(lower, TYPES)
