"""Detection of JSON Schemas among JSON files, and of the dialect of those that do not name it."""

from __future__ import annotations

from typing import Any

from babelreg.schema.dialects import DEFAULT, DIALECTS, Dialect, identify
from babelreg.schema.keywords import COMBINED, DEFINITIONS
from babelreg.schema.keywords_by_type import KNOWN
from babelreg.schema.types import TYPES, declared_types
from babelreg.schema.values import mappings

_SELF_DESCRIBING = "iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/"
"""The meta-schema of Iglu: draft-04 with ``self``."""
_OTHER_FORMATS = frozenset({"asyncapi", "openapi", "swagger"})
UNRECOGNISED = "an object with too few keywords to be recognised as a JSON Schema"
_NOT_A_MESSAGE = frozenset({*DEFINITIONS, "$schema", "$id", "id", "title", "description", "$comment", "$anchor"})


def names_dialect(value: Any) -> bool:
    """Return True where ``$schema`` names a dialect, known or not: an instance may name its own schema there."""
    uri = value.get("$schema") if isinstance(value, dict) else None
    return isinstance(uri, str) and "json-schema.org" in uri


def is_schema(value: Any, *, any_dialect: bool = False) -> bool:
    """Return True for what surely is a JSON Schema, not a document of some schema.

    With ``any_dialect``, a ``$schema`` that names none of JSON Schema's own dialects does not matter.
    """
    if not isinstance(value, dict) or not _OTHER_FORMATS.isdisjoint(value):
        return False
    if names_dialect(value):
        return True
    if "$schema" in value and not any_dialect:
        return _describes_itself(value)
    if any(isinstance(value.get(keyword), list) and _all_schemas(value[keyword]) for keyword in COMBINED):
        return True
    if any(isinstance(value.get(keyword), dict) and _all_schemas(value[keyword].values()) for keyword in DEFINITIONS):
        return True
    types = declared_types(value)
    properties = value.get("properties")
    if isinstance(properties, dict) and _all_schemas(properties.values()):
        return bool(properties) or types is not None
    return (
        types is not None and bool(types) and set(types) <= set(TYPES) and len(value) > 1 and _has_schema_shape(value)
    )


def _describes_itself(value: Any) -> bool:
    return isinstance(value, dict) and _SELF_DESCRIBING in str(value.get("$schema"))


def _has_schema_shape(value: dict[str, Any]) -> bool:
    return any(keyword in value for keyword in ("$id", "items", "enum", "required", "additionalProperties", "format"))


def _all_schemas(values: Any) -> bool:
    return all(isinstance(value, (dict, bool)) for value in values)


def other_document(value: Any) -> str:
    """Return what a document that is not taken for a schema seems to be, with its article."""
    if not isinstance(value, dict):
        return "a JSON array" if isinstance(value, list) else "a single value"
    if value.get("type") in ("record", "enum", "fixed") and isinstance(value.get("name"), str):
        return "an Avro schema"
    names = {"openapi": "an OpenAPI document", "swagger": "an OpenAPI document", "asyncapi": "an AsyncAPI document"}
    for key, name in names.items():
        if key in value:
            return name
    if "name" in value and not value.keys().isdisjoint({"dependencies", "devDependencies", "scripts", "version"}):
        return "a package.json"
    if "$schema" in value:
        return "a document with another schema"
    return "an object without keywords of JSON Schema" if KNOWN.isdisjoint(value) else UNRECOGNISED


def only_defines(value: Any) -> bool:
    """Return True for a schema that only holds definitions."""
    return isinstance(value, dict) and value.keys() <= _NOT_A_MESSAGE and any(word in value for word in DEFINITIONS)


def likely_dialect(value: Any, default: Dialect | None) -> Dialect:
    """Return the dialect of a schema: as it says itself, else ``default``, else by the keywords that it uses.

    Raises SchemaError for a ``$schema`` that is not known.
    """
    if names_dialect(value):
        return identify(value)
    if default is not None:
        return default
    if _describes_itself(value):
        return DIALECTS["draft4"]
    nodes = list(mappings(value))
    if any(isinstance(node.get(word), bool) for node in nodes for word in ("exclusiveMinimum", "exclusiveMaximum")):
        return DIALECTS["draft4"]
    if any("$defs" in node or "prefixItems" in node for node in nodes):
        return DEFAULT
    if any(isinstance(node.get("items"), list) or isinstance(node.get("dependencies"), dict) for node in nodes):
        return DIALECTS["draft7"]
    if isinstance(value, dict) and isinstance(value.get("definitions"), dict):
        return DIALECTS["draft7"]
    return DEFAULT
