"""An integer that may be larger than 64 bits.

Five of the six languages decode integers into signed 64 bits. A larger value makes the message poison in one language,
wraps around in another, and loses digits in a third. Send such a number as a string. The rule reports a bound, a listed
value or a format beyond int64.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        token_supply: {type: integer, maximum: 18446744073709551615}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        token_supply: {type: string, pattern: "^[0-9]{1,20}$"}

Fix::

    Send the number as a string of digits, or limit it to 9223372036854775807 if it can never be larger. On a published
    message, the first needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.integer_bounds import integers, out_of_range
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_FORMATS = ("uint64", "int128", "uint128", "uint256")


def check(scope: Scope) -> Iterator[Problem]:
    for field in integers(scope):
        for at, reason in out_of_range(field, _SMALLEST, _LARGEST, _FORMATS):
            text = f"{field.shown} exceeds signed 64 bits: {reason}"
            fix = 'send it as a string: {type: string, pattern: "^[0-9]+$"}, or limit it to 9223372036854775807'
            yield Problem(text, field.source, at, fix=fix, urn=field.urn)
