"""An example that seems to contain a card number, in a field of any name.

`example-personal-data` reports card numbers in fields named after cards. Real ones also appear in references, notes and
payloads of other systems. This rule reports numbers with the length and prefix of a card issuer and a valid check digit
(Luhn), as one run of digits or in groups as printed on cards, also within a text. One in ten numbers in such a range
has a valid check digit by chance, so the rule is for the strict profile. The test numbers of payment providers are not
reported.

Bad::

    urn: urn:babel:payments:captured
    data:
      type: object
      properties:
        remark: {type: string}
    examples:
      - {remark: paid with 4539 1488 0343 6467}

Good::

    urn: urn:babel:payments:captured
    data:
      type: object
      properties:
        remark: {type: string}
    examples:
      - {remark: paid with 4242 4242 4242 4242}

Fix::

    Use a test number such as 4242424242424242. If a number only looks like a card number, change a digit or waive the
    finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.example_values import detections
from babelreg.lint.privacy.pii_values import personal_value
from babelreg.lint.privacy.secret_values import Secret, card_number
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "strict"

_SHORTEST = 13
_SMALLEST, _BEYOND = 10 ** (_SHORTEST - 1), 10**19


def check(scope: Scope) -> Iterator[Problem]:
    for each in detections(scope, _is_suspect, _elsewhere):
        text = f"the example has what looks like a real card number, {each.what.shown}"
        yield Problem(text, each.source, each.pointer, fix="use a test number: 4242424242424242", urn=each.urn)


def _elsewhere(text: str, named: tuple[str, ...]) -> Secret | None:
    """Return the card number in ``text``; None where ``example-personal-data`` reports it."""
    return card_number(text) if personal_value(text, named) is None else None


def _is_suspect(name: str, value: Any) -> bool:
    if type(value) is str:
        return len(value) >= _SHORTEST
    return bool(_SMALLEST <= value < _BEYOND)
