"""The order of keys in the files of a registry, as people expect to read them.

Keys that are not listed keep their own order and come last. Where the order of keys is the author's to choose (names of
properties, examples, values of any kind) nothing is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from babelreg.schema.dialects import DIALECTS, KeywordShape


@dataclass(frozen=True, slots=True)
class Role:
    """Role of a mapping: its keys in order, and the roles of their values, else ``other``.

    A list hands its role on to its items.
    """

    keys: Mapping[str, int] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)
    other: str = "any"

    def rank(self, key: str) -> int:
        """Return the sort key of ``key``."""
        return self.keys.get(key, len(self.keys))


def _role(keys: str, other: str = "any", **members: str) -> Role:
    return Role({key: index for index, key in enumerate(keys.split())}, members, other)


def _block_roles(role: str, properties: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> dict[str, Role]:
    """Return the roles of a mapping with these ``properties``, in their order, and of those below it."""
    below = {name: (f"{role}.{name}", schema) for name, schema in properties.items()}
    parts = [*below.values(), *([(f"{role}.*", other)] if other else [])]
    own = Role(
        {name: index for index, name in enumerate(properties)},
        {name: part for name, (part, _) in below.items()},
        f"{role}.*" if other else "any",
    )
    roles = {role: own}
    for name, schema in parts:
        rest = schema.get("additionalProperties")
        roles |= _block_roles(name, schema.get("properties", {}), rest if isinstance(rest, dict) else None)
    return roles


_VALUE = """$schema $id $anchor $dynamicAnchor $vocabulary $comment $ref $dynamicRef type const enum x-open-enum
  format pattern minLength maxLength minimum exclusiveMinimum maximum exclusiveMaximum multipleOf
  contentEncoding contentMediaType contentSchema minItems maxItems uniqueItems minContains maxContains
  minProperties maxProperties default title description deprecated readOnly writeOnly examples"""
_PARTS = """required properties patternProperties additionalProperties unevaluatedProperties propertyNames
  dependentRequired dependentSchemas dependencies prefixItems items additionalItems unevaluatedItems contains
  allOf anyOf oneOf not if then else $defs definitions"""
_NAMED = (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES)

_ROLES: Mapping[str, Role] = {
    "any": Role(),
    "message": _role(
        """urn aliases kind status sunset retired_on description owner queue headers supersedes producers consumers
        delivery data examples counterexamples upcast""",
        data="schema",
        delivery="delivery",
        counterexamples="counterexample",
    ),
    "delivery": _role("max_attempts backoff time_limit_seconds on_failure", backoff="backoff"),
    "backoff": _role("first_seconds factor longest_seconds"),
    "counterexample": _role("because data"),
    "context": _role("owner description contact compatibility", compatibility="compatibility"),
    "compatibility": _role("reader direction open_objects since"),
    "service": _role("owner lang repo contact description consumes", consumes="consumption"),
    "consumption": _role("urn queue reads expects on_unexpected", expects="schemas"),
    "settings": _role(
        "version schemas compatibility ignore_files owners traffic wires spark breaking lint gen imports",
        compatibility="compatibility",
        breaking="breaking",
        lint="lint",
        wires="wires",
        spark="spark",
    ),
    "spark": _role("engine fail_above hold_above", fail_above="thresholds", hold_above="thresholds"),
    "thresholds": _role("total each"),
    "breaking": _role("waivers", waivers="waiver"),
    "lint": _role("profile rules paths waivers", paths="lint-path", waivers="waiver"),
    "lint-path": _role("path profile rules"),
    "waiver": _role("rule urn path pointer change reason expires"),
    "schemas": Role(other="schema"),
    "schema": _role(
        f"{_VALUE} {_PARTS}",
        **{
            name: "schemas" if keyword.shape in _NAMED else "schema"
            for dialect in DIALECTS.values()
            for name, keyword in dialect.keywords.items()
        },
    ),
}


@cache
def _wire_roles() -> Mapping[str, Role]:
    """Return the roles of ``wires`` and of the mappings below it; only a file that has it imports the wire formats."""
    from babelreg.wire.formats.table import FORMATS

    return _block_roles("wires", {name: wire.names.block for name, wire in FORMATS.items() if wire.names is not None})


def role_named(name: str) -> Role:
    """Return the role of that name; KeyError where there is none."""
    return _ROLES[name] if name in _ROLES else _wire_roles()[name]


def below(role: str, key: str) -> str:
    """Return the role of the value of ``key`` in a mapping of ``role``."""
    order = role_named(role)
    return order.members.get(key, order.other)


def neighbour(role: str, path: Iterable[str | int], keys: Iterable[str], key: str) -> str | None:
    """Return the one of ``keys`` after which a new ``key`` goes, in the mapping at ``path`` of a file of ``role``."""
    for step in path:
        role = role if isinstance(step, int) else below(role, step)
    order = role_named(role)
    rank = order.rank(key)
    if rank == len(order.keys):
        return None
    return max((k for k in keys if order.rank(k) < rank), key=order.rank, default=None)
