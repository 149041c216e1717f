"""A field that looks like personal data and is not marked as such.

Who may keep a message, and for how long, depends on what it says about people. `x-gdpr-sensitive` marks these
fields: the inventory of personal data in the generated documentation lists them, tables carry the mark in a
comment, and `breaking` sees when one is lost. An unmarked address flows into every copy and every log unseen.

Reported are names and formats that mean a person in nearly every registry: e-mail and IP addresses, phone numbers,
names of persons, days of birth, numbers of identity papers, bank accounts and cards. A mark on an object holds for
all that is in it. What counts, verifies or describes such data (`email_sent_count`, `phone_verified`, `ip_version`)
is not reported.

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

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.field import Field, words
from babelreg.lint.marks import MARK, Marks
from babelreg.lint.personal import Guess, about_people, guess, impersonal
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
family = "privacy"
profile = "standard"

_EMAIL = Guess("email")
_FORMATS = ("email", "idn-email")
# What such a value is not: an address of the web, a key, the name of a machine.
_OTHER_FORMATS = ("uri", "uri-reference", "iri", "uuid", "hostname", "byte", "binary")
_HASH = re.compile(
    r"(?:a-f0-9|0-9a-f|A-F0-9|0-9A-F|a-fA-F0-9|A-Fa-f0-9|0-9a-fA-F|0-9A-Fa-f)\]\{(?:32|40|56|64|96|128)\}"
)
_PROSE = re.compile(
    r"\b(?:hash(?:ed)?|sha-?\d+|hmac|masked|redacted|pseudonym\w*|anonym\w*|fictional|synthetic|support|help ?desk|"
    r"hotline|company|our own|(?:shop|merchant|seller|supplier|vendor)'s|not? personal)\b",
    re.IGNORECASE,
)
_SESSION = frozenset({"user", "customer", "visitor", "session", "login", "agent"})


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    marks: Marks | None = None
    surroundings = _Surroundings()
    reported: set[tuple[str, Pointer]] = set()
    for field, found in _candidates(scope):
        if MARK in field.schema or (field.message is not None and field.message.status == "retired"):
            continue
        if not _holds_a_value(scope, field) or not (found.sure or surroundings.are_people(field, found)):
            continue
        marks = Marks(scope) if marks is None else marks
        at = (field.source.path, marks.owner(field))
        if at in reported or marks.covers(field):
            continue
        reported.add(at)
        text = f"{field.shown} looks like personal data ({found.category}) and is not marked as such"
        fix = f"x-gdpr-sensitive: {found.category}, or false where it is none"
        yield Problem(text, field.source, field.pointer, fix=fix, urn=field.urn)


def _candidates(scope: Scope) -> Iterator[tuple[Field, Guess]]:
    guesses: dict[str, Guess | None] = {}
    for field in scope.fields:
        if field.name not in guesses:
            guesses[field.name] = guess(field.words)
        found = guesses[field.name]
        if found is not None:
            yield field, found
    for field in scope.having("format"):
        if field.schema["format"] in _FORMATS and not guesses[field.name] and not impersonal(field.words):
            yield field, _EMAIL


def _holds_a_value(scope: Scope, field: Field) -> bool:
    schema = field.schema
    if "enum" in schema or "const" in schema or "properties" in schema or schema.get("format") in _OTHER_FORMATS:
        return False
    types = scope.types(field)
    if not types and schema.get("format") not in _FORMATS:
        return False  # an object, a choice whose branches are asked themselves, or anything
    if not {"string", "integer"} & set(types or ("string",)):
        return False
    pattern = schema.get("pattern")
    return not (isinstance(pattern, str) and _HASH.search(pattern)) and not _PROSE.search(field.description)


class _Surroundings:
    """What stands around fields. Many fields have the same siblings: these are looked at once."""

    def __init__(self) -> None:
        self._beside: dict[int, tuple[bool, bool]] = {}

    def are_people(self, field: Field, found: Guess) -> bool:
        """True when what stands around ``field`` is about persons."""
        if id(field.siblings) not in self._beside:
            names = [words(str(name)) for name in field.siblings]
            known = any((other := guess(name)) and other.sure for name in names)
            self._beside[id(field.siblings)] = known, any(not _SESSION.isdisjoint(name) for name in names)
        known, session = self._beside[id(field.siblings)]
        above = [words(step) for step in field.pointer[:-1] if isinstance(step, str)]
        if found.category == "ip_address":
            return known or session or any(not _SESSION.isdisjoint(name) for name in above)
        urn = field.message.urn.split(":")[2:] if field.message else [field.source.path.rpartition("/")[2]]
        return known or any(map(about_people, (*above, *map(words, urn))))
