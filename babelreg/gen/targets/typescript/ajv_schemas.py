"""Schemas for Ajv: the views of a message in 2020-12, with the meaning that they have for us.

Keywords and formats that refuse nothing are left out, because Ajv gives some of them a meaning (``nullable``,
``$async``). Patterns are spelled for JavaScript's flag ``u``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from babelreg.contract.views import Views, both
from babelreg.errors import BabelregError, SchemaError
from babelreg.model import Message
from babelreg.schema.dialects import DEFAULT, identify
from babelreg.schema.in_place_circle import in_place_circle
from babelreg.schema.keywords import IDENTIFIERS, REFERENCES
from babelreg.schema.keywords_by_type import APPLIES_TO, FORMATS
from babelreg.schema.local_references import LocalReferences, references
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.regex.unicode_mode import in_unicode_mode
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.upgrade import upgraded
from babelreg.schema.values import mappings

_OLDER = frozenset({"additionalItems", "$recursiveRef", "$recursiveAnchor", "id"})
_KNOWN = frozenset({*APPLIES_TO, *DEFAULT.keywords, *REFERENCES, *IDENTIFIERS, "type", "enum", "const"}) - _OLDER
_PROTOTYPE = "__proto__"


def ajv_schemas(message: Message, *, strict: bool) -> Views:
    """Return the schemas of producers and readers of ``message``; ``strict``: readers are, both are the schema.

    Raises BabelregError for a schema that Ajv cannot apply as we do.
    """
    circle = in_place_circle(LocalReferences(message.schema))
    if circle is not None:
        reason = "this refers to itself without a property or item in between, so Ajv would not terminate"
        raise _refusal(message, reason, circle)
    views = both(message.schema, "strict" if strict else "tolerant")
    return Views(_for_ajv(message, views.producer), _for_ajv(message, views.reader))


def _for_ajv(message: Message, view: Any) -> Any:
    dialect = identify(view)
    if dialect is not DEFAULT:
        result = upgraded(view, dialect)
        newer = {loss.pointer for loss in result.losses if loss.keyword == "format"}
        for loss in result.losses:
            if loss.keyword != "format":
                at = f"'{loss.keyword}' at '{text(loss.pointer)}'"
                raise _refusal(message, f"{at} has no meaning in 2020-12: {loss.reason}")
        view = _without_formats(result.schema, {text(result.moved[pointer]) for pointer in newer})
    known = _converted(view, lambda schema: {name: value for name, value in schema.items() if name in _KNOWN})
    schema = known if _is_complete(known) else view
    if {"contains", "unevaluatedItems"} <= {keyword for mapping in mappings(schema) for keyword in mapping}:
        raise _refusal(message, "Ajv treats all items as evaluated where 'contains' is beside 'unevaluatedItems'")
    try:
        return _converted(schema, _spelled)
    except ValueError as err:
        raise _refusal(message, f"Ajv cannot read a pattern: {err}") from err


def _refusal(message: Message, reason: str, pointer: Pointer = ()) -> BabelregError:
    place = message.place(pointer, key=True)
    fix = "rewrite the schema without it, or remove --validate"
    return BabelregError(f"{message.urn}: {reason}", place=place, fix=fix)


def _converted(schema: Any, convert: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    if not isinstance(schema, dict):
        return schema
    return with_subschemas(convert(schema), lambda below: _converted(below, convert))


def _without_formats(schema: Any, places: set[str], at: str = "") -> Any:
    """Return ``schema`` without the ``format`` of the subschemas at ``places``."""
    if isinstance(schema, list):
        return [_without_formats(item, places, f"{at}/{number}") for number, item in enumerate(schema)]
    if not isinstance(schema, dict):
        return schema
    steps = {name: f"{at}{text((name,))}" for name in schema}
    return {
        name: _without_formats(value, places, steps[name])
        for name, value in schema.items()
        if name != "format" or at not in places
    }


def _is_complete(schema: Any) -> bool:
    try:
        local = LocalReferences(schema, DEFAULT)
        return all(not name.startswith("#/") or local.target(name) is not None for name in references(schema))
    except SchemaError:
        return False


def _spelled(schema: dict[str, Any]) -> dict[str, Any]:
    result = dict(schema)
    if isinstance(pattern := result.get("pattern"), str):
        result["pattern"] = in_unicode_mode(pattern)
    if result.get("format") not in FORMATS:
        result.pop("format", None)
    patterns = result.get("patternProperties")
    pairs = [(in_unicode_mode(name), below) for name, below in patterns.items()] if isinstance(patterns, dict) else []
    properties = result.get("properties")
    if isinstance(properties, dict) and _PROTOTYPE in properties:
        # Ajv passes over a property of this name.
        result["properties"] = {name: below for name, below in properties.items() if name != _PROTOTYPE}
        pairs.append((f"^{_PROTOTYPE}$", properties[_PROTOTYPE]))
    if pairs:
        several: dict[str, list[Any]] = {}
        for name, below in pairs:
            several.setdefault(name, []).append(below)
        result["patternProperties"] = {
            name: every[0] if len(every) == 1 else {"allOf": every} for name, every in several.items()
        }
    return result
