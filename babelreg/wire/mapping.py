"""The mapping between foreign names and URNs: the ``wires:`` block of a registry as plain data.

A key is the path of a name in its format's block::

    flowlayer: {commands: {start_service: URN}, events: {log: URN}}            ("commands", "start_service")
    phpmq:     {queues: {Foo: URN}}                                            ("queues", "Foo")
    strata:    {Orders: {createOrder: {request: URN, response: URN}}}          ("Orders", "createOrder", "request")

A post of Strata takes the entry ``post``, else ``request``. ``UrnMapping.of(block)`` flattens the block of one format;
``check(format, block, urns)`` returns its defects.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["UNMAPPED", "Key", "MappingDefect", "UrnMapping", "check"]

Key = tuple[str, ...]

_STRATA_TYPES = ("request", "response", "post")
_FORMAT_DEPTHS = {"flowlayer": 2, "phpmq": 2, "strata": 3}
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_MAX_QUEUE_BYTES = 65_535


@dataclass(frozen=True)
class UrnMapping:
    """The URNs of foreign names, in both directions. Where two names share a URN, the first one is its name."""

    urns: Mapping[Key, str]
    keys: Mapping[str, Key] = field(init=False)

    def __post_init__(self) -> None:
        keys: dict[str, Key] = {}
        for key, urn in self.urns.items():
            keys.setdefault(urn, key)
        object.__setattr__(self, "keys", keys)

    @classmethod
    def of(cls, block: Mapping[str, Any] | None) -> UrnMapping:
        """Return the mapping of one format's block, without values that are not strings: ``check`` reports them."""
        return cls({key: urn for key, urn in _leaves(block or {}) if isinstance(urn, str)})


UNMAPPED = UrnMapping({})
"""The empty mapping: every name takes the mechanical default."""


class MappingDefect(NamedTuple):
    """One defect of a mapping. ``path`` are the keys that lead to it, from the name of the format on.

    ``code`` is wrong_shape, unknown_format, unknown_urn, urn_mapped_twice or name_not_on_wire. ``other`` is the path of
    the first name of a URN that is mapped twice.
    """

    code: str
    path: Key
    message: str
    other: Key | None = None


def check(format_name: str, block: Any, urns: Collection[str]) -> list[MappingDefect]:
    """Return the defects of the block that ``wires:`` has for one format; ``urns`` are those of the registry.

    Reported are: a block of the wrong shape, a URN that the registry does not declare, a URN with two names (a message
    would have two ways back), and a name that the wire cannot carry.
    """
    if format_name not in _FORMAT_DEPTHS:
        known = ", ".join(_FORMAT_DEPTHS)
        return [MappingDefect("unknown_format", (format_name,), f"'{format_name}' takes no mapping; formats: {known}")]
    if not isinstance(block, Mapping):
        return [MappingDefect("wrong_shape", (format_name,), f"wires.{format_name} is not a mapping")]
    defects: list[MappingDefect] = []
    first: dict[str, Key] = {}
    for key, urn in _leaves(block):
        path = (format_name, *key)
        wrong = _shape(format_name, key, urn)
        if wrong is not None:
            defects.append(MappingDefect("wrong_shape", path, wrong))
            continue
        defects += [MappingDefect("name_not_on_wire", path, text) for text in _names(format_name, key)]
        if urn not in urns:
            defects.append(MappingDefect("unknown_urn", path, f"the registry declares no message '{urn[:200]}'"))
        elif urn in first:
            other = first[urn]
            text = f"'{urn[:200]}' is also mapped from '{'.'.join(other[1:])}'"
            defects.append(MappingDefect("urn_mapped_twice", path, text, other))
        first.setdefault(urn, path)
    return defects


def _leaves(block: Mapping[Any, Any], prefix: Key = ()) -> Iterator[tuple[Key, Any]]:
    for name, value in block.items():
        key = (*prefix, name if isinstance(name, str) else repr(name))
        if isinstance(value, Mapping) and len(key) < 4:
            yield from _leaves(value, key)
        else:
            yield key, value


def _shape(format_name: str, key: Key, urn: Any) -> str | None:
    depth = _FORMAT_DEPTHS[format_name]
    if len(key) != depth:
        return f"wires.{format_name} has {depth} levels of names, this has {len(key)}"
    if not isinstance(urn, str):
        return "the value is not a URN"
    if format_name == "flowlayer" and key[0] not in ("commands", "events"):
        return f"'{key[0]}' is neither commands nor events"
    if format_name == "phpmq" and key[0] != "queues":
        return f"'{key[0]}' is not queues"
    if format_name == "strata" and key[2] not in _STRATA_TYPES:
        return f"'{key[2]}' is none of {', '.join(_STRATA_TYPES)}"
    return None


def _names(format_name: str, key: Key) -> Iterator[str]:
    """Yield the reasons why the wire cannot carry the names of ``key``."""
    for name in key[:2] if format_name == "strata" else key[1:]:
        if not name:
            yield "an empty name is not a name on the wire"
        elif _HALF_PAIR.search(name):
            yield "half a surrogate pair has no UTF-8"
        elif format_name == "phpmq" and len(name.encode()) > _MAX_QUEUE_BYTES:
            yield f"a queue name beyond {_MAX_QUEUE_BYTES} bytes does not fit into a message"
