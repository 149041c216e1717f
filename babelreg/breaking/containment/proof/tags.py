"""Tags: required properties with one constant string, which tell the members of a union apart in one step.

Without them a union of n tagged objects costs n squared comparisons of whole objects.
"""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.proof.conjuncts import VALUE_TYPES, BoundSchema, Facts
from babelreg.breaking.containment.proof.derivation import Step, step
from babelreg.schema.dialects import Dialect

__all__ = ["Tags"]

_MOST_HOPS = 20
_NO_VALUE = step("types", *[step("values")] * len(VALUE_TYPES), of=VALUE_TYPES)
"""Two constants that differ leave no value of any type."""


class Tags:
    """The tags of one set of facts, compared with those of the branches of a union."""

    def __init__(self, facts: Facts, type_name: str, dialect: Dialect) -> None:
        self._dialect = dialect
        readable = type_name == "object" and all("patternProperties" not in node.schema for node in facts)
        constants = [_constants(node.schema) for node in facts] if readable else []
        self._given: dict[str, str] = {}
        if any(constants):
            required = {name for node in facts for name in node.schema.get("required") or ()}
            for found in constants:
                self._given |= {name: tag for name, tag in found.items() if name in required}

    def contradiction(self, branch: BoundSchema) -> Step | None:
        """Derive that no object with these tags satisfies ``branch``."""
        for _ in range(_MOST_HOPS if self._given else 0):
            schema = branch.schema
            if not isinstance(schema, dict) or "patternProperties" in schema or "allOf" in schema or "not" in schema:
                return None
            if not self._dialect.only_refers(schema):
                for name, tag in _constants(schema).items():
                    if self._given.get(name, tag) != tag:
                        return step("no-property", _NO_VALUE, of=(name,)) if "$ref" not in schema else None
            target = branch.target(self._dialect)
            if target is None:
                return None
            branch = target
        return None

    def likeliest_first(self, branches: list[BoundSchema]) -> list[int]:
        """Return the numbers of ``branches``, those that no tag excludes first."""
        if not self._given:
            return list(range(len(branches)))
        return sorted(range(len(branches)), key=lambda at: self.contradiction(branches[at]) is not None)


def _constants(schema: dict[str, Any]) -> dict[str, str]:
    """Return the properties that have one constant string, and nothing that refers elsewhere."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    return {
        name: tag
        for name, inner in properties.items()
        if isinstance(inner, dict) and isinstance(tag := _only_value(inner), str) and "$ref" not in inner
    }


def _only_value(schema: dict[str, Any]) -> Any:
    if "const" in schema:
        return schema["const"] if "enum" not in schema else None
    listed = schema.get("enum")
    return listed[0] if isinstance(listed, list) and len(listed) == 1 else None
