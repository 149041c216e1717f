"""Keywords that 2020-12 spells in another way, for each older dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from babelreg.schema.pointer import Pointer

Translate = Callable[[Any, Pointer, Pointer], Any]
"""Function that returns the translation of a subschema, given its pointers before and after."""


@dataclass(frozen=True, slots=True)
class Site:
    """One mapping that is translated: its counting keywords, its pointers before and after, the result so far."""

    schema: Mapping[str, Any]
    old: Pointer
    new: Pointer
    result: dict[str, Any] = field(default_factory=dict)


Respell = Callable[[Translate, Site, Any], None]
"""Function that adds what a keyword with this value becomes to the result of a site."""


def _items(translate: Translate, site: Site, value: Any) -> None:
    if not isinstance(value, list):
        site.result["items"] = translate(value, (*site.old, "items"), (*site.new, "items"))
        return
    if value:  # prefixItems must not be empty
        site.result["prefixItems"] = [
            translate(item, (*site.old, "items", n), (*site.new, "prefixItems", n)) for n, item in enumerate(value)
        ]
    if "additionalItems" in site.schema:
        rest, at = site.schema["additionalItems"], (*site.old, "additionalItems")
        site.result["items"] = translate(rest, at, (*site.new, "items"))


def _dependencies(translate: Translate, site: Site, value: Any) -> None:
    for name, below in value.items() if isinstance(value, dict) else ():
        if isinstance(below, list):
            site.result.setdefault("dependentRequired", {})[name] = below
        else:
            old, new = (*site.old, "dependencies", name), (*site.new, "dependentSchemas", name)
            site.result.setdefault("dependentSchemas", {})[name] = translate(below, old, new)


def _definitions(translate: Translate, site: Site, value: Any) -> None:
    if not isinstance(value, dict):
        return
    beside = site.schema.get("$defs")
    definitions = site.result.setdefault("$defs", {})
    taken = {*definitions, *(beside if isinstance(beside, dict) else ())}
    for name, below in value.items():
        free = next(spelled for spelled in _spellings(name) if spelled not in taken)
        taken.add(free)
        at = (*site.new, "$defs", free)
        definitions[free] = translate(below, (*site.old, "definitions", name), at)


def _defs(translate: Translate, site: Site, value: Any) -> None:
    """Add ``$defs``, which older dialects do not know, but to which references lead all the same."""
    if isinstance(value, dict):
        definitions = site.result.setdefault("$defs", {})
        for name, below in value.items():
            definitions[name] = translate(below, (*site.old, "$defs", name), (*site.new, "$defs", name))


def _limit(limit: str, exclusive: str) -> Respell:
    """Return the respelling of ``limit``, which draft-04 makes exclusive by ``exclusive: true``."""

    def respell(translate: Translate, site: Site, value: Any) -> None:
        site.result[exclusive if site.schema.get(exclusive) is True else limit] = value

    return respell


def _exclusive(exclusive: str) -> Respell:
    """Return the respelling of an exclusive limit; the boolean of draft-04 counts at its limit."""

    def respell(translate: Translate, site: Site, value: Any) -> None:
        if not isinstance(value, bool):
            site.result[exclusive] = value

    return respell


def _identifier(translate: Translate, site: Site, value: Any) -> None:
    if isinstance(value, str) and value.startswith("#") and len(value) > 1:
        site.result["$anchor"] = value[1:]
    else:
        site.result["$id"] = value.removesuffix("#") if isinstance(value, str) else value


def _recursive_reference(translate: Translate, site: Site, value: Any) -> None:
    """Add ``$recursiveRef: "#"``, which leads to the root of a document without further identifiers."""
    site.result.setdefault("$ref", value)


def _nothing(translate: Translate, site: Site, value: Any) -> None:
    """Add nothing: the dialect is known, or another keyword covers this one."""


_RESPELLED_2019: dict[str, Respell] = {
    "$schema": _nothing,
    "items": _items,
    "additionalItems": _nothing,
    "$recursiveRef": _recursive_reference,
    "$recursiveAnchor": _nothing,
}
_RESPELLED_7 = {
    **_RESPELLED_2019,
    "dependencies": _dependencies,
    "definitions": _definitions,
    "$defs": _defs,
    "$id": _identifier,
}
_RESPELLED_4 = {
    **_RESPELLED_7,
    "id": _identifier,
    "minimum": _limit("minimum", "exclusiveMinimum"),
    "maximum": _limit("maximum", "exclusiveMaximum"),
    "exclusiveMinimum": _exclusive("exclusiveMinimum"),
    "exclusiveMaximum": _exclusive("exclusiveMaximum"),
}
RESPELLED: Mapping[str, Mapping[str, Respell]] = {
    "draft4": _RESPELLED_4,
    "draft6": _RESPELLED_7,
    "draft7": _RESPELLED_7,
    "draft2019-09": _RESPELLED_2019,
    "draft2020-12": {"$schema": _nothing},
}
"""The respelled keywords of each dialect."""


def _spellings(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(2))
