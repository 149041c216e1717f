"""A field that looks like personal data and is not marked as such.

Who may keep a message, and for how long, depends on what it says about people. `x-gdpr-sensitive` marks these
fields: the inventory of personal data in the generated documentation lists them, tables carry the mark in a
comment, and `breaking` sees when one is lost. An unmarked address flows into every copy and every log unseen.

Reported are names and formats that mean a person in nearly every registry: e-mail and IP addresses, phone numbers,
names of persons, days of birth, ids of users, numbers of identity papers, bank accounts and cards. A mark on an object
applies to everything in it. What counts, verifies or describes such data (`email_sent_count`, `phone_verified`,
`ip_version`) is not reported.

Bad::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, format: email}

Good::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, format: email, x-gdpr-sensitive: email}

Fix::

    Add the mark with a category of your own choice, or `true`. It changes no verdict on any message.

    Where the field says nothing about a person, write `x-gdpr-sensitive: false`, which says so to the next reader
    as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.privacy.personal_fields import MAIL_FORMATS, Surroundings, holds_a_value
from babelreg.lint.privacy.pii_names import Guess, guess, impersonal
from babelreg.lint.privacy.sensitivity_marks import MARK, SensitivityMarks
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"

_EMAIL = Guess("email")


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    marks: SensitivityMarks | None = None
    surroundings = Surroundings()
    reported: set[tuple[str, Pointer]] = set()
    for field, found in _candidates(scope):
        if MARK in field.schema or (field.message is not None and field.message.status == "retired"):
            continue
        if not holds_a_value(scope, field, found) or not (found.sure or surroundings.are_people(field, found)):
            continue
        marks = SensitivityMarks(scope) if marks is None else marks
        at = (field.source.path, marks.owner(field))
        if at in reported or marks.covers(field):
            continue
        reported.add(at)
        text = f"{field.shown} looks like personal data ({found.category}) and is not marked as such"
        fix = f"x-gdpr-sensitive: {found.category}, or false where it is none"
        yield Problem(text, field.source, field.pointer, fix=fix, urn=field.urn)


def _candidates(scope: Scope) -> Iterator[tuple[SchemaField, Guess]]:
    guesses: dict[str, Guess | None] = {}
    for field in scope.fields:
        if field.name not in guesses:
            guesses[field.name] = guess(field.words)
        found = guesses[field.name]
        if found is not None:
            yield field, found
    for field in scope.having("format"):
        if field.schema["format"] in MAIL_FORMATS and not guesses[field.name] and not impersonal(field.words):
            yield field, _EMAIL
