"""Translation of a schema of an older dialect into 2020-12, with the same meaning.

Keywords that 2020-12 spells in another way are respelled: ``definitions``, lists in ``items``, ``dependencies``, the
boolean ``exclusiveMinimum`` of draft-04, ``$recursiveRef``. Keywords that the older dialect does not know refuse
nothing there and are removed, as is everything that a ``$ref`` makes void. References follow the subschemas that move.
A meaning that 2020-12 cannot express is returned as a :class:`Loss`, with its place.

Sources: the release notes of draft-06, draft-07, 2019-09 and 2020-12, "Migrating".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DEFAULT, DIALECTS, Dialect, identify
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS, UNEVALUATED, VALUES
from babelreg.schema.local_references import local_pointer
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.upgrade.respelling import RESPELLED, Site
from babelreg.schema.walk import MAX_DEPTH, held

_ORDER = tuple(DIALECTS)
_SINCE = {
    **dict.fromkeys(("const", "contains", "propertyNames"), "draft6"),
    **dict.fromkeys(("if", "then", "else"), "draft7"),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", *UNEVALUATED, "contentSchema"), "draft2019-09"),
    **dict.fromkeys(("minContains", "maxContains", "$anchor", "$recursiveRef", "$recursiveAnchor"), "draft2019-09"),
    **dict.fromkeys(("prefixItems", "$dynamicRef", "$dynamicAnchor"), "draft2020-12"),
}  # fmt: skip
"""The dialect that introduced a keyword. Older ones do not know it."""

_FORMAT_SINCE = {
    **dict.fromkeys(("uri-reference", "uri-template", "json-pointer"), "draft6"),
    **dict.fromkeys(("date", "time", "regex", "relative-json-pointer"), "draft7"),
    **dict.fromkeys(("idn-email", "idn-hostname", "iri", "iri-reference"), "draft7"),
    **dict.fromkeys(("uuid", "duration"), "draft2019-09"),
}
_CONTENT = frozenset({"contentMediaType", "contentEncoding"})
_MAX_STEPS = 4 * MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Loss:
    """A meaning that was not kept: ``pointer`` leads to its schema in the original, ``reason`` is a sentence."""

    pointer: Pointer
    keyword: str
    reason: str

    def __str__(self) -> str:
        return f"'{self.keyword}' at '{text(self.pointer)}': {self.reason}"


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A schema in 2020-12. ``moved`` has the new pointer of each subschema by that in the original."""

    schema: Any
    losses: tuple[Loss, ...]
    moved: Mapping[Pointer, Pointer]


def upgraded(schema: Any, dialect: Dialect, *, formats: bool = True, referenced: Iterable[Pointer] = ()) -> Upgraded:
    """Return ``schema``, which is of ``dialect``, in 2020-12, without ``$schema``.

    ``formats`` says whether formats are asserted; then a format that the older dialect does not define is a loss.
    ``referenced`` are places that references of other documents lead to, and which hold schemas therefore.
    Raises SchemaError for a schema nested too deeply.
    """
    upgrade = _Upgrade(dialect, formats, _referenced(schema).union(map(text, referenced)))
    translated = upgrade.subschema(schema, (), ())
    upgrade.follow_references()
    return Upgraded(translated, tuple(upgrade.losses), upgrade.moved)


def in_one_dialect(old: Any, new: Any, *, formats: bool = True) -> tuple[Any, Any, Dialect]:
    """Return two schemas in the dialect of both, or in 2020-12 where their dialects differ.

    Raises SchemaError where a keyword of one of them means something else in 2020-12, or a dialect is not known.
    """
    dialects = [identify(schema) for schema in (old, new)]
    if dialects[0] == dialects[1]:
        return old, new, dialects[0]
    results = [upgraded(schema, dialect, formats=formats) for schema, dialect in zip((old, new), dialects, strict=True)]
    loss = next((loss for result in results for loss in result.losses), None)
    if loss is not None:
        names = f"{dialects[0].name} and {dialects[1].name}"
        raise SchemaError(f"the dialects differ: {names}; some keywords have another meaning in 2020-12: {loss}")
    return results[0].schema, results[1].schema, DEFAULT


@dataclass
class _Upgrade:
    """One translation. ``referenced`` are the places that a reference leads to: subschemas wherever they are."""

    dialect: Dialect
    formats: bool
    referenced: frozenset[str]
    losses: list[Loss] = field(default_factory=list)
    moved: dict[Pointer, Pointer] = field(default_factory=dict)
    referring: list[tuple[Pointer, dict[str, Any]]] = field(default_factory=list)

    def subschema(self, schema: Any, old: Pointer, new: Pointer) -> Any:
        """Return the subschema at ``old``, which will be at ``new``."""
        if len(new) > _MAX_STEPS:
            raise SchemaError(f"schemas nest too deeply at {text(old)[:100]}...")
        self.moved[old] = new
        if not isinstance(schema, dict):
            return schema
        site = Site(self._counting(schema), old, new)
        self.losses += (Loss(old, keyword, reason) for keyword, reason in self._losses(site))
        for keyword, value in site.schema.items():
            self._add(site, keyword, value)
        if "$ref" in site.result:
            self.referring.append((old, site.result))
        return site.result

    def follow_references(self) -> None:
        """Lead every local reference to where its target is now."""
        places = {text(old): text(new) for old, new in self.moved.items()}
        for at, schema in self.referring:
            place = _place(schema["$ref"])
            if place in places:
                schema["$ref"] = "#" + quote(places[place], safe="/~!$&'()*+,;=:@?")
            elif place is not None:
                self.losses.append(Loss(at, "$ref", f"'#{place}' is not a schema that is applied"))

    def _counting(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the members of ``schema`` that mean something in its dialect."""
        alone = self.dialect.only_refers(schema)
        return {
            keyword: value
            for keyword, value in schema.items()
            if not self._is_newer(_SINCE.get(keyword)) and not (alone and _is_void(keyword))
        }

    def _is_newer(self, since: str | None) -> bool:
        return since is not None and _ORDER.index(since) > _ORDER.index(self.dialect.name)

    def _losses(self, site: Site) -> Iterator[tuple[str, str]]:
        schema, name = site.schema, self.dialect.name
        types = schema.get("type")
        if name == "draft4" and "integer" in (types if isinstance(types, list) else [types]):
            yield "type", "1.0 is not an integer in draft-04; in 2020-12 it is"
        asserted = schema.get("format")
        if self.formats and isinstance(asserted, str) and self._is_newer(_FORMAT_SINCE.get(asserted)):
            yield "format", f"{name} does not define the format '{asserted}', which 2020-12 asserts"
        if name in ("draft6", "draft7"):
            for keyword in _CONTENT & schema.keys():
                yield keyword, f"it may refuse texts in {name}; in 2020-12 it is an annotation"
        if name == "draft2019-09" and {"contains", "unevaluatedItems"} <= schema.keys():
            yield "unevaluatedItems", "in 2019-09 items that match 'contains' are unevaluated; in 2020-12 they are not"
        if {"$ref", "$recursiveRef"} <= schema.keys():
            yield "$recursiveRef", "there is a $ref beside it"
        identifier = schema.get(self.dialect.identifier)
        if site.old and isinstance(identifier, str) and not identifier.startswith("#"):
            yield self.dialect.identifier, "references below it are relative to it"

    def _add(self, site: Site, keyword: str, value: Any) -> None:
        """Add what ``keyword`` becomes to the result."""
        respell = RESPELLED[self.dialect.name].get(keyword)
        shape = self.dialect.keywords.get(keyword)
        if respell is not None:
            respell(self.subschema, site, value)
        elif shape is None:
            is_data = keyword in VALUES
            site.result[keyword] = value if is_data else self._other(value, (*site.old, keyword), (*site.new, keyword))
        else:
            site.result[keyword] = copy(value)
            for steps, below in held(value, shape.shape):
                at = (keyword, *steps)
                _put(site.result, at, self.subschema(below, (*site.old, *at), (*site.new, *at)))

    def _other(self, value: Any, old: Pointer, new: Pointer) -> Any:
        """Return a value in which no keyword has its place, but to which a reference may lead all the same."""
        if text(old) in self.referenced:
            return self.subschema(value, old, new)
        if not isinstance(value, (dict, list)) or not any(
            place.startswith(f"{text(old)}/") for place in self.referenced
        ):
            return value
        if isinstance(value, dict):
            return {key: self._other(item, (*old, key), (*new, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._other(item, (*old, n), (*new, n)) for n, item in enumerate(value)]
        return value


def _is_void(keyword: str) -> bool:
    """Return True for a keyword that a ``$ref`` beside it makes void, and that is more than an annotation."""
    kept = {"$ref", "$schema", *DEFINITIONS, *ANNOTATIONS}
    return keyword not in kept and not keyword.startswith("x-")


def _put(target: Any, steps: Pointer, value: Any) -> None:
    for step in steps[:-1]:
        target = target[step]
    target[steps[-1]] = value


def _referenced(schema: Any) -> frozenset[str]:
    """Return the places that local references lead to, wherever a ``$ref`` stands."""
    places, waiting = set(), [(schema, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _MAX_STEPS:
            raise SchemaError("schemas nest too deeply")
        if isinstance(value, dict):
            places.add(_place(value.get("$ref")))
        if isinstance(value, (dict, list)):
            waiting += ((item, depth + 1) for item in (value.values() if isinstance(value, dict) else value))
    return frozenset(place for place in places if place is not None)


def _place(reference: Any) -> str | None:
    """Return the pointer of a local reference, None for any other."""
    steps = local_pointer(reference)
    return None if steps is None else text(steps)
