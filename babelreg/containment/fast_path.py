"""Fast path for the most common change: an object gains or loses optional properties.

Under tolerant readers it is compatible: a producer sends only properties that its own schema lists, and a reader
ignores those that its own schema does not list. The schemas alone show it, without a search for each past version.
"""

from __future__ import annotations

from typing import Any

from babelreg.schema.keywords import REFERENCES
from babelreg.schema.values import identical, mappings

_PLAIN = frozenset({"$schema", "type", "properties", "required", "$defs"})


def only_optional_properties_differ(left: Any, right: Any) -> bool:
    """Return True where two schemas without annotations differ only in optional properties at the top.

    False means undecided: only plain objects are compared, whose properties refer to nothing but ``$defs``.
    """
    if not (plain_object(left) and plain_object(right)) or not identical(left.get("$schema"), right.get("$schema")):
        return False
    left_properties, right_properties = left["properties"], right["properties"]
    required = set(left.get("required", ()))
    if required != set(right.get("required", ())) or not required <= left_properties.keys() & right_properties.keys():
        return False
    same = _shared_equal(left_properties, right_properties)
    return same and _shared_equal(left.get("$defs", {}), right.get("$defs", {}))


def adds_no_break(earlier: Any, newest: Any, new: Any) -> bool:
    """Return True where, under tolerant readers, every break of ``earlier`` by ``new`` is also one of ``newest``.

    That holds where ``earlier`` lists other optional properties than ``newest``, and ``new`` has none of them or equal
    ones: a document that shows a break still shows it without them. False means undecided.
    """
    if not plain_object(new) or not only_optional_properties_differ(earlier, newest):
        return False
    if not set(new.get("required", ())) <= new["properties"].keys():
        return False  # a required property that is not listed has any value, and ``earlier`` may list it
    dropped = {name: schema for name, schema in earlier["properties"].items() if name not in newest["properties"]}
    restored = dropped.keys() & new["properties"].keys()
    if not restored:
        return True
    return _shared_equal(dropped, new["properties"]) and _shared_equal(earlier.get("$defs", {}), new.get("$defs", {}))


def plain_object(schema: Any) -> bool:
    """Return True for an object schema with listed and required properties and no other keywords."""
    if not isinstance(schema, dict) or not schema.keys() <= _PLAIN or schema.get("type") != "object":
        return False
    # An object that lists nothing is open in the producer view, too.
    listed, definitions, required = (schema.get(key) for key in ("properties", "$defs", "required"))
    shaped = isinstance(listed, dict) and listed and isinstance(definitions or {}, dict)
    names = required is None or (isinstance(required, list) and all(isinstance(name, str) for name in required))
    return bool(shaped) and names and _within_definitions(schema)


def _within_definitions(schema: Any) -> bool:
    """Return True where every reference is a ``$ref`` to ``$defs``. Data that looks like one can only make it False."""
    return all(
        keyword == "$ref" and isinstance(mapping[keyword], str) and mapping[keyword].startswith("#/$defs/")
        for mapping in mappings(schema)
        for keyword in REFERENCES
        if keyword in mapping
    )


def _shared_equal(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(identical(schema, right[name]) for name, schema in left.items() if name in right)
