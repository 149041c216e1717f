"""Small random schemas full of applicators, and documents that come near them.

Drawn from a ``random.Random``, not from nested strategies: a hundred times faster, so the laws see many more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

NAMES = ("a", "b", "ab", "x-1")
PATTERNS = ("^a", "^x-", "b$")
FRESH = "zz"
"""A name that no schema here declares and no pattern matches."""

_SCALARS: tuple[Any, ...] = (
    {}, True, {"type": "integer"}, {"type": "string"}, {"type": ["integer", "null"]}, {"const": 1},
    {"enum": ["s", 1]}, {"enum": ["s"], "x-open-enum": True}, {"minimum": 1}, {"type": "object"},
)  # fmt: skip
_LEAVES: tuple[Any, ...] = (None, True, 0, 1, 2.5, "s", "t")


class Maker:
    """Draws schemas of one dialect.

    ``silent``: nothing in them counts properties, judges further ones, or asks about them in ``not`` and ``if``.
    """

    def __init__(self, random: Random, dialect: str = "draft2020-12", *, silent: bool = False) -> None:
        self.random = random
        self.modern = dialect == "draft2020-12"
        self.silent = silent
        self.folder = "$defs" if self.modern else "definitions"
        self.head = {} if self.modern else {"$schema": "http://json-schema.org/draft-07/schema#"}

    def schema(self) -> dict[str, Any]:
        """A schema with two definitions. Recursion is among them, and a circle in place is possible."""
        definitions = {"one": self.inner(2), "two": self.inner(2)}
        return {**self.head, **self.grown(3), self.folder: definitions}

    def inner(self, depth: int) -> Any:
        if depth == 0 or self.random.random() < 0.25:
            return self.random.choice((*_SCALARS, self.reference(), self.reference()))
        return self.grown(depth)

    def reference(self) -> dict[str, Any]:
        return {"$ref": self.random.choice(("#", f"#/{self.folder}/one", f"#/{self.folder}/two"))}

    def grown(self, depth: int) -> dict[str, Any]:
        kind = self.random.random()
        found: dict[str, Any] = {}
        if kind < 0.75:
            found |= self.some(self.object_keywords(depth), 3)
        if kind > 0.4:
            found |= self.some(self.other_keywords(depth), 2)
        if self.random.random() < 0.1:
            found |= self.reference()
        return found

    def some(self, keywords: dict[str, Callable[[], Any]], most: int) -> dict[str, Any]:
        chosen = self.random.sample(sorted(keywords), self.random.randint(1, most))
        return {keyword: keywords[keyword]() for keyword in chosen}

    def several(self, depth: int) -> list[Any]:
        return [self.inner(depth - 1) for _ in range(self.random.randint(1, 3))]

    def named(self, names: tuple[str, ...], depth: int) -> dict[str, Any]:
        return {name: self.inner(depth - 1) for name in self.random.sample(names, self.random.randint(1, 2))}

    def further(self, depth: int) -> Any:
        if self.silent or self.random.random() < 0.6:
            return False
        return self.random.choice((True, self.inner(depth - 1)))

    def condition(self, depth: int) -> Any:
        return self.random.choice((*_SCALARS, {"required": ["a"]})) if self.silent else self.inner(depth - 1)

    def object_keywords(self, depth: int) -> dict[str, Callable[[], Any]]:
        found: dict[str, Callable[[], Any]] = {
            "properties": lambda: self.named(NAMES, depth),
            "patternProperties": lambda: self.named(PATTERNS, depth),
            "additionalProperties": lambda: self.further(depth),
            "required": lambda: self.random.sample(NAMES, self.random.randint(1, 2)),
        }
        if not self.silent:
            found["maxProperties"] = lambda: self.random.randint(0, 2)
            found["minProperties"] = lambda: self.random.randint(1, 2)
        if self.modern:
            found["unevaluatedProperties"] = lambda: self.further(depth)
        # listing is what most objects do
        return {**found, **({"properties": found["properties"]} if self.random.random() < 0.5 else {})}

    def other_keywords(self, depth: int) -> dict[str, Callable[[], Any]]:
        found: dict[str, Callable[[], Any]] = {
            "allOf": lambda: self.several(depth),
            "anyOf": lambda: self.several(depth),
            "oneOf": lambda: self.several(depth),
            "not": lambda: self.condition(depth),
            "items": lambda: self.inner(depth - 1),
            "contains": lambda: self.inner(depth - 1),
            "if": lambda: self.condition(depth),
            "then": lambda: self.inner(depth - 1),
            "else": lambda: self.inner(depth - 1),
        }
        if self.modern:
            found |= {
                "dependentSchemas": lambda: self.named(NAMES, depth),
                "dependentRequired": lambda: {"a": ["b"]},
                "prefixItems": lambda: self.several(depth),
                "maxContains": lambda: 1,
                "unevaluatedItems": lambda: self.random.choice((False, self.inner(depth - 1))),
            }
        else:
            found |= {
                "dependencies": lambda: self.named(NAMES, depth),
                "additionalItems": lambda: self.inner(depth - 1),
            }
        return found

    def document(self, depth: int = 3) -> Any:
        """A document over the same names, and one that no schema declares."""
        kind = self.random.random()
        if depth == 0 or kind < 0.25:
            return self.random.choice(_LEAVES)
        if kind < 0.85:
            names = self.random.sample((*NAMES, FRESH), self.random.randint(0, 3))
            return {name: self.document(depth - 1) for name in names}
        return [self.document(depth - 1) for _ in range(self.random.randint(0, 3))]
