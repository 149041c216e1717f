"""Reader view: the schema as written, but undeclared properties and new values of open enums are admitted."""

from __future__ import annotations

from typing import Any

from babelreg.contract.views.instance_locations import Location, Locations
from babelreg.contract.views.rewriter import SchemaCopy
from babelreg.schema.dialects import Reach
from babelreg.schema.open_enums import is_open_enum, types_of
from babelreg.schema.regex.matching import matches
from babelreg.schema.walk import children

_Key = tuple[int, int]


class ReaderViewBuilder:
    """Builder of the reader view of one document: every subschema is rewritten for the location that it applies to."""

    def __init__(self, locations: Locations) -> None:
        self._locations = locations
        self._dialect = locations.dialect
        self._document = locations.document
        self._new = SchemaCopy(locations)
        self._widens: dict[_Key, bool] = {}

    def view(self) -> Any:
        """Return the reader view; the same object where nothing opens."""
        root, schema = self._locations.root, self._document.root
        if root is None or not self._changes(schema, root):
            return schema
        return self._new.finished(self._opened(schema, root))

    def widens(self) -> bool:
        """Return True when the view admits more than the schema would without undeclared properties."""
        root = self._locations.root
        return root is not None and self._widened(self._document.root, root)

    # -- what changes --------------------------------------------------------------------------------------------

    def _reached(self, schema: Any, location: Location) -> list[tuple[Any, Location]]:
        """Return every subschema at or below ``schema`` that is rewritten, with the location it is rewritten for."""
        seen: dict[_Key, tuple[Any, Location]] = {}
        waiting = [(schema, location)]
        while waiting:
            node, place = waiting.pop()
            if not isinstance(node, dict) or (id(node), id(place)) in seen:
                continue
            seen[id(node), id(place)] = (node, place)
            waiting += [(target, place) for target in self._document.schemas(node)]
            for _, _, below, reach in children(node, self._dialect):
                further = self._place(below, reach, place)
                if further is not None:
                    waiting.append((below, further))
        return list(seen.values())

    @staticmethod
    def _place(subschema: Any, reach: Reach, location: Location) -> Location | None:
        if reach is Reach.IN_PLACE:
            return location
        if reach in (Reach.PROPERTY, Reach.ITEM) and isinstance(subschema, dict):
            return location.around(subschema)
        return None

    def _changes(self, schema: Any, location: Location) -> bool:
        return any(
            self._drops_false(node, place) or self._admits_more(node, place)
            for node, place in self._reached(schema, location)
        )

    def _drops_false(self, node: dict[str, Any], location: Location) -> bool:
        return node.get("additionalProperties") is False and not location.open

    def _admits_more(self, node: dict[str, Any], location: Location) -> bool:
        """Return True when the rewritten node admits a document that it should not: JSON Schema cannot express it."""
        return (
            (self._drops_false(node, location) and not self._stays_exact(location))
            or self._drops_unevaluated(node, location)
            or self._drops_count(node, location)
            or is_open_enum(node)
        )

    def _stays_exact(self, location: Location) -> bool:
        """Return True when dropping ``false`` admits only undeclared names, which no producer sends here."""
        return location.closed and not location.merged and self._can_refuse(location)

    def _can_refuse(self, location: Location) -> bool:
        """Return True when names that others declare can be refused: with patterns this needs ``propertyNames``."""
        return not location.patterns or "propertyNames" in self._dialect.keywords

    def _drops_unevaluated(self, node: dict[str, Any], location: Location) -> bool:
        return (
            node.get("unevaluatedProperties") is False
            and "unevaluatedProperties" in self._dialect.keywords
            and not location.open
        )

    @staticmethod
    def _drops_count(node: dict[str, Any], location: Location) -> bool:
        return "maxProperties" in node and location.ignores

    def _widened(self, schema: Any, location: Location) -> bool:
        """Return True when the rewritten schema admits more than it should, here or anywhere below."""
        key = (id(schema), id(location))
        if key not in self._widens:
            self._widens[key] = any(self._admits_more(node, place) for node, place in self._reached(schema, location))
        return self._widens[key]

    # -- the change -------------------------------------------------------------------------------------------------

    def _opened(self, schema: Any, location: Location | None) -> Any:
        if not isinstance(schema, dict) or location is None:
            return self._new.as_written(schema)
        at = location

        def each(keyword: str, step: str | int | None, subschema: Any) -> Any:
            place = self._place(subschema, self._dialect.keywords[keyword].reach, at)
            return self._new.as_written(subschema) if place is None else self._opened(subschema, place)

        def target(node: dict[str, Any], keyword: str) -> str:
            found = self._document.schema(node, keyword)
            if found is self._document.root and at is self._locations.root:
                return "#"
            key = ("opened", id(found), id(at))
            return self._new.reference(key, self._new.hint(node[keyword]), lambda: self._opened(found, at))

        copy = self._new.mapped(schema, each, target)
        if not self._dialect.only_refers(schema):
            self._open_names(copy, schema, at)
            self._open_rest(copy, schema, at)
        return copy

    def _open_names(self, copy: dict[str, Any], schema: dict[str, Any], location: Location) -> None:
        if self._drops_unevaluated(schema, location):
            del copy["unevaluatedProperties"]
        if self._drops_count(schema, location):
            del copy["maxProperties"]
        if not self._drops_false(schema, location):
            return
        del copy["additionalProperties"]
        own = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        foreign = [n for n in location.names if n not in own and not any(matches(p, n) for p in patterns)]
        foreign_patterns = [pattern for pattern in location.patterns if pattern not in patterns]
        if foreign_patterns and self._can_refuse(location):
            self._refuse_by_name(copy, own, patterns, location)
        elif foreign and not foreign_patterns:
            copy["properties"] = {**copy.get("properties", {}), **dict.fromkeys(foreign, self._dialect.nothing)}

    def _refuse_by_name(
        self, copy: dict[str, Any], own: dict[str, Any], patterns: dict[str, Any], location: Location
    ) -> None:
        """Admit a name that this node declares, or that none declares."""
        mine: list[dict[str, Any]] = [{"enum": list(own)}] if own else []
        mine += [{"pattern": pattern} for pattern in patterns]
        declared: list[dict[str, Any]] = [{"enum": list(location.names)}] if location.names else []
        declared += [{"pattern": pattern} for pattern in location.patterns]
        rule = {"propertyNames": {"anyOf": [*mine, {"not": {"anyOf": declared}}]}}
        copy["allOf"] = [*copy.get("allOf", []), rule]

    def _open_rest(self, copy: dict[str, Any], schema: dict[str, Any], location: Location) -> None:
        if is_open_enum(schema):
            del copy["enum"]
            types = types_of(schema["enum"], integers=self._dialect.booleans)
            copy["allOf"] = [*copy.get("allOf", []), {"type": types if len(types) != 1 else types[0]}]
        branches = schema.get("oneOf")
        if isinstance(branches, list) and any(self._widened(branch, location) for branch in branches):
            copy["allOf"] = [*copy.get("allOf", []), {"anyOf": copy.pop("oneOf")}]
        contained = schema.get("contains")
        if isinstance(contained, dict) and "maxContains" in schema:
            place = location.around(contained)
            if place is not None and self._widened(contained, place):
                del copy["maxContains"]
