"""An unmarked field that is personal data beside a name or a contact.

A city alone identifies nobody; a city beside a customer's name is where somebody lives. The same holds for postal
codes, for notes that people write, and for mail recipients. Such names alone prove nothing, so the rule only hints, and
only if a field beside them is about a person.

Bad::

    urn: urn:babel:customers:moved
    data:
      type: object
      properties:
        last_name: {type: string, x-gdpr-sensitive: name}
        zip: {type: string}

Good::

    urn: urn:babel:customers:moved
    data:
      type: object
      properties:
        last_name: {type: string, x-gdpr-sensitive: name}
        zip: {type: string, x-gdpr-sensitive: address}

Fix::

    Add the mark with a category of your own choice, or `true`. If the field says nothing about a person, write
    `x-gdpr-sensitive: false`. Neither changes a verdict on any message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.personal_fields import MAIL_FORMATS, may_hold_pii
from babelreg.lint.privacy.pii_names import (
    about_people,
    guess_likely_pii,
    guess_pii,
    impersonal,
)
from babelreg.lint.privacy.sensitivity_marks import MARK, SensitivityMarks
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.scope import Scope

severity = Severity.INFO
profile = "standard"

_EVIDENCE = frozenset({"name", "address", "email", "phone"})
_MAIL = frozenset({"subject", "cc", "bcc", "body", "reply", "template", "attachments"})
# Addresses that are not of persons: shops, places that are visited.
_PLACES = frozenset(
    words(
        "warehouse warehouses store stores shop shops branch branches office offices depot depots hotel hotels "
        "restaurant venue venues location locations station airport airports site sites facility facilities company "
        "companies merchant merchants seller sellers supplier suppliers vendor vendors business organization "
        "organisation property listing listings building buildings terminal pickup headquarters factory plant clinic "
        "hospital school carrier"
    )
)


def check(scope: Scope) -> Iterator[Problem]:
    marks: SensitivityMarks | None = None
    people: dict[int, str | None] = {}  # by the id of the siblings, which many fields share
    for field in scope.fields:
        guessed = guess_likely_pii(field.words)
        if guessed is None or MARK in field.schema or (field.message and field.message.status == "retired"):
            continue
        if id(field.siblings) not in people:
            people[id(field.siblings)] = _person(field.siblings)
        person = people[id(field.siblings)] or _name_of_person(field)
        if (
            person is None
            or _PLACES & scope.sibling_words(field)
            or _is_place(field)
            or not may_hold_pii(scope, field, guessed)
        ):
            continue
        if guessed.category == "contact" and _is_range(scope, field):
            continue
        marks = SensitivityMarks(scope) if marks is None else marks
        if not marks.covers(field):
            text = (
                f"{field.shown} is next to '{person}' and may be personal data ({guessed.category}), but is not marked"
            )
            fix = f"x-gdpr-sensitive: {guessed.category}, or false if it is not"
            yield Problem(text, field.source, field.pointer, fix=fix, urn=field.urn)


def _person(siblings: Mapping[str, Any]) -> str | None:
    """Return the first name among ``siblings`` that is about a person; None where there is none."""
    return next((str(name) for name, schema in siblings.items() if _is_evidence(str(name), schema)), None)


def _name_of_person(field: SchemaField) -> str | None:
    """Return the ``name`` beside ``field`` where the object itself is a person: ``customer: {name, city}``."""
    if "name" not in field.siblings or not _is_evidence("customer_name", field.siblings["name"]):
        return None
    holders = [
        step for step, above in zip(field.pointer, (None, *field.pointer), strict=False) if above == "properties"
    ]
    holder = str(holders[-2]) if len(holders) > 1 else _subject(field)
    return "name" if about_people(words(holder)) else None


def _subject(field: SchemaField) -> str:
    return field.message.urn.partition("urn:babel:")[2] if field.message else field.source.path


def _is_place(field: SchemaField) -> bool:
    """Return True when the object of ``field`` is part of a place of business, or not of a person."""
    around = [words(step) for step in (*field.pointer[:-1], _subject(field)) if isinstance(step, str)]
    return any(not _PLACES.isdisjoint(named) or impersonal(named) for named in around)


def _is_evidence(name: str, schema: Any) -> bool:
    guessed = guess_pii(words(name))
    if guessed is None or guessed.category not in _EVIDENCE or not isinstance(schema, Mapping):
        return False
    return schema.get(MARK) is not False and "enum" not in schema and "const" not in schema and _is_text(schema)


def _is_text(schema: Mapping[str, Any]) -> bool:
    types = schema.get("type")
    return "string" in ([types] if isinstance(types, str) else types if isinstance(types, list) else []) or (
        "$ref" in schema or "anyOf" in schema
    )


def _is_range(scope: Scope, field: SchemaField) -> bool:
    """Return True for the ``to`` of a range or a route, which is not an address."""
    around = scope.sibling_words(field)
    return field.schema.get("format") not in (None, *MAIL_FORMATS) or ("from" in around and not _MAIL & around)
