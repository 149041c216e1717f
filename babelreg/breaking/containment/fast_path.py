"""The commonest change of all, told at a glance: an object got or lost properties that nobody must send.

Under tolerant readers it breaks nobody: a producer sends only what its own schema lists, and a reader passes over what
its own does not. It is told from the schemas alone, so that a message with a long history costs no search a version.
"""

from __future__ import annotations

from typing import Any

from babelreg.schema.subschemas import mappings
from babelreg.schema.values import identical

__all__ = ["adds_no_break", "only_optional_properties_differ", "plain_object"]

_PLAIN = frozenset({"$schema", "type", "properties", "required", "$defs"})


def only_optional_properties_differ(one: Any, other: Any) -> bool:
    """True where two schemas, annotations left out, list other optional properties at the top, and are else the same.

    False says nothing: only plain objects are looked at, whose properties refer to nothing but ``$defs``.
    """
    if not (plain_object(one) and plain_object(other)) or not identical(one.get("$schema"), other.get("$schema")):
        return False
    ours, theirs = one["properties"], other["properties"]
    required = set(one.get("required", ()))
    if required != set(other.get("required", ())) or not required <= ours.keys() & theirs.keys():
        return False
    return _shared_alike(ours, theirs) and _shared_alike(one.get("$defs", {}), other.get("$defs", {}))


def adds_no_break(earlier: Any, newest: Any, new: Any) -> bool:
    """True where, under tolerant readers, ``new`` breaks ``earlier`` only in what it breaks ``newest`` in, too.

    So it is where ``earlier`` lists other optional properties than ``newest``, and ``new`` has none of these or the
    very same: a document that shows a break still does so without them. False says nothing.
    """
    if not plain_object(new) or not only_optional_properties_differ(earlier, newest):
        return False
    if not set(new.get("required", ())) <= new["properties"].keys():
        return False  # what is required and not listed is sent with any value, and the earlier one may list it
    dropped = {name: schema for name, schema in earlier["properties"].items() if name not in newest["properties"]}
    back = dropped.keys() & new["properties"].keys()
    if not back:
        return True
    return _shared_alike(dropped, new["properties"]) and _shared_alike(earlier.get("$defs", {}), new.get("$defs", {}))


def plain_object(schema: Any) -> bool:
    """True for an object schema that lists properties, says which are required, and nothing else."""
    if not isinstance(schema, dict) or not schema.keys() <= _PLAIN or schema.get("type") != "object":
        return False
    # An object that lists nothing is open on the producer's side, too.
    listed, definitions, required = (schema.get(key) for key in ("properties", "$defs", "required"))
    shaped = isinstance(listed, dict) and listed and isinstance(definitions or {}, dict)
    names = required is None or (isinstance(required, list) and all(isinstance(name, str) for name in required))
    return bool(shaped) and names and _within_definitions(schema)


def _within_definitions(schema: Any) -> bool:
    """True where every reference leads below ``$defs``; what is no reference but looks like one may only say no."""
    references = (here.get("$ref", "#/$defs/") for here in mappings(schema))
    return all(isinstance(reference, str) and reference.startswith("#/$defs/") for reference in references)


def _shared_alike(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return all(identical(schema, theirs[name]) for name, schema in ours.items() if name in theirs)
