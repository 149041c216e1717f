"""Single values: the checker's part for ``enum`` and ``const``, which says whether a schema permits a value.

Most keywords are read here. Where one is not, a validator decides, if the schema means the same to it on its own. Part
of the checker: of babelreg, it imports other parts only.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import ge, gt, le, lt
from typing import Any

import jsonschema_rs

from babelreg.containment.certificates import pattern_tables, pattern_terms
from babelreg.containment.certificates.core_schemas import (
    APPLIES,
    DRAFTS,
    GROUPS,
    View,
    is_rounded,
    mentions,
    parts_of,
    type_of,
)
from babelreg.containment.certificates.facts import CertificateRefused, Fact, about_property, count, exact, item
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS, compiling, judging
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.values import equality_key


def permits_surely(fact: Fact, value: Any) -> bool | None:
    """Return whether the schema of ``fact`` permits the value; None where that is not certain.

    In draft 4, 1 and 1.0 have two types. A validator reads patterns as ECMA-262 does, which may be all the same.
    """
    told, view = permits(fact, value), fact.side.view
    if told is not None or (view.draft == 0 and any(type_of(part) == "number" for part in parts_of(value))):
        return told
    if id(fact.schema) not in view.validators:
        view.validators[id(fact.schema)] = _validator(fact.schema, view)
    patterns, validator = view.validators[id(fact.schema)]
    if validator is None or (patterns and not _are_read_alike(patterns, fact.side.reading, value)):
        return None
    try:
        return bool(validator.is_valid(value))
    except ValueError:
        return None


def _validator(core: Any, view: View) -> tuple[set[str], Any]:
    """Return the patterns of a subschema, and its validator. There is none for a keyword alone, nor for a part of the
    view with references, as it has not all that these lead to.
    """
    if id(core) not in view.origins:
        return set(), None
    copy = View(view.origins[id(core)], view.draft, formats=True, rewrite=False)
    if core is not view.root and mentions(json.dumps(copy.root), REFERENCES):
        return set(), None
    named = (name for _, part in copy.pairs for name in part.get("patternProperties", ()))
    patterns = {*named, *(part["pattern"] for _, part in copy.pairs if "pattern" in part)}
    make = getattr(jsonschema_rs, DIALECTS[DRAFTS[view.draft]].validator)
    with suppress(SchemaError), compiling():
        return patterns, make(copy.root, **judging(view.formats))
    return set(), None


def _are_read_alike(patterns: set[str], reading: str, value: Any) -> bool:
    """Return True if each pattern surely matches the same strings of the value as it does in ECMA-262."""
    texts = [part for part in parts_of(value) if isinstance(part, str)]
    others = [pattern for pattern in patterns if not pattern_terms.is_ecma(pattern, reading)]
    for pattern, text in itertools.product(others, texts):
        matched = pattern_tables.matches(pattern, reading, text)
        if matched is None or matched is not pattern_tables.matches(pattern, "ecma", text):
            return False
    return True


def permits(fact: Fact, value: Any) -> bool | None:
    """Return whether the schema of ``fact`` permits the value; None where that is not certain here."""
    schema, name = fact.schema, type_of(value)
    if isinstance(schema, bool):
        return schema
    said = {GROUPS.get(keyword, keyword) for keyword in schema}
    try:
        return _every(_SAYS.get(word, _uncertain)(fact, value) for word in said if name in APPLIES.get(word, ()))
    except CertificateRefused:  # a pattern or a limit that cannot be read
        return None


def _every(told: Iterable[bool | None]) -> bool | None:
    answers = set(told)
    return False if False in answers else None if None in answers else True


def _uncertain(fact: Fact, value: Any) -> None:
    return None


def _type(fact: Fact, value: Any) -> bool | None:
    types, name = fact.schema["type"], type_of(value)
    if name in types or name != "number" or "integer" not in types:
        return name in types
    number = exact(value)
    whole = number is not None and number.denominator == 1
    # In draft 4, 1.0 is not an integer, and yet it is equal to 1.
    return None if number is None or (whole and fact.side.view.draft == 0) else whole


def _enum(fact: Fact, value: Any) -> bool | None:
    if is_rounded(value):  # validators differ on whether such numbers are equal
        return None
    return equality_key(value) in fact.side.view.keys(fact.schema["enum"]).get(type_of(value), ())


def _reference(fact: Fact, value: Any) -> bool | None:
    targets = fact.side.view.target(fact.schema["$ref"])
    return permits(fact.about(targets[0]), value) if targets else None


def _not(fact: Fact, value: Any) -> bool | None:
    told = permits(fact.about(fact.schema["not"]), value)
    return None if told is None else not told


def _branches(keyword: str, fact: Fact, value: Any) -> Iterator[bool | None]:
    return (permits(fact.about(branch), value) for branch in fact.schema[keyword])


def _any_of(fact: Fact, value: Any) -> bool | None:
    said: bool | None = False
    for answer in _branches("anyOf", fact, value):
        if answer:
            return True
        said = said if answer is False else None
    return said


def _one_of(fact: Fact, value: Any) -> bool | None:
    told = [*_branches("oneOf", fact, value)]
    return False if told.count(True) > 1 else None if None in told else True in told


def _if(fact: Fact, value: Any) -> bool | None:
    told = permits(fact.about(fact.schema["if"]), value)
    return None if told is None else permits(fact.about(fact.schema.get("then" if told else "else", True)), value)


def _number(compare: Callable[[Any, Any], bool], keyword: str, fact: Fact, value: Any) -> bool | None:
    number, limit = exact(value), exact(fact.schema[keyword])
    return (
        None if number is None or limit is None or (keyword == "multipleOf" and limit <= 0) else compare(number, limit)
    )


def _size(keyword: str, least: bool, fact: Fact, value: Any) -> bool:
    limit = count(fact.schema[keyword])
    return len(value) >= limit if least else len(value) <= limit


def _pattern(fact: Fact, value: Any) -> bool | None:
    return pattern_tables.matches(fact.schema["pattern"], fact.side.reading, value)


def _items(fact: Fact, value: Any) -> bool | None:
    return _every(permits(item(fact, at), part) for at, part in enumerate(value))


def _unique(fact: Fact, value: Any) -> bool | None:
    return None if is_rounded(value) else len(set(map(equality_key, value))) == len(value)


def _contains(fact: Fact, value: Any) -> bool | None:
    told = [permits(fact.about(fact.schema["contains"]), part) for part in value]
    surely, perhaps = told.count(True), len(told) - told.count(False)
    least = count(fact.schema.get("minContains", 1))
    most = count(fact.schema["maxContains"]) if "maxContains" in fact.schema else len(value)
    if perhaps < least or surely > most:
        return False
    return True if surely >= least and perhaps <= most else None


def _names(fact: Fact, value: Any) -> bool | None:
    return _every(permits(fact.about(fact.schema["propertyNames"]), name) for name in value)


def _properties(fact: Fact, value: Any) -> bool | None:
    return _every(permits(part, value[name]) for name in value for part in about_property((fact,), name))


def _dependent(keyword: str, fact: Fact, value: Any) -> bool | None:
    rules = {name: rule for name, rule in fact.schema[keyword].items() if name in value}
    if keyword == "dependentRequired":
        return all(value.keys() >= set(names) for names in rules.values())
    # After draft 7 validators may ignore ``dependencies``.
    return (
        None if keyword == "dependencies" and rules else _every(permits(fact.about(r), value) for r in rules.values())
    )


_BOUNDS = {"minimum": ge, "maximum": le, "exclusiveMinimum": gt, "exclusiveMaximum": lt}
_SAYS: dict[str, Callable[[Fact, Any], bool | None]] = {
    "type": _type, "enum": _enum, "$ref": _reference, "not": _not, "anyOf": _any_of, "oneOf": _one_of, "if": _if,
    "allOf": lambda fact, value: _every(_branches("allOf", fact, value)),
    **{word: partial(_number, compare, word) for word, compare in _BOUNDS.items()},
    "multipleOf": partial(_number, lambda number, limit: number % limit == 0, "multipleOf"),
    **{f"min{sized}": partial(_size, f"min{sized}", True) for sized in ("Length", "Items", "Properties")},
    **{f"max{sized}": partial(_size, f"max{sized}", False) for sized in ("Length", "Items", "Properties")},
    "pattern": _pattern, "items": _items, "uniqueItems": _unique, "contains": _contains,
    "required": lambda fact, value: value.keys() >= set(fact.schema["required"]),
    "propertyNames": _names, "properties": _properties,
    **{word: partial(_dependent, word) for word in ("dependentRequired", "dependentSchemas", "dependencies")},
}  # fmt: skip
"""What a keyword says of a value that it speaks of. Of the keywords that are missing here nothing is certain."""
