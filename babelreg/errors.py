"""The exception tree: what is raised when a command cannot go on, with the exit code it ends in.

Findings are returned, exceptions are raised. Every exception here is the user's to mend (exit 2); anything else
that reaches the command line is our own bug (exit 3).
"""

from __future__ import annotations

from babelreg.place import Place

__all__ = ["BabelregError", "InputError", "SchemaError", "UsageError"]


class BabelregError(Exception):
    """Something the user can mend: what is wrong, where, and a way out.

    ``fix`` is a line that can be followed or pasted.
    """

    exit_code = 2

    def __init__(self, message: str, *, place: Place | None = None, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.fix = fix

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        way_out = f"\n  fix: {self.fix}" if self.fix else ""
        return f"{where}{self.message}{way_out}"


class UsageError(BabelregError):
    """The command was used in a way that cannot work: a flag, a path, a setting, a missing extra."""


class InputError(BabelregError):
    """A file or stream given as input cannot be read."""


class SchemaError(BabelregError):
    """A JSON Schema that cannot be used: not a valid schema, a ``$ref`` that leads nowhere, a circle."""
