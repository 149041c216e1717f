"""Values of recorded messages that may be published in a registry: those in which no detector finds anything.

The opposite of a lint rule: in doubt a value is left out.
"""

from __future__ import annotations

import re
from typing import Any

from babelreg.lint.privacy.pii_names import about_people, guess_likely_pii, guess_pii
from babelreg.lint.privacy.pii_values import is_valid_luhn
from babelreg.lint.privacy.secret_values import has_secret_name, looks_random, password, token
from babelreg.lint.schema.field import words

_ADDRESS = re.compile(r"[^\s@]@[^\s@]")
_PHONE = re.compile(r"(?:(?:\+|00|\(?0)[0-9 ()./-]{7,24}|\(?[0-9]{3}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4})\Z")
_SOCIAL_SECURITY = re.compile(r"(?<![0-9-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9-])")
_IP = re.compile(r"(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9.])|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}\Z")
_IBAN = re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}")
_CARD = re.compile(r"[0-9](?:[ .-]?[0-9]){12,18}")
_QUERY = re.compile(r"[?&#;][^\s=&]*=")
_CALENDAR = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# By the last word of a name.
_NAMES = frozenset(
    words(
        "name names username nickname login handle alias author signature body text message comment comments born "
        "birth birthdate age gender sex nationality religion salary diagnosis lat lng lon latitude longitude geo "
        "location coordinates imei owner assignee manager sender person account plate passport license licence "
        "tin ssn bio plz"
    )
)
_LONGEST_NAME = 64
_ANYWHERE = (_ADDRESS, _IP, _IBAN, _QUERY, _SOCIAL_SECURITY)
_NUMBERED = re.compile(r"[0-9]{5}|^[0-9]+\Z")


def is_publishable(names: tuple[str, ...], value: Any) -> bool:
    """Return True when neither the names that lead to ``value``, a scalar, nor its text may be about a person."""
    if value is None:
        return True
    named = [words(name) for name in names]
    if any(guess_pii(name) is not None or has_secret_name(name) for name in named):
        return False
    if named and (guess_likely_pii(named[-1]) is not None or not _NAMES.isdisjoint(named[-1][-1:])):
        return False
    if isinstance(value, bool | float):
        return True
    text = str(value)
    if isinstance(value, str) and named and (about_people(named[-1]) or password(text, named[-1])):
        return False
    return not _is_suspect(text)


def _is_suspect(text: str) -> bool:
    """Return True where ``text`` may hold an address, a number of a person, or a secret."""
    if any(pattern.search(text) for pattern in _ANYWHERE) or _PHONE.match(text):
        return True
    numbers = (re.sub("[ .-]", "", match[0]) for match in _CARD.finditer(_CALENDAR.sub("", text)))
    return any(map(is_valid_luhn, numbers)) or token(text) is not None or looks_random(text)


def is_data_name(name: str) -> bool:
    """Return True when the name of a property is data, such as a number or an address: the object is a map."""
    return (
        len(name) > _LONGEST_NAME
        or not name.isprintable()
        or "${" in name
        or _NUMBERED.search(name) is not None
        or _is_suspect(name)
    )
