"""A field that looks like personal data but is not marked.

Who may keep a message, and for how long, depends on what it says about people. `x-gdpr-sensitive` marks these
fields: the inventory of personal data in the generated documentation lists them, tables carry the mark in a
comment, and `breaking` sees when one is lost. An unmarked address flows into every copy and every log unseen.

The rule reports names and formats that mean a person in nearly every registry: e-mail and IP addresses, phone numbers,
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

    If the field says nothing about a person, write `x-gdpr-sensitive: false`, which also tells the next reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.privacy.personal_fields import MAIL_FORMATS, PersonContext, may_hold_pii
from babelreg.lint.privacy.pii_names import PiiGuess, guess_pii, impersonal
from babelreg.lint.privacy.sensitivity_marks import MARK, SensitivityMarks
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"

_EMAIL = PiiGuess("email")


def check(scope: Scope) -> Iterator[Problem]:
    marks: SensitivityMarks | None = None
    context = PersonContext()
    reported: set[tuple[str, Pointer]] = set()
    for field, guessed in _candidates(scope):
        if MARK in field.schema or (field.message is not None and field.message.status == "retired"):
            continue
        if not may_hold_pii(scope, field, guessed) or not (guessed.sure or context.is_about_a_person(field, guessed)):
            continue
        marks = SensitivityMarks(scope) if marks is None else marks
        at = (field.source.path, marks.owner(field))
        if at in reported or marks.covers(field):
            continue
        reported.add(at)
        text = f"{field.shown} looks like personal data ({guessed.category}) but is not marked"
        fix = f"x-gdpr-sensitive: {guessed.category}, or false if it is not"
        yield Problem(text, field.source, field.pointer, fix=fix, urn=field.urn)


def _candidates(scope: Scope) -> Iterator[tuple[SchemaField, PiiGuess]]:
    guesses: dict[str, PiiGuess | None] = {}
    for field in scope.fields:
        if field.name not in guesses:
            guesses[field.name] = guess_pii(field.words)
        guessed = guesses[field.name]
        if guessed is not None:
            yield field, guessed
    for field in scope.fields_with("format"):
        if field.schema["format"] in MAIL_FORMATS and not guesses[field.name] and not impersonal(field.words):
            yield field, _EMAIL
