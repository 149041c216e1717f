"""Copies of schema documents with changed subschemas, their references renamed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from babelreg.contract.views.instance_locations import Locations
from babelreg.schema.dialects import KeywordShape
from babelreg.schema.keywords import DEFINITIONS, IDENTIFIERS, REFERENCES

_ROOT = "root"
_LEFT_OUT = frozenset({*IDENTIFIERS, *DEFINITIONS, "$schema"})


class SchemaCopy:
    """Copy of a schema document, definition by definition.

    Every reference in it leads to ``#/$defs/<name>`` (``definitions`` before 2019-09), where a name is that of one
    variant of one subschema. Identifiers and anchors are dropped: nothing refers to them.
    """

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.dialect = locations.dialect
        self.document = locations.document
        self._changing = frozenset([*self.dialect.keywords, *REFERENCES, *_LEFT_OUT])
        self._folder = "$defs" if "$defs" in self.dialect.keywords else "definitions"
        self._definitions: dict[str, Any] = {}
        self._names: dict[Hashable, str] = {}
        self._waiting: deque[tuple[str, Callable[[], Any]]] = deque()

    def finished(self, schema: Any) -> Any:
        """Return ``schema`` with every definition that it needs, directly or not."""
        while self._waiting:
            name, build = self._waiting.popleft()
            self._definitions[name] = build()
        if not isinstance(schema, dict):
            return schema
        source = self.document.root
        head = {"$schema": source["$schema"]} if isinstance(source, dict) and "$schema" in source else {}
        tail = {self._folder: {name: self._definitions[name] for name in self._names.values()}} if self._names else {}
        return {**head, **schema, **tail}

    def reference(self, key: Hashable, hint: str, build: Callable[[], Any]) -> str:
        """Return the reference to the definition known by ``key``; ``build`` makes it, later, when it is new."""
        if key not in self._names:
            name = hint
            count = 1
            while name in self._definitions:
                count += 1
                name = f"{hint}.{count}"
            self._names[key] = name
            self._definitions[name] = None
            self._waiting.append((name, build))
        return f"#/{self._folder}/{self._names[key]}"

    def hint(self, reference: Any) -> str:
        """Return a readable name for the target of ``reference``."""
        last = str(reference).replace("#", "/").rstrip("/").rpartition("/")[2]
        kept = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in last)
        return kept[:60] or _ROOT

    def as_written(self, schema: Any) -> Any:
        """Return a schema that means in the new document what ``schema`` means in the old one."""
        if not isinstance(schema, dict) or self._changing.isdisjoint(schema):
            return schema
        return self.mapped(schema, lambda _keyword, _step, subschema: self.as_written(subschema), self.written_target)

    def written_target(self, node: dict[str, Any], keyword: str) -> str:
        """Return the new text of a reference to its present target, as written."""
        target = self.document.schema(node, keyword)
        return self.reference(("written", id(target)), self.hint(node[keyword]), lambda: self.as_written(target))

    def mapped(
        self,
        schema: dict[str, Any],
        each: Callable[[str, str | int | None, Any], Any],
        target: Callable[[dict[str, Any], str], str],
    ) -> dict[str, Any]:
        """Return a copy of ``schema`` with ``each(keyword, step, subschema)`` for every subschema directly below.

        ``target`` returns the new text of a reference.
        """
        if self.dialect.only_refers(schema):
            return {**_annotations(schema), "$ref": target(schema, "$ref")}
        copy: dict[str, Any] = {}
        for keyword, value in schema.items():
            if keyword in _LEFT_OUT:
                continue
            held = self.dialect.keywords.get(keyword)
            if keyword == "$ref":
                copy["$ref"] = target(schema, keyword)
            elif keyword in REFERENCES:
                if self.dialect.knows(keyword):
                    copy["allOf"] = [*copy.get("allOf", []), {"$ref": target(schema, keyword)}]
            elif held is None:
                copy[keyword] = value
            elif keyword == "allOf" and isinstance(value, list):
                copy["allOf"] = [*copy.get("allOf", []), *(each(keyword, i, sub) for i, sub in enumerate(value))]
            elif isinstance(value, list) and held.shape in (KeywordShape.LIST, KeywordShape.ONE_OR_LIST):
                copy[keyword] = [each(keyword, index, subschema) for index, subschema in enumerate(value)]
            elif isinstance(value, dict) and held.shape in (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES):
                copy[keyword] = {n: v if isinstance(v, list) else each(keyword, n, v) for n, v in value.items()}
            elif held.shape in (KeywordShape.ONE, KeywordShape.ONE_OR_LIST):
                copy[keyword] = each(keyword, None, value)
            else:
                copy[keyword] = value
        return copy


def _annotations(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in ("title", "description") if key in schema}
