"""Validation of registry files by the JSON Schemas that editors use too.

The four schemas are next to this module in ``schemas/``: message, context, service, settings.
"""

from __future__ import annotations

import functools
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import orjson

from babelreg.finding import Finding
from babelreg.lazy_pattern import LazyPattern
from babelreg.load.files.defect import finding
from babelreg.model import Source
from babelreg.model.message import Backoff
from babelreg.schema import pointer
from babelreg.suggest import closest

_MOST = 200  # a file of 60,000 misspelt keys would need 18 MB of findings
FORMATS = ("message", "context", "service", "settings")


def schema_text(name: str) -> str:
    """Return the JSON Schema of one of :data:`FORMATS`, as text."""
    return (Path(__file__).parent / "schemas" / f"{name}.schema.json").read_text("utf-8")


class Read(Source, Protocol):
    """A parsed file: its value and its source."""

    value: Any


def check(document: Read, name: str) -> list[Finding]:
    """Return the findings about the shape of ``document``."""
    value = document.value
    if not isinstance(value, dict):
        what = "is empty" if value is None else f"contains {_kind(value)}, not keys and values"
        fix = {"settings": "write: version: 1", "message": "write: urn: urn:babel:<context>:<name>"}.get(name)
        return [finding("value-invalid", f"the file {what}", document.place(), fix=fix)]
    validator, schema = _validator(name)
    if validator.is_valid(value):
        return _backoff_findings(document, value) if name == "message" else []
    every = (each for error in validator.iter_errors(value) for each in _findings(document, schema, error))
    listed = list(islice(every, _MOST + 1))
    if len(listed) > _MOST:
        listed[_MOST] = finding(
            "value-invalid", f"the file has more than the {_MOST} defects listed here", document.place()
        )
    return listed


def _backoff_findings(source: Source, value: dict[str, Any]) -> list[Finding]:
    """Return the finding about a longest retry delay below the first one, as a schema cannot compare two values.

    The values have the right types; one that is left out counts with its default.
    """
    backoff = value.get("delivery", {}).get("backoff")
    if not backoff:
        return []
    default = Backoff()
    first = backoff.get("first_seconds", default.first_seconds)
    longest = backoff.get("longest_seconds", default.longest_seconds)
    if longest >= first:
        return []
    key = "longest_seconds" if "longest_seconds" in backoff else "first_seconds"
    implied = {"longest_seconds": "first_seconds", "first_seconds": "longest_seconds"}[key]
    note = "" if implied in backoff else ", its default"
    at = ("delivery", "backoff", key)
    if key == "longest_seconds":
        message = f"'delivery.backoff.longest_seconds' is {longest}, less than first_seconds ({first}{note})"
        fix = f"write longest_seconds: {first} or more" if not note else f"add first_seconds: {longest} or less"
    else:
        message = f"'delivery.backoff.first_seconds' is {first}, more than longest_seconds ({longest}{note})"
        fix = f"add longest_seconds: {first} or more"
    return [finding("value-invalid", message, source.place(at), fix=fix, pointer=pointer.text(at))]


@functools.cache
def _validator(name: str) -> tuple[Any, dict[str, Any]]:
    import jsonschema_rs

    schema = orjson.loads(schema_text(name))
    if name == "message":
        # That `data` is a valid JSON Schema is a rule of its own, with a better message than a meta-schema gives.
        schema["properties"]["data"] = {"type": ["object", "boolean"]}
    return jsonschema_rs.validator_for(schema), schema


def _findings(document: Read, schema: dict[str, Any], error: Any) -> list[Finding]:
    at = pointer.located(document.value, error)
    kind = type(error.kind).__name__.rpartition("_")[2]
    spelled = pointer.text(at)
    node = _node(schema, tuple(error.schema_path))
    if kind == "AdditionalProperties":
        return [_unknown_key(document, at, key, node) for key in error.kind.unexpected[: _MOST + 1]]
    if kind in _CHOICES and (choice := _choice(node)):
        listed = " or ".join(f"'{key}'" for key in choice)
        message, fix = (
            f"{_CHOICES[kind]} {listed}",
            f"keep {listed}" if kind == "OneOfMultipleValid" else f"add {listed}",
        )
        rule = "value-invalid" if kind == "OneOfMultipleValid" else "key-missing"
        return [finding(rule, message, document.place(at), fix=fix, pointer=spelled)]
    if kind == "Required":
        missing = str(error.kind.property)
        message = f"the key '{missing}' is missing"
        example = _example(missing, node.get("properties", {}).get(missing, {}))
        return [finding("key-missing", message, document.place(at), fix=example, pointer=spelled)]
    if kind == "FalseSchema":
        message = f"'{at[-1]}' is reserved and may not be used yet"
        return [finding("key-unknown", message, document.place(at, key=True), fix="remove it", pointer=spelled)]
    value = pointer.find(document.value, at)
    if isinstance(value, str) and (reason := node.get("x-removed", {}).get(value)):
        message = f"{_named(at)} is '{value}', which is no longer supported: {reason}"
        choices = f"write {' or '.join(map(str, node['enum']))}"
        return [finding("value-invalid", message, document.place(at), fix=choices, pointer=spelled)]
    message = f"{_named(at)} {_complaint(kind, error, value)}"
    advice = _percentage_fix(node, value) or _number_fix(node, value) or _fix(kind, error, value)
    return [finding("value-invalid", message, document.place(at), fix=advice, pointer=spelled)]


def _node(schema: dict[str, Any], schema_path: tuple[str | int, ...]) -> dict[str, Any]:
    """Return the part of the format's schema whose keyword complains."""
    try:
        node = pointer.find(schema, schema_path[:-1])
    except KeyError:
        return {}
    return node if isinstance(node, dict) else {}


_CHOICES = {
    "AnyOf": "this needs",
    "OneOfNotValid": "this needs",
    "OneOfMultipleValid": "this takes only one of",
}


def _choice(node: dict[str, Any]) -> list[str]:
    """Return the keys of which one is required, where the alternatives of ``node`` differ in that alone."""
    branches = node.get("oneOf") or node.get("anyOf") or []
    if any(list(branch) != ["required"] for branch in branches):
        return []
    return [str(branch["required"][0]) for branch in branches]


def _unknown_key(document: Read, at: pointer.Pointer, key: str, node: dict[str, Any]) -> Finding:
    known = sorted(node.get("properties", {}))
    near = _meant(key, known)
    own = "".join(_PATTERNED[pattern] for pattern in node.get("patternProperties", ()))
    fix = f"did you mean '{near}'?" if near else f"the keys here are: {', '.join(known)}{own}"
    place = document.place((*at, key), key=True)
    return finding("key-unknown", f"there is no key '{key}' here", place, fix=fix, pointer=pointer.text((*at, key)))


_PATTERNED = {"^x-": "; custom keys start with x-", "^urn:": ", or a URN"}

# Synonyms, which no comparison of letters finds.
_SYNONYMS = {
    **dict.fromkeys(("id", "identity", "identifier"), "urn"),
    **dict.fromkeys(("schema", "payload", "body"), "data"),
    **dict.fromkeys(("topic", "channel"), "queue"),
    "type": "kind",
    "team": "owner",
    "replaces": "supersedes",
    "language": "lang",
    "repository": "repo",
}


def _meant(key: str, known: list[str]) -> str | None:
    """Return the key that ``key`` was probably meant to be: another word for it, or a likely typing error."""
    synonym = _SYNONYMS.get(key.lower())
    if synonym in known:
        return synonym
    near = closest(key, known)
    if near is None or near[0] == key[:1]:
        return near
    return closest(key, [near], 0.75)  # 'tags' has half the letters of 'status'


_EXAMPLES = {
    "urn": "urn: urn:babel:<context>:<name>",
    "kind": "add the line 'kind: event' or 'kind: command'",
    "data": "add 'data: {type: object}' and describe the payload there",
    "retired_on": "add the line 'retired_on: YYYY-MM-DD'",
    "version": "add the line 'version: 1'",
    "rule": "add 'rule: RULE-ID', the id in brackets after the finding",
    "reason": "say why the finding is accepted: 'reason: …'",
    "path": "add 'path: PATTERN', such as orders/ or *.v1.yaml",
    "change": "add the hash that `babelreg breaking --format waivers` prints: 'change: 3f9c0a17be42'",
    "because": "say why the document is invalid: 'because: …'",
}


def _example(key: str, schema: dict[str, Any]) -> str:
    if schema.get("type") == "object" and (text := schema.get("description", "")):
        return f"add '{key}', {text[0].lower()}{text[1:].removesuffix('.')}"
    return _EXAMPLES.get(key, f"add '{key}: …'")


def _named(at: pointer.Pointer) -> str:
    return f"'{'.'.join(str(step) for step in at)}'" if at else "the file"


def _complaint(kind: str, error: Any, value: Any) -> str:
    shown = _shown(value)
    if kind == "Type":
        wanted = error.kind.types if hasattr(error.kind, "types") else []
        return f"is {_kind(value)}, not {' or '.join(_KINDS.get(str(t), str(t)) for t in wanted) or 'this value'}"
    if kind == "Enum":
        return f"is {shown}, not one of {', '.join(str(o) for o in error.kind.options)}"
    if kind == "Constant":
        return f"is {shown}, not {error.kind.expected_value}"
    if kind == "Pattern":
        return f"is {shown}, not {_wanted(error.kind.pattern)}"
    if kind == "MaxItems":
        return f"has more than {error.kind.limit} entries"
    if kind == "MaxLength":
        return f"is longer than {error.kind.limit} characters"
    if kind == "UniqueItems":
        return "has a duplicate entry"
    if kind in ("MinProperties", "MinItems", "MinLength"):
        return "is empty"
    return f"is {shown}: {error.message.rpartition(' is ')[2] or error.message}"[:300]


_NOT_BLANK = r"\S"


def _wanted(pattern: str) -> str:
    if pattern == _NOT_BLANK:
        return "a name"
    if "a-f" in pattern:
        return "a hash like 3f9c0a17be42, which `babelreg breaking --format waivers` prints"
    if "%" in pattern:
        return "a share like 5%"
    return "a date like 2027-03-31" if "0-9" in pattern else "a JSON pointer like /data/properties/total"


def _percentage_fix(node: dict[str, Any], value: Any) -> str | None:
    """Return the fix of a value where a percentage belongs, else None; 0.05 is taken for 5%."""
    if "%" not in node.get("pattern", ""):
        return None
    try:
        number = Decimal(str(value).replace("%", "").strip())
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or not 0 <= number <= 100:
        return "write a share from 0% to 100%"
    percent = number * 100 if 0 < number < 1 and "%" not in str(value) else number
    return f"write {percent.normalize():f}%"


def _fix(kind: str, error: Any, value: Any) -> str | None:
    if kind == "Enum" and isinstance(value, str):
        near = closest(value, map(str, error.kind.options), 0.5)
        return f"did you mean '{near}'?" if near else None
    if kind == "Constant":
        return f"write {error.kind.expected_value}"
    if kind == "Type" and "array" in getattr(error.kind, "types", []) and isinstance(value, str):
        return f"write [{value}]"
    if kind == "Type" and "string" in getattr(error.kind, "types", []) and not isinstance(value, dict | list):
        return "put it in quotes"
    if kind == "UniqueItems" or (kind == "Pattern" and error.kind.pattern == _NOT_BLANK):
        return "remove the repeated entry" if kind == "UniqueItems" else "remove the entry"
    return None


def _number_fix(node: dict[str, Any], value: Any) -> str | None:
    """Return the fix of a value where a number belongs, else None."""
    if node.get("type") not in ("integer", "number"):
        return None
    match = _NUMBER_WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if match is not None and not (node["type"] == "integer" and "." in match["number"]):
        return f"write {match['number']}, without {'the unit' if match['unit'] else 'quotes'}"
    noun = _KINDS[node["type"]]
    least, above, most = (node.get(keyword) for keyword in ("minimum", "exclusiveMinimum", "maximum"))
    start = f" above {above}" if above is not None else f" from {least}" if least is not None else ""
    end = "" if most is None else f" and up to {most}" if above is not None else f" to {most}"
    return f"write {noun}{start}{end}"


_NUMBER_WITH_UNIT = LazyPattern(r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(?P<unit>s|sec|seconds)?")


_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true or false"
    kinds = {dict: "a mapping", list: "a list", str: "text", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
