"""Pairs of schemas that differ by one edit, and documents drawn from what the edit changes.

Nothing here knows the search or the proof: a document is a value of the first schema in which one part is replaced by
a boundary value of either schema.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["DRAFTS", "Documents", "edited", "schema"]

DRAFTS = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12")
NAMES = ("a", "b", "ab", "c1", "")
NUMBERS: tuple[Any, ...] = (-1, 0, 1, 2, 3, 0.5, 1.5, 2.5, 1.0, 10)
PATTERNS = (
    "^a", "b$", "^[ab]+$", "^[a-c1]*$", r"^\d+$", r"^\w*$", r"^\W$", r"^\S+$", r"\s", "^.$", "^(a|b1)$", "^$", "a",
    r"^\D$", "^[^a]$", "^a{1,2}$", r"\bа", "^(?=a)", r"^[^\s]+$", "", "^a|b$", "c?", r"^\x61", r"^\u0061$",
)  # fmt: skip
TEXTS: tuple[str, ...] = (
    "", "a", "b", "ab", "ba", "aa", "aaa", "aaaa", "b1", "c1", "1", "12", " ", "a\n", "\n", "\u2003", "\u00a0", "é",
    "\u0663", "A", "2024-02-29", "1.2.3.4", "j@e.org", "e30=", "{}", "\U0001f600", "_", "-", "\x1c", "\ufeff",
)  # fmt: skip
VALUES: tuple[Any, ...] = (0, 1, 1.0, 2, True, False, None, "", "a", "b", "ab", [], {}, [1], {"a": 1}, 1.5, "1")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
SCHEMA_KEYWORDS = (
    "items", "additionalItems", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip


class Writer:
    """Random schemas of one dialect."""

    def __init__(self, chance: random.Random, draft: str) -> None:
        self.chance = chance
        self.level = DRAFTS.index(draft)
        self.definitions = "$defs" if self.level > 2 else "definitions"

    def keywords(self) -> dict[str, Callable[[int], Any]]:
        """Return a writer of the value of each keyword that the dialect has."""
        chance, sub = self.chance, self.schema
        few = lambda depth: chance.randint(0, 3)  # noqa: E731
        number = lambda depth: chance.choice(NUMBERS)  # noqa: E731
        exclusive = number if self.level else lambda depth: chance.random() < 0.7
        several = lambda depth: [sub(depth) for _ in range(chance.randint(1, 3))]  # noqa: E731
        by_name = lambda depth: {n: sub(depth) for n in chance.sample(NAMES, chance.randint(1, 3))}  # noqa: E731
        by_pattern = lambda depth: {p: sub(depth) for p in chance.sample(PATTERNS, chance.randint(1, 2))}  # noqa: E731
        names = lambda depth: chance.sample(NAMES, chance.randint(1, 2))  # noqa: E731
        name_rules = lambda depth: {n: names(depth) for n in names(depth)}  # noqa: E731
        written: list[dict[str, Callable[[int], Any]]] = [
            {
                "type": lambda depth: chance.choice([chance.choice(TYPES), chance.sample(TYPES, 2)]),
                "enum": lambda depth: list({repr(v): v for v in chance.sample(VALUES, chance.randint(1, 4))}.values()),
                "minimum": number, "maximum": number, "exclusiveMinimum": exclusive, "exclusiveMaximum": exclusive,
                "multipleOf": lambda depth: chance.choice([1, 2, 3, 0.5, 1.5, 4, 0.1]),
                "minLength": few, "maxLength": few, "minItems": few, "maxItems": few, "minProperties": few,
                "maxProperties": few, "uniqueItems": lambda depth: chance.random() < 0.8, "required": names,
                "pattern": lambda depth: chance.choice(PATTERNS),
                "format": lambda depth: chance.choice(["date", "ipv4", "email"]),
                "properties": by_name, "patternProperties": by_pattern, "additionalProperties": self.or_boolean,
                "items": lambda depth: several(depth) if chance.random() < 0.4 and self.level < 4 else sub(depth),
                "allOf": several, "anyOf": several, "oneOf": several, "not": sub,
                "dependencies": lambda depth: {n: chance.choice([names, sub])(depth) for n in names(depth)},
                "contentEncoding": lambda depth: "base64",
                "contentMediaType": lambda depth: "application/json",
            },
            {"const": lambda depth: chance.choice(VALUES), "contains": sub, "propertyNames": sub},
            {"if": sub, "then": sub, "else": sub},
            {
                "dependentRequired": name_rules, "dependentSchemas": by_name, "minContains": few, "maxContains": few,
                "unevaluatedItems": self.or_boolean, "unevaluatedProperties": self.or_boolean,
            },
            {"prefixItems": several},
        ]  # fmt: skip
        if self.level < 4:
            written[0]["additionalItems"] = self.or_boolean
        return {k: v for table in written[: self.level + 1] for k, v in table.items()}

    def or_boolean(self, depth: int) -> Any:
        return self.chance.choice([False, False, True, self.schema(depth)])

    def schema(self, depth: int = 0) -> Any:
        """Return a schema; ``depth`` counts the levels above it."""
        if depth > 2 or self.chance.random() < 0.1:
            return self.chance.choice([{}, {"type": self.chance.choice(TYPES)}, {"enum": ["a", 1]}, self.reference()])
        keywords = self.keywords()
        family = self.chance.choice(FAMILIES)
        chosen = self.chance.sample(family, min(len(family), self.chance.randint(1, 3)))
        result = {keyword: keywords[keyword](depth + 1) for keyword in chosen if keyword in keywords}
        if self.chance.random() < 0.5:
            result.setdefault("type", self.chance.choice(TYPES))
        if self.level == 0:
            for bound in ("minimum", "maximum"):
                if f"exclusive{bound.capitalize()}" in result:
                    result.setdefault(bound, self.chance.choice(NUMBERS))
        return result

    def reference(self) -> Any:
        return {"$ref": self.chance.choice(["#", f"#/{self.definitions}/x", f"#/{self.definitions}/x"])}


_COMBINED = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "type"]
FAMILIES = (
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "type", "enum"],
    ["minLength", "maxLength", "pattern", "pattern", "format", "enum", "const", "contentEncoding", "contentMediaType"],
    ["items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
     "maxContains", "unevaluatedItems"],
    ["properties", "patternProperties", "additionalProperties", "required", "propertyNames", "minProperties",
     "maxProperties", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "properties"],
    ["properties", "required", "additionalProperties", "patternProperties"],
    _COMBINED,
    _COMBINED,
)  # fmt: skip


def schema(chance: random.Random, draft: str) -> dict[str, Any]:
    """Return a schema with a definition ``x``."""
    writer = Writer(chance, draft)
    result = writer.schema()
    if chance.random() < 0.2:
        result = {"allOf": [{"$ref": f"#/{writer.definitions}/x"}, result]}
    refers = f"/{writer.definitions}/x" in repr(result)
    return {**result, writer.definitions: {"x": writer.schema(1)}} if refers else result


def edited(chance: random.Random, draft: str, root: dict[str, Any]) -> dict[str, Any]:
    """Return ``root`` with one subschema spelled in another way, perhaps, and one edited."""
    result = copy.deepcopy(root)
    writer = Writer(chance, draft)
    if chance.random() < 0.5:
        _respelled(chance, writer, chance.choice(list(_subschemas(result))))
    _edit(chance, writer, chance.choice(list(_subschemas(result))))
    if f"/{writer.definitions}/x" in repr(result):
        result.setdefault(writer.definitions, {"x": writer.schema(1)})
    return result


def _subschemas(node: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(node, dict):
        return
    yield node
    for keyword, value in node.items():
        if keyword in SCHEMA_KEYWORDS and isinstance(value, dict):
            yield from _subschemas(value)
        elif keyword in ("allOf", "anyOf", "oneOf", "items", "prefixItems") and isinstance(value, list):
            for member in value:
                yield from _subschemas(member)
        elif keyword in _BY_NAME and isinstance(value, dict):
            for member in value.values():
                yield from _subschemas(member)


_BY_NAME = ("properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies")


def _edit(chance: random.Random, writer: Writer, node: dict[str, Any]) -> None:
    own = [keyword for keyword in node if keyword not in ("$defs", "definitions", "$ref")]
    keywords = writer.keywords()
    if not own or chance.random() < 0.3:
        keyword = chance.choice(list(keywords))
        node[keyword] = keywords[keyword](2)
    elif chance.random() < 0.3:
        del node[chance.choice(own)]
    elif related := [(keyword, other) for keyword in own for other in _RELATED.get(keyword, ()) if other in keywords]:
        keyword, other = chance.choice(related)
        value = node[keyword] if chance.random() < 0.5 else node.pop(keyword)
        node[other] = value if _ALIKE.get(keyword) == _ALIKE.get(other, "") else keywords[other](2)
    else:
        keyword = chance.choice(own)
        node[keyword] = _another(chance, node[keyword], lambda: keywords[keyword](2))


_RELATED: dict[str, tuple[str, ...]] = {
    "enum": ("type", "pattern", "minimum", "multipleOf", "required", "const"),
    "const": ("type", "enum", "maxLength"),
    "type": ("enum", "multipleOf", "not"),
    "pattern": ("minLength", "maxLength", "enum", "format"),
    "minLength": ("pattern", "maxLength"),
    "maxLength": ("pattern", "minLength", "const"),
    "format": ("contentEncoding", "pattern"),
    "contentEncoding": ("contentMediaType",),
    "contentMediaType": ("contentEncoding",),
    "minimum": ("exclusiveMinimum", "multipleOf"),
    "exclusiveMinimum": ("minimum",),
    "maximum": ("exclusiveMaximum",),
    "exclusiveMaximum": ("maximum",),
    "multipleOf": ("type", "enum"),
    "items": ("prefixItems", "additionalItems", "contains", "unevaluatedItems"),
    "prefixItems": ("items", "maxItems", "unevaluatedItems"),
    "additionalItems": ("items", "maxItems"),
    "contains": ("minItems", "minContains", "maxContains", "items"),
    "minContains": ("maxContains", "minItems"),
    "properties": ("patternProperties", "additionalProperties", "dependentSchemas", "propertyNames"),
    "patternProperties": ("properties", "additionalProperties", "propertyNames"),
    "additionalProperties": ("unevaluatedProperties", "propertyNames", "maxProperties"),
    "unevaluatedProperties": ("additionalProperties",),
    "propertyNames": ("additionalProperties", "patternProperties"),
    "required": ("dependentRequired", "minProperties", "dependencies"),
    "dependencies": ("dependentRequired", "dependentSchemas"),
    "dependentRequired": ("dependencies", "required"),
    "dependentSchemas": ("dependencies", "if"),
    "anyOf": ("oneOf", "allOf"),
    "oneOf": ("anyOf", "not"),
    "allOf": ("anyOf",),
    "if": ("not", "then", "else"),
    "then": ("else",),
    "not": ("if", "allOf"),
}
"""Keywords that speak of the same thing."""
_ALIKE = {
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), "several"),
    **dict.fromkeys(("dependencies", "dependentSchemas", "properties"), "by name"),
    **dict.fromkeys(("if", "then", "else", "not", "contains", "propertyNames", "unevaluatedItems"), "one"),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"), "count"),
}
"""Keywords whose values are of one form."""


def _another(chance: random.Random, value: Any, fresh: Callable[[], Any]) -> Any:
    """Return a value like ``value``, or a fresh one."""
    if isinstance(value, int | float) and not isinstance(value, bool) and chance.random() < 0.7:
        return max(value + chance.choice([1, -1]), 0) or value
    if isinstance(value, list) and len(value) > 1 and chance.random() < 0.6:
        return [item for at, item in enumerate(value) if at != chance.randrange(len(value))] or value
    if isinstance(value, dict) and len(value) > 1 and chance.random() < 0.4:
        return {k: v for k, v in value.items() if k != chance.choice(list(value))} or value
    return fresh()


def _respelled(chance: random.Random, writer: Writer, node: dict[str, Any]) -> None:
    """Write ``node`` in another way that mostly means the same."""
    inner = {k: v for k, v in node.items() if k not in ("$defs", "definitions")}
    other = chance.choice([
        {"allOf": [inner]}, {"allOf": [inner, {}]}, {"anyOf": [inner, writer.schema(3)]}, {"anyOf": [inner]},
        {"oneOf": [inner]}, {"not": {"not": inner}}, {"not": {"anyOf": [{"not": inner}]}},
        {"allOf": [{k: v} for k, v in inner.items() if k != "$ref"] or [inner]},
        {"enum": [inner["const"]]} if "const" in inner else {"allOf": [inner]},
        {"if": inner, "else": {"not": {}}} if writer.level > 1 else {"allOf": [inner]},
        {"patternProperties": {f"^{n}$": s for n, s in inner["properties"].items()}} | {
            k: v for k, v in inner.items() if k not in ("properties", "patternProperties")
        } if "properties" in inner else {"oneOf": [inner, {"not": {}}]},
    ])  # fmt: skip
    for keyword in inner:
        del node[keyword]
    node.update(copy.deepcopy(other))


class Documents:
    """Documents of ``inner``, and variations of them at one place by values that ``inner`` or ``outer`` speaks of."""

    def __init__(self, chance: random.Random, inner: dict[str, Any], outer: dict[str, Any]) -> None:
        self.chance = chance
        self.root = inner
        self.names = set(NAMES) | {"z"}
        self.pool: list[Any] = [*VALUES, *NUMBERS]
        for node in (*_subschemas(inner), *_subschemas(outer)):
            self._learn(node)
        self.texts = [value for value in self.pool if isinstance(value, str)] + list(TEXTS)
        self.pool += chance.sample(TEXTS, 8)

    def _learn(self, node: dict[str, Any]) -> None:
        for value in (*node.get("enum", ()), *([node["const"]] if "const" in node else [])):
            self.pool += [value, [value], {"a": value}]
        for keyword, value in node.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.pool += [value - 1, value, value + 1, value + 0.5, float(value)]
                if "Length" in keyword:
                    self.pool += ["a" * int(value + more) for more in (-1, 0, 1)]
                if "Items" in keyword or "Contains" in keyword:
                    self.pool += [[1] * max(int(value) + more, 0) for more in (-1, 0, 1)]
        for keyword in _BY_NAME[:1] + _BY_NAME[4:]:
            self.names |= set(node.get(keyword, ()))

    def one(self, node: Any, depth: int = 0) -> Any:
        """Return a value that ``node`` probably allows."""
        conjuncts = list(self._conjuncts(node, 0))
        listed = next((s["enum"] for s in conjuncts if "enum" in s), None)
        listed = next(([s["const"]] for s in conjuncts if "const" in s), listed)
        if listed and self.chance.random() < 0.8:
            value = self.chance.choice(listed)
            return float(value) if type(value) is int and self.chance.random() < 0.3 else value
        types = set(TYPES)
        for each in conjuncts:
            if "type" in each:
                types &= {each["type"]} if isinstance(each["type"], str) else set(each["type"])
        name = self.chance.choice(sorted(types) or TYPES)
        if name == "object" and depth < 4:
            return self._object(conjuncts, depth)
        if name == "array" and depth < 4:
            return self._array(conjuncts, depth)
        if name == "string":
            return self.chance.choice(self.texts)
        wanted = {"null": type(None), "boolean": bool, "integer": int, "number": (int, float)}.get(name, object)
        return self.chance.choice([v for v in self.pool if isinstance(v, wanted)] or [None])  # type: ignore[arg-type]

    def _conjuncts(self, node: Any, hops: int) -> Iterator[dict[str, Any]]:
        if not isinstance(node, dict) or hops > 8:
            return
        yield node
        target = str(node.get("$ref", ""))
        if target:
            steps = target.split("/")[1:]
            yield from self._conjuncts(self.root[steps[0]][steps[1]] if steps else self.root, hops + 1)
        for member in node.get("allOf", ()):
            yield from self._conjuncts(member, hops + 1)
        for keyword in ("anyOf", "oneOf"):
            if node.get(keyword):
                yield from self._conjuncts(self.chance.choice(node[keyword]), hops + 1)
        if "if" in node and self.chance.random() < 0.7:
            yield from self._conjuncts(node["if"], hops + 1)
            yield from self._conjuncts(node.get("then"), hops + 1)
        negated = node.get("not")
        if isinstance(negated, dict) and "not" in negated:
            yield from self._conjuncts(negated["not"], hops + 1)

    def _object(self, conjuncts: list[dict[str, Any]], depth: int) -> dict[str, Any]:
        required = {name for node in conjuncts for name in node.get("required", ())}
        listed = {name for node in conjuncts for name in node.get("properties", ())}
        chosen = required | {name for name in sorted(listed) if self.chance.random() < 0.6}
        if self.chance.random() < 0.4:
            chosen.add(self.chance.choice(sorted(self.names)))
        result = {}
        for name in sorted(chosen):
            nodes = [node["properties"][name] for node in conjuncts if name in node.get("properties", ())]
            nodes = nodes or [node["additionalProperties"] for node in conjuncts if "additionalProperties" in node]
            result[name] = self.one({"allOf": nodes}, depth + 1)
        return result

    def _array(self, conjuncts: list[dict[str, Any]], depth: int) -> list[Any]:
        least = max((int(node.get("minItems", 0)) for node in conjuncts), default=0)
        result = []
        for at in range(least + self.chance.choice([0, 0, 1, 2])):
            nodes = []
            for node in conjuncts:
                items = node.get("prefixItems", node.get("items"))
                if isinstance(items, list):
                    further = node.get("additionalItems", {}) if "prefixItems" not in node else node.get("items", {})
                    items = items[at] if at < len(items) else further
                nodes.append(items)
                nodes.append(node.get("contains"))
            result.append(self.one({"allOf": nodes}, depth + 1))
        return result

    def varied(self, document: Any) -> Any:
        """Return ``document`` with one part replaced, added or removed."""
        if isinstance(document, dict) and (document or self.chance.random() < 0.5) and self.chance.random() < 0.85:
            name = self.chance.choice(
                sorted(document) if self.chance.random() < 0.7 and document else sorted(self.names)
            )
            if name in document and self.chance.random() < 0.3:
                return {k: v for k, v in document.items() if k != name}
            return {**document, name: self.varied(document[name]) if name in document else self.part()}
        if isinstance(document, list) and self.chance.random() < 0.85:
            at = self.chance.randrange(len(document) + 1)
            if at == len(document):
                return [*document, self.part()] if self.chance.random() < 0.6 else document[:-1]
            return [*document[:at], self.varied(document[at]), *document[at + 1 :]]
        return self.chance.choice(self.texts) if isinstance(document, str) else self.part()

    def part(self) -> Any:
        """Return a boundary value."""
        return self.chance.choice(self.pool)
