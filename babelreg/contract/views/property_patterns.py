"""Which property names a pattern matches, and whether two patterns can match one name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from babelreg.schema.dialects import Dialect

if TYPE_CHECKING:
    from jsonschema_rs import Validator

__all__ = ["Patterns"]

# the literal characters that an anchored pattern begins with, none of them optional or repeated
_PREFIX = re.compile(r"\^((?:[A-Za-z0-9_ -](?![*?{+|]))*)")


class Patterns:
    """Answers about the patterns of one schema, by the regex engine of the validator itself."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._compiled: dict[str, Validator] = {}

    def name(self, pattern: str, name: str) -> bool:
        """True when ``pattern`` matches somewhere in ``name``.

        Raises SchemaError when the pattern is no regular expression.
        """
        if pattern not in self._compiled:
            self._compiled[pattern] = self._dialect.validator_for({"pattern": pattern})
        return self._compiled[pattern].is_valid(name)

    def overlap(self, one: str, other: str) -> bool:
        """True unless no name can match both. Errs towards True."""
        if one == other:
            return True
        if "|" in one or "|" in other:
            return True
        first, second = _PREFIX.match(one), _PREFIX.match(other)
        if first is None or second is None:
            return True
        length = min(len(first[1]), len(second[1]))
        return first[1][:length] == second[1][:length]
