"""An example that seems to contain data of a real person.

Everyone who reads the documentation reads the examples; they end up in tests that send mail, and stay in the history
forever. The rule reports e-mail addresses outside the domains reserved for examples, and bank accounts and card numbers
with a valid check digit. It accepts well-known test numbers, role addresses (`support@`) and placeholders.

Bad::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, format: email, x-gdpr-sensitive: email}
    examples:
      - {email: j.lindqvist@gmail.com}

Good::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, format: email, x-gdpr-sensitive: email}
    examples:
      - {email: ada@example.com}

Fix::

    Use an address at `example.com`, `example.org` or below `.test`, the IBAN DE89370400440532013000, the card
    4242424242424242. If it was a real one, the history of the repository still has it: tell whoever looks after
    personal data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.example_values import detections
from babelreg.lint.privacy.pii_values import personal_value
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

_SHORTEST = 13
"""The digits of a card, at least; no bank account is shorter."""
_SMALLEST, _BEYOND = 10 ** (_SHORTEST - 1), 10**19


def check(scope: Scope) -> Iterator[Problem]:
    for each in detections(scope, _is_suspect, personal_value):
        text = f"the example has what looks like a real {each.what.what}, {each.what.shown}"
        fix = f"use one that belongs to nobody: {each.what.instead}"
        yield Problem(text, each.source, each.pointer, fix=fix, urn=each.urn)


def _is_suspect(name: str, value: Any) -> bool:
    if type(value) is str:
        return "@" in value or (len(value) >= _SHORTEST and value[2:4].isdigit())
    return bool(_SMALLEST <= value < _BEYOND)
