"""The mapping between foreign names and URNs: the ``wires:`` block of a registry as plain data.

A key is the path of a name in its format's block::

    flowlayer: {commands: {start_service: URN}, events: {log: URN}}            ("commands", "start_service")
    phpmq:     {queues: {Foo: URN}}                                            ("queues", "Foo")
    strata:    {Orders: {createOrder: {request: URN, response: URN}}}          ("Orders", "createOrder", "request")

A post of Strata takes the entry ``post``, else ``request``. A format whose messages carry URNs or aliases has its
settings in the same form, and the URN of each name under ``("name", NAME)``. ``UrnMapping.of(block)`` flattens the
block of one format; ``mapping_check`` returns its defects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, ...]

_HALF_PAIR = re.compile(r"[\ud800-\udfff]")


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
        return cls({key: urn for key, urn in leaves(block or {}) if isinstance(urn, str)})


UNMAPPED = UrnMapping({})
"""The empty mapping: every name takes the mechanical default."""


def leaves(block: Mapping[Any, Any], prefix: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Yield the key and the value of each entry of a block."""
    for name, value in block.items():
        key = (*prefix, name if isinstance(name, str) else repr(name))
        if isinstance(value, Mapping) and len(key) < 5:
            yield from leaves(value, key)
        else:
            yield key, value


def spelling_defects(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the defects of names that no wire carries."""
    for name in names:
        if not name:
            yield "name_not_on_wire", "a name on the wire cannot be empty"
        elif _HALF_PAIR.search(name):
            yield "name_not_on_wire", "an unpaired surrogate cannot be encoded as UTF-8"


def names_by_urn(declared: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of each URN: itself, then its aliases. ``declared`` has the URN of each name."""
    names: dict[str, list[str]] = {urn: [urn] for name, urn in declared.items() if name == urn}
    for name, urn in declared.items():
        if name != urn and urn in names:
            names[urn].append(name)
    return names
