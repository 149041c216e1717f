"""Search of a text for a pattern, with the regex engine of the validators; and whether two patterns can both match.

The engine is linear in the text, whatever the pattern. Python's could be kept busy for ever by a hostile one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from babelreg.schema.dialects import DEFAULT

if TYPE_CHECKING:
    from jsonschema_rs import Validator

# the literal characters that an anchored pattern begins with, none of them optional or repeated
_PREFIX = re.compile(r"\^((?:[A-Za-z0-9_ -](?![*?{+|]))*)")


def matches(pattern: str, text: str) -> bool:
    """Return True when ``pattern`` matches somewhere in ``text``.

    Raises SchemaError when the pattern is not a regular expression.
    """
    return _compiled(pattern).is_valid(text)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Validator:
    return DEFAULT.validator_for({"pattern": pattern})


def may_overlap(one: str, other: str) -> bool:
    """Return False when surely no text matches both patterns."""
    if one == other or "|" in one or "|" in other:
        return True
    first, second = _PREFIX.match(one), _PREFIX.match(other)
    if first is None or second is None:
        return True
    length = min(len(first[1]), len(second[1]))
    return first[1][:length] == second[1][:length]
