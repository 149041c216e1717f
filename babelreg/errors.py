"""Exceptions that end a command, with their exit codes.

Findings are returned, exceptions are raised. The user can fix the cause of every exception here (exit 2); any other
exception that reaches the command line is a bug of babelreg (exit 3).
"""

from __future__ import annotations

from typing import Any

from babelreg.place import Place

__all__ = ["BabelregError", "InputError", "SchemaError", "UsageError"]


class BabelregError(Exception):
    """An error that the user can fix: the problem, its place, and a suggestion.

    ``fix`` is an instruction or a line to paste.
    """

    exit_code = 2

    def __init__(self, message: str, *, place: Place | None = None, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.fix = fix

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, vars(self))  # subclasses have other arguments than their text

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        way_out = f"\n  fix: {self.fix}" if self.fix else ""
        return f"{where}{self.message}{way_out}"


def _restored(kind: type[BabelregError], arguments: tuple[Any, ...], state: dict[str, Any]) -> BabelregError:
    """Return the exception that was pickled or copied."""
    error = kind.__new__(kind, *arguments)
    vars(error).update(state)
    return error


class UsageError(BabelregError):
    """The command was used in a way that cannot work: a flag, a path, a setting, a missing extra."""


class InputError(BabelregError):
    """A file or stream given as input cannot be read."""


class SchemaError(BabelregError):
    """A JSON Schema that cannot be used: not a valid schema, a ``$ref`` that leads nowhere, a circle."""
