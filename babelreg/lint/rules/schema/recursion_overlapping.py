"""A schema that refers to itself through branches that overlap.

If two branches that may both admit a value refer back to the same schema, a validator checks the first level of the
data twice, the next one four times, and so on. A message of a few hundred bytes can then keep every consumer busy, so a
message that nests deep is refused with the reason `too_complex` unless it is surely valid. Definitions each of which
refers to the next one twice have the same effect on every value.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        rule: {$ref: "#/$defs/rule"}
      $defs:
        rule:
          type: object
          properties:
            not: {oneOf: [{$ref: "#/$defs/rule"}, {$ref: "#/$defs/rule"}]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        rule: {$ref: "#/$defs/rule"}
      $defs:
        rule:
          type: object
          properties:
            not: {$ref: "#/$defs/rule"}

Fix::

    Refer back once, or let the branches exclude each other: by `type`, or by a property that each requires with another
    `const`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.satisfiability import contradiction
from babelreg.lint.scope import Scope
from babelreg.model import Message, Source
from babelreg.schema.conjuncts import listed
from babelreg.schema.dialects import Dialect, dialect_of
from babelreg.schema.keywords import UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.validation_cost import ValidationCost, validation_cost
from babelreg.schema.walk import walk

severity = Severity.WARNING
profile = "minimal"

_MOST_BRANCHES = 64


def check(scope: Scope) -> Iterator[Problem]:
    reported: set[tuple[str, Pointer]] = set()
    for message in scope.messages:
        if message.schema is None or scope.has_plain_schema(message):
            continue
        dialect = dialect_of(message.schema)
        cost = validation_cost(message.schema, dialect)
        if cost is None:
            continue
        text = (
            "one value is checked more than 10,000 times, because definitions refer to the next one in several branches"
        )
        fix = "refer to each definition once"
        at: Pointer | None = ()
        if cost.recursive:
            text = "this refers to itself through branches that overlap: checks multiply with each level"
            fix = "refer to itself once, or make each branch require a property with a different const"
            at = _overlapping(message.schema, dialect, cost)
        source, pointer = _written(message, at or ())
        if at is not None and (source.path, pointer) not in reported:
            reported.add((source.path, pointer))
            yield Problem(text, source, pointer, fix=fix, urn=message.urn)


def _written(message: Message, at: Pointer) -> tuple[Source, Pointer]:
    """Return the file that has the subschema at ``at`` of the bundled schema, and the pointer in it."""
    origin = message.origins.get(str(at[1])) if at[:1] == ("$defs",) and len(at) > 1 else None
    return (message.source, ("data", *at)) if origin is None else (origin, at[2:])


def _overlapping(schema: dict[str, Any], dialect: Dialect, cost: ValidationCost) -> Pointer | None:
    """Return the first subschema that multiplies checks even where branches that exclude each other count as one."""
    references = LocalReferences(schema, dialect)
    nodes = list(walk(schema, dialect))
    most = max((len(listed(node.schema, union)) for node in nodes for union in UNIONS), default=1)
    chosen = (_with_branch(schema, number, references) for number in range(min(most, _MOST_BRANCHES) or 1))
    if not any((each := validation_cost(one, dialect)) is not None and each.recursive for one in chosen):
        return None
    recursive = set(map(id, cost.recursive))
    return next((node.pointer for node in nodes if id(node.schema) in recursive), ())


def _with_branch(schema: Any, number: int, references: LocalReferences) -> Any:
    """Return ``schema`` with one branch of each union whose branches exclude each other."""
    if not isinstance(schema, dict):
        return schema
    chosen = dict(schema)
    for keyword in UNIONS:
        branches = listed(schema, keyword)
        if branches and _exclude_each_other(branches, references):
            chosen[keyword] = [branches[number % len(branches)]]
    return with_subschemas(chosen, lambda below: _with_branch(below, number, references))


def _exclude_each_other(branches: list[Any], references: LocalReferences) -> bool:
    targets = [_target(branch, references) for branch in branches]
    schemas = [target for target in targets if isinstance(target, dict)]
    return len(schemas) == len(targets) <= _MOST_BRANCHES and all(_apart(*pair) for pair in combinations(schemas, 2))


def _target(branch: Any, references: LocalReferences) -> Any:
    found = references.target(branch["$ref"]) if isinstance(branch, dict) and branch.keys() == {"$ref"} else None
    return branch if found is None else found[1]


def _apart(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Return True where no value satisfies both: by their own keywords, or by those of a property that both require."""
    if contradiction([left, right]) is not None:
        return True
    names = [name for name in listed(left, "required") if isinstance(name, str) and name in listed(right, "required")]
    pairs = ([_property(schema, name) for schema in (left, right)] for name in names)
    return any(contradiction(pair) is not None for pair in pairs)


def _property(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    properties = schema.get("properties")
    found = properties.get(name) if isinstance(properties, dict) else None
    return found if isinstance(found, dict) else {}
