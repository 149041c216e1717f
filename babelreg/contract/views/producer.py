"""Producer view: the schema as written, and a closer that refuses undeclared names at every location."""

from __future__ import annotations

from typing import Any

from babelreg.contract.views.instance_locations import Location, Locations, Step
from babelreg.contract.views.rewriter import SchemaCopy
from babelreg.schema.dialects import Reach
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES, ITEM_KEYWORDS, UNEVALUATED
from babelreg.schema.regex.matching import matches


class ProducerViewBuilder:
    """Builder of the producer view of one document.

    Where one mapping alone applies to a location, ``additionalProperties: false`` is written into it. Where several do,
    they stay as written and a closer is added in an ``allOf``: it repeats only names. So whatever the view admits, the
    schema admits.
    """

    def __init__(self, locations: Locations) -> None:
        self._locations = locations
        self._new = SchemaCopy(locations)
        self._closes: dict[int, bool] = {}

    def view(self) -> Any:
        """Return the producer view; the same object where nothing closes."""
        root = self._locations.root
        if root is None or not self._closes_somewhere(root):
            return self._locations.document.root
        return self._new.finished(self._closed(self._locations.document.root, root))

    def closer(self) -> Any:
        """Return a schema that admits exactly the documents without undeclared names, valid or not."""
        root = self._locations.root
        return self._locations.dialect.anything if root is None else self._new.finished(self._closer(root))

    def _closes_somewhere(self, start: Location) -> bool:
        """Return True when this location or one reached from it is closed."""
        if id(start) in self._closes:
            return self._closes[id(start)]
        seen, waiting = {id(start)}, [start]
        while waiting:
            location = waiting.pop()
            if location.closed or self._closes.get(id(location)):
                self._closes[id(start)] = True
                return True
            for below in map(location.at, location.steps):
                if below is not None and id(below) not in seen:
                    seen.add(id(below))
                    waiting.append(below)
        self._closes.update(dict.fromkeys(seen, False))
        return False

    def _closed(self, schema: Any, location: Location | None) -> Any:
        if location is None or not self._closes_somewhere(location):
            return self._new.as_written(schema)
        only = location.only
        if only is None or any(keyword in only for keyword in UNEVALUATED):
            return {"allOf": [self._new.as_written(schema), self._closer(location)]}
        if schema is only:
            return self._inline(only, location)
        if self._locations.referred(schema) is not only:
            # it applies here too, though it declares no names
            return {"allOf": [self._new.as_written(schema), self._closer(location)]}
        if only is self._locations.document.root:
            return {**_annotations(schema), "$ref": "#"}
        reference = self._new.reference(
            ("closed", id(only)), self._new.hint(schema["$ref"]), lambda: self._inline(only, location)
        )
        return {**_annotations(schema), "$ref": reference}

    def _inline(self, schema: dict[str, Any], location: Location) -> dict[str, Any]:
        """Return the only mapping of a location, closed, with everything below it closed, too."""

        def each(keyword: str, step: str | int | None, subschema: Any) -> Any:
            if self._locations.dialect.keywords[keyword].reach is Reach.CONDITION or keyword == "contains":
                return self._new.as_written(subschema)
            taken = _step(keyword, step)
            return self._new.as_written(subschema) if taken is None else self._closed(subschema, location.at(taken))

        closed = self._new.mapped(schema, each, self._new.written_target)
        if location.closed and "additionalProperties" not in schema:
            listed = closed.get("properties", {})
            if not isinstance(listed, dict):
                return closed  # not a valid schema: compiling it will fail
            listed = dict(listed)
            patterns = location.patterns
            for name in location.names:
                if name not in listed and not any(matches(p, name) for p in patterns):
                    listed[name] = self._locations.dialect.anything
            closed = {**closed, "properties": listed, "additionalProperties": False}
        return closed

    def _closer(self, location: Location) -> Any:
        """Return a schema that refuses undeclared names here and below, and nothing else."""
        if not self._closes_somewhere(location):
            return self._locations.dialect.anything
        return {"$ref": self._new.reference(("closer", id(location)), "declared", lambda: self._refuser(location))}

    def _refuser(self, location: Location) -> dict[str, Any]:
        def below(step: Step) -> Any:
            further = location.at(step)
            return self._locations.dialect.anything if further is None else self._closer(further)

        anything = self._locations.dialect.anything
        steps = {step: below(step) for step in location.steps}
        names = {name: steps.get(("name", name), anything) for name in location.names}
        patterns = {pattern: steps.get(("pattern", pattern), anything) for pattern in location.patterns}
        closer: dict[str, Any] = {"properties": names, "patternProperties": patterns}
        if location.closed:
            closer["additionalProperties"] = False
        elif ("additional", "") in steps:
            closer["additionalProperties"] = steps["additional", ""]
        closer.update(self._items(steps))
        return {keyword: value for keyword, value in closer.items() if value not in ({}, [], True) or value is False}

    def _items(self, steps: dict[Step, Any]) -> dict[str, Any]:
        count = 1 + max((int(what) for kind, what in steps if kind == "index"), default=-1)
        listed = [steps["index", index] for index in range(count)]
        rest = steps.get(("rest", ""), self._locations.dialect.anything)
        if "prefixItems" in self._locations.dialect.keywords:
            return {"prefixItems": listed, "items": rest}
        return {"items": listed, "additionalItems": rest} if listed else {"items": rest}


def _annotations(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in ("title", "description") if key in schema}


def _step(keyword: str, step: str | int | None) -> Step | None:
    """Return the step to this child of a mapping; None when it applies to no location below."""
    if keyword == "properties":
        return "name", str(step)
    if keyword == "patternProperties":
        return "pattern", str(step)
    if keyword in ADDITIONAL_PROPERTIES:
        return "additional", ""
    if keyword == "prefixItems" or (keyword == "items" and step is not None):
        return "index", int(step or 0)
    return ("rest", "") if keyword in ITEM_KEYWORDS and keyword != "contains" else None
