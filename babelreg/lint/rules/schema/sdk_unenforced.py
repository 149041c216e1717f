"""Keywords that the SDK of a producer does not enforce.

The BabelQueue SDKs check data before it is sent, by a part of JSON Schema: one type by name, required, properties,
additionalProperties: false, items, enum, const, minLength and minimum. They silently ignore every other keyword and
everything below it, so a producer considers valid what every reader and the lake refuse. Python services are not
reported: the producers that babelreg generates enforce the whole schema.

Bad::

    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        currency: {type: string, pattern: "^[A-Z]{3}$"}

Good::

    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        currency: {type: string, enum: [EUR, SEK, USD]}

Fix::

    Validate in the service with a complete validator before it sends, and then waive the finding for this message with
    the name of the validator as reason. Or use keywords that the SDKs know: an enum instead of a pattern, an optional
    property instead of null.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message
from babelreg.schema.keywords import COMBINED, CONDITIONS
from babelreg.schema.keywords_by_type import APPLIES_TO, FORMATS
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "strict"

_CALLED = {"php": "PHP", "go": "Go", "java": "Java", "dotnet": ".NET", "node": "Node"}
# Source: the payload validator that all SDKs share (conformance suite 1.8.0, payload_schema).
_ENFORCED = {
    "object": frozenset({"required", "properties", "additionalProperties"}),
    "array": frozenset({"items"}),
    "string": frozenset({"minLength"}),
    "integer": frozenset({"minimum"}),
    "number": frozenset({"minimum"}),
}
_NOTHING: frozenset[str] = frozenset()
_JUDGING = (APPLIES_TO.keys() | {"$ref", *COMBINED, *CONDITIONS}) - {
    *("contentEncoding", "contentMediaType", "contentSchema", "minContains", "maxContains", "additionalItems"),
}
_SHOWN = 3


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        producers = _producers(scope, message)
        keywords = list(unenforced(message.data)) if producers else []
        if keywords:
            at, keyword = keywords[0]
            shown = ", ".join(_shown(at, keyword) for at, keyword in keywords[:_SHOWN])
            more = f" and {len(keywords) - _SHOWN} more" if len(keywords) > _SHOWN else ""
            text = f"{producers} does not enforce {shown}{more}: values that only these refuse are sent anyway"
            fix = "validate with a complete validator before sending, and waive this with its name as the reason"
            location = ("data", *at, keyword)
            yield Problem(text, message.source, location, key=True, fix=fix, urn=message.urn)


def _producers(scope: Scope, message: Message) -> str:
    """Return the producers in languages whose SDK is the only validator, by name and language."""
    services = [scope.registry.services.get(name) for name in message.producers]
    return ", ".join(f"{s.name} ({_CALLED[s.lang]})" for s in services if s is not None and s.lang in _CALLED)


def _shown(at: Pointer, keyword: str) -> str:
    """Return ``maxLength of 'lines[].sku'``; a name directly below ``properties`` is a forbidden property."""
    steps = iter(at)
    named, word = "", keyword
    for step in steps:
        name = next(steps, None) if step == "properties" else None
        if step == "properties" and name is None:
            name, word = keyword, "false"
        named += "[]" if name is None else f".{name}"
    return f"{word} of '{named.removeprefix('.')}'" if named else word


def unenforced(schema: Any) -> Iterator[tuple[Pointer, str]]:
    """Yield subschema and keyword for every keyword that the SDKs ignore, without those below another one."""
    pending: list[tuple[Any, Pointer]] = [(schema, ())]
    while pending:
        node, at = pending.pop()
        if not isinstance(node, dict):
            if node is False:
                yield at[:-1], str(at[-1]) if at else "false"
            continue
        types = node.get("type")
        if isinstance(types, list):
            yield at, "type"
            continue
        enforced = _ENFORCED.get(str(types), _NOTHING)
        for keyword, value in node.items():
            if keyword not in _JUDGING or (keyword in enforced and _understood(keyword, value)):
                continue
            if keyword != "format" or (isinstance(value, str) and value in FORMATS):
                yield at, keyword
        if types == "array" and "items" in node and _understood("items", node["items"]):
            pending.append((node["items"], (*at, "items")))
        if types == "object" and isinstance(node.get("properties"), dict):
            below = [(below, (*at, "properties", name)) for name, below in node["properties"].items()]
            pending.extend(reversed(below))


def _understood(keyword: str, value: Any) -> bool:
    if keyword == "additionalProperties":
        return isinstance(value, bool)
    return keyword != "items" or isinstance(value, dict)
