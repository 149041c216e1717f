"""Whether a value is a usable JSON Schema, and if not, what is wrong where."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS, identify
from babelreg.schema.pointer import Pointer
from babelreg.schema.resolve import REFERENCES, SchemaDocument
from babelreg.schema.walk import walk

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

__all__ = ["SchemaProblem", "check"]

_MOST = 20


class SchemaProblem(NamedTuple):
    """One thing wrong with a schema, at ``pointer`` in it."""

    pointer: Pointer
    message: str


def check(schema: Any) -> list[SchemaProblem]:
    """What keeps ``schema`` from being used: the first few problems, none when it can be.

    Looks at the meta-schema of its dialect, every regular expression, every reference, and circles of references.
    """
    try:
        dialect = identify(schema)
    except SchemaError as err:
        return [SchemaProblem(("$schema",), err.message)]
    if not isinstance(schema, (dict, bool)):
        return [SchemaProblem((), "a schema is a mapping, true or false")]
    try:
        found = _by_metaschema(dialect.name, schema)
    except (ValueError, RecursionError) as err:
        return [SchemaProblem((), f"it cannot be read as a schema: {str(err)[:200]}")]
    return found or _by_references(schema)


@cache
def _metaschema(name: str) -> Validator:
    dialect = DIALECTS[name]
    return dialect.validator_for(dialect.metaschema)


def _by_metaschema(name: str, schema: Any) -> list[SchemaProblem]:
    validator = _metaschema(name)
    if validator.is_valid(schema):
        return []
    # the parts of a meta-schema report the same thing once each
    found: dict[Pointer, SchemaProblem] = {}
    for _, error in zip(range(200), validator.iter_errors(schema), strict=False):
        problem = _problem(error)
        found.setdefault(problem.pointer, problem)
        if len(found) == _MOST:
            break
    return list(found.values())


def _problem(error: ValidationError) -> SchemaProblem:
    at: Pointer = tuple(error.instance_path)
    word = next((f"'{step}'" for step in reversed(at) if isinstance(step, str)), "the schema")
    said = error.kind.as_dict()
    keyword = error.kind.name
    if keyword == "format" and said.get("format") == "regex":
        return SchemaProblem(at, f"{word} is not a regular expression")
    if keyword == "type":
        return SchemaProblem(at, f"{word} must be {' or '.join(said['types'])}")
    if keyword == "minimum":
        return SchemaProblem(at, f"{word} must be at least {said['limit']}")
    if keyword == "exclusiveMinimum":
        return SchemaProblem(at, f"{word} must be greater than {said['limit']}")
    if keyword == "required":
        return SchemaProblem(at, f"{word} needs '{said['property']}'")
    if keyword == "uniqueItems":
        return SchemaProblem(at, f"{word} lists something twice")
    if keyword == "minItems":
        return SchemaProblem(at, f"{word} must not be empty")
    if keyword in ("enum", "anyOf") and "type" in at[-2:]:
        return SchemaProblem(
            at, "'type' must be array, boolean, integer, null, number, object or string, or a list of these"
        )
    return SchemaProblem(at, f"{word} is not what this keyword takes")


def _by_references(schema: Any) -> list[SchemaProblem]:
    try:
        document = SchemaDocument(schema)
    except SchemaError as err:
        return [SchemaProblem((), err.message)]
    found: list[SchemaProblem] = []
    for node in walk(schema, document.dialect):
        if isinstance(node.schema, dict):
            found.extend(_dangling(document, node.schema, node.pointer))
    if found:
        return found[:_MOST]
    try:
        circle = document.circle()
    except SchemaError as err:  # below a keyword that no dialect knows, where a reference leads all the same
        return [SchemaProblem((), err.message)]
    if circle is None:
        return []
    return [
        SchemaProblem(circle, "a reference leads round in a circle without going into the data, so nothing is said")
    ]


def _dangling(document: SchemaDocument, node: dict[str, Any], pointer: Pointer) -> list[SchemaProblem]:
    found = []
    for keyword in REFERENCES:
        if keyword in node and (keyword == "$ref" or document.knows(keyword)):
            try:
                target = document.target(node, keyword)
            except SchemaError as err:
                found.append(SchemaProblem((*pointer, keyword), err.message))
            else:
                if not isinstance(target, (dict, bool)):
                    found.append(SchemaProblem((*pointer, keyword), f"{keyword} leads to something that is no schema"))
    return found
