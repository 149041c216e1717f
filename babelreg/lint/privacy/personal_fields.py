"""Checks of fields with a personal name: the kind of value, and whether the object is about a person."""

from __future__ import annotations

import re

from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.privacy.pii_names import (
    USER_ID,
    PiiGuess,
    about_people,
    guess_pii,
)
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.scope import Scope

MAIL_FORMATS = ("email", "idn-email")
# Formats of values that are not personal: web addresses, keys, host names.
_OTHER_FORMATS = ("uri", "uri-reference", "iri", "uuid", "hostname", "byte", "binary")
_HASH = LazyPattern(
    r"(?:a-f0-9|0-9a-f|A-F0-9|0-9A-F|a-fA-F0-9|A-Fa-f0-9|0-9a-fA-F|0-9A-Fa-f)\]\{(?:32|40|56|64|96|128)\}"
)
_PROSE = LazyPattern(
    r"\b(?:hash(?:ed)?|sha-?\d+|hmac|masked|redacted|pseudonym\w*|anonym\w*|fictional|synthetic|support|help ?desk|"
    r"hotline|company|our own|(?:shop|merchant|seller|supplier|vendor)'s|not? personal)\b",
    re.IGNORECASE,
)
_SESSION = frozenset({"user", "customer", "visitor", "session", "login", "agent"})


def may_hold_pii(scope: Scope, field: SchemaField, guessed: PiiGuess) -> bool:
    """Return True when ``field`` may hold the guessed data: neither a hash nor one of a few values."""
    schema = field.schema
    if "enum" in schema or "const" in schema or "properties" in schema:
        return False
    if schema.get("format") in _OTHER_FORMATS and not (guessed.category == USER_ID and schema["format"] == "uuid"):
        return False
    types = scope.types(field)
    if not types and schema.get("format") not in MAIL_FORMATS:
        return False  # an object, a choice whose branches are checked themselves, or anything
    if not {"string", "integer"} & set(types or ("string",)):
        return False
    pattern = schema.get("pattern")
    return not (isinstance(pattern, str) and _HASH.search(pattern)) and not _PROSE.search(field.description)


class PersonContext:
    """Check whether the object of a field is about a person; computed once for fields of the same object."""

    def __init__(self) -> None:
        self._by_siblings: dict[int, tuple[bool, bool]] = {}

    def is_about_a_person(self, field: SchemaField, guessed: PiiGuess) -> bool:
        """Return True when the object of ``field``, or its message, is about a person."""
        if id(field.siblings) not in self._by_siblings:
            names = [words(str(name)) for name in field.siblings]
            known = any((other := guess_pii(name)) and other.sure and other.category != USER_ID for name in names)
            self._by_siblings[id(field.siblings)] = known, any(not _SESSION.isdisjoint(name) for name in names)
        known, session = self._by_siblings[id(field.siblings)]
        above = [words(step) for step in field.pointer[:-1] if isinstance(step, str)]
        if guessed.category == "ip_address":
            return known or session or any(not _SESSION.isdisjoint(name) for name in above)
        urn = field.message.urn.split(":")[2:] if field.message else [field.source.path.rpartition("/")[2]]
        return known or any(map(about_people, (*above, *map(words, urn))))
