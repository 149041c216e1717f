"""Content of a certificate, each field parsed by its type before anything is replayed.

Part of the checker: of babelreg, it imports other parts, and the dialects.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs

from babelreg.containment.certificates import pattern_terms
from babelreg.containment.certificates.core_schemas import DRAFTS, View
from babelreg.containment.certificates.facts import CertificateRefused, require
from babelreg.schema.dialects import DIALECTS

VERSION = 3
READINGS = {"ecma": ("ecma", "ecma"), "python": ("python", "python"), "python-reader": ("python-sender", "python")}
_MOST_TEXT = 120
_ROW = re.compile(r"[0-9a-f]+( [0-9a-f]+)*")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate whose fields have their types. Whether its steps show anything is not known yet."""

    draft: int
    formats: bool
    inner: Any
    outer: Any
    readings: dict[str, int]
    steps: list[tuple[str, list[Any], list[int]]]
    tables: list[dict[str, Any]]


def parse(value: Any) -> Certificate:
    """Return the certificate. Raises CertificateRefused where a field is missing, unknown, or of another type."""
    expected = {"version", "dialect", "formats", "inner", "outer", "readings", "steps", "tables"}
    require(isinstance(value, dict) and value.keys() == expected, f"does not have the keys {sorted(expected)}")
    require(_is_number(value["version"]) and value["version"] == VERSION, "has another version")
    require(_is_text(value["dialect"]) and value["dialect"] in DRAFTS, "has an unknown dialect")
    require(isinstance(value["formats"], bool), "does not state whether formats are asserted")
    draft = DRAFTS.index(value["dialect"])
    for side in ("inner", "outer"):
        _require_schema(value[side], draft, side)
    readings, steps, tables = value["readings"], value["steps"], value["tables"]
    require(isinstance(readings, dict) and "ecma" in readings, "does not name the readings of patterns")
    require(readings.keys() <= READINGS.keys() and all(map(_is_number, readings.values())), "names another reading")
    require(_is_list_of(_is_step, steps), "has a malformed step")
    require(all(number < len(steps) for _, _, premises in steps for number in premises), "has a premise without a step")
    require(_is_list_of(_is_table, tables), "has a malformed table")
    return Certificate(draft, value["formats"], value["inner"], value["outer"], readings, steps, tables)


def require_target_schemas(view: View, side: str) -> None:
    """Refuse a view where a reference leads to what is no schema. Metaschemas do not look below unknown keywords, which
    up to draft 7 ``$defs`` is, too.
    """
    for hidden in view.hidden:
        _require_schema(hidden, view.draft, side)
    named = dict.fromkeys(subschema.get("$ref") for subschema, _ in view.pairs if view.draft < 3)
    for core in (core for name in named if isinstance(name, str) for core in view.target(name)):
        _require_schema(view.origins.get(id(core), {}), view.draft, side)


def _require_schema(value: Any, draft: int, side: str) -> None:
    try:
        _metaschema(draft).validate(value)
    except jsonschema_rs.ValidationError as err:
        place = "".join(f"/{step}" for step in err.instance_path)[-_MOST_TEXT:]
        reason = f"{place}: {err.message[:_MOST_TEXT]}".removeprefix(": ")
        raise CertificateRefused(f"the {side} view is not a schema of {DRAFTS[draft]}: {reason}") from err


@cache
def _metaschema(draft: int) -> Any:
    """Return the validator of the schemas of a dialect. It asserts no formats, as not all of them do."""
    dialect = DIALECTS[DRAFTS[draft]]
    return dialect.validator_for(dialect.metaschema, formats=False)


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list_of(is_member: Callable[[Any], bool], value: Any) -> bool:
    return isinstance(value, list) and all(map(is_member, value))


def _is_step(value: Any) -> bool:
    if not (isinstance(value, list) and len(value) == 3 and _is_text(value[0]) and value[0] in _ARGUMENTS):
        return False
    rule, arguments, premises = value
    if not (isinstance(arguments, list) and _is_list_of(_is_number, premises)):
        return False
    return re.fullmatch(_ARGUMENTS[rule], "".join(map(_kind, arguments))) is not None


def _kind(argument: Any) -> str:
    return "n" if _is_number(argument) else "t" if _is_text(argument) else "-" if argument is None else "?"


_ARGUMENTS = {
    **dict.fromkeys(("types", "values", "apart"), ""),
    **dict.fromkeys(("keywords", "no-string", "no-item", "no-contained", "all", "if", "names"), "n"),
    **dict.fromkeys(("contains-every", "patterns"), "n"),
    **dict.fromkeys(("branches", "items", "contains-at"), "nn*"),
    **dict.fromkeys(("only", "contains-same", "listed-names"), "nn"),
    **dict.fromkeys(("cases", "dependent"), "nt"),
    "same": "nnt*",
    "no-property": "t",
    "properties": "n[n-]*",
}
"""By rule, the kinds of its arguments: numbers, texts, and ``-`` for no table."""


def _is_table(value: Any) -> bool:
    if not (isinstance(value, dict) and value.keys() == _TABLE.keys()):
        return False
    return all(is_type(value[name]) for name, is_type in _TABLE.items())


def _are_patterns(value: Any) -> bool:
    return _is_list_of(lambda pair: _are_texts(pair) and len(pair) == 2 and pair[1] in pattern_terms.READINGS, value)


def _are_texts(value: Any) -> bool:
    return _is_list_of(_is_text, value)


def _are_rows(value: Any) -> bool:
    return _are_texts(value) and all(map(_ROW.fullmatch, value))


_TABLE: dict[str, Callable[[Any], bool]] = {
    "all": _are_patterns, "none": _are_patterns, "but": _are_texts, "rows": _are_rows,
    "least": _is_number, "most": lambda most: most is None or _is_number(most),
}  # fmt: skip
