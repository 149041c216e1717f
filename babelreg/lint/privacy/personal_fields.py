"""Whether a field can hold the personal data that its name speaks of, and whether persons are around it."""

from __future__ import annotations

import re

from babelreg.lint.privacy.pii_names import (
    USER_ID,
    Guess,
    about_people,
    guess,
)
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.scope import Scope

__all__ = ["MAIL_FORMATS", "Surroundings", "holds_a_value"]

MAIL_FORMATS = ("email", "idn-email")
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


def holds_a_value(scope: Scope, field: SchemaField, found: Guess) -> bool:
    """Return True when ``field`` may hold what ``found`` says: neither a hash nor one of a few values."""
    schema = field.schema
    if "enum" in schema or "const" in schema or "properties" in schema:
        return False
    if schema.get("format") in _OTHER_FORMATS and not (found.category == USER_ID and schema["format"] == "uuid"):
        return False
    types = scope.types(field)
    if not types and schema.get("format") not in MAIL_FORMATS:
        return False  # an object, a choice whose branches are asked themselves, or anything
    if not {"string", "integer"} & set(types or ("string",)):
        return False
    pattern = schema.get("pattern")
    return not (isinstance(pattern, str) and _HASH.search(pattern)) and not _PROSE.search(field.description)


class Surroundings:
    """What stands around fields. Many fields have the same siblings: these are looked at once."""

    def __init__(self) -> None:
        self._beside: dict[int, tuple[bool, bool]] = {}

    def are_people(self, field: SchemaField, found: Guess) -> bool:
        """Return True when what stands around ``field`` is about persons."""
        if id(field.siblings) not in self._beside:
            names = [words(str(name)) for name in field.siblings]
            known = any((other := guess(name)) and other.sure and other.category != USER_ID for name in names)
            self._beside[id(field.siblings)] = known, any(not _SESSION.isdisjoint(name) for name in names)
        known, session = self._beside[id(field.siblings)]
        above = [words(step) for step in field.pointer[:-1] if isinstance(step, str)]
        if found.category == "ip_address":
            return known or session or any(not _SESSION.isdisjoint(name) for name in above)
        urn = field.message.urn.split(":")[2:] if field.message else [field.source.path.rpartition("/")[2]]
        return known or any(map(about_people, (*above, *map(words, urn))))
