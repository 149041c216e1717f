"""The identity of a message: ``urn:babel:<context>:<name>[.vN]``.

Source: BabelQueue, "URN naming"; facts U1, U5-U7, U12. A URN is its text; :class:`Urn` is a text that was checked,
taken apart. Version 1 has no suffix; the next version of ``…:created`` is ``…:created.v2``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PREFIX = "urn:babel:"
MAX_LENGTH = 255

_CONTEXT = re.compile(r"[a-z0-9-]+\Z")
_PART = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")
_VERSION = re.compile(r"v[0-9]+\Z")


class UrnError(ValueError):
    """A text that is not a BabelQueue URN: ``problem`` is the defect at ``offset``, counted in characters from 0."""

    def __init__(self, text: str, offset: int, problem: str) -> None:
        super().__init__(f"{text!r}: {problem}")
        self.text = text
        self.offset = offset
        self.problem = problem


class Urn(NamedTuple):
    """A well-formed URN. Ordered by context, then name, then version."""

    context: str
    name: str
    version: int = 1

    @classmethod
    def parse(cls, text: str) -> Urn:
        """Read ``urn:babel:<context>:<name>[.vN]``.

        Raises UrnError naming the first character that does not fit.
        """
        if not text:
            raise UrnError(text, 0, "it is empty")
        if len(text) > MAX_LENGTH:
            raise UrnError(text, MAX_LENGTH, f"it is longer than {MAX_LENGTH} characters")
        if not text.startswith(PREFIX):
            raise UrnError(text, 0, f"it does not start with '{PREFIX}'")
        context, colon, tail = text[len(PREFIX) :].partition(":")
        _check_context(text, context)
        if not colon or not tail:
            raise UrnError(text, len(text), "the name after the context is missing")
        parts = tail.split(".")
        _check_parts(text, len(PREFIX) + len(context) + 1, parts)
        if not _VERSION.match(parts[-1]):
            return cls(context, tail)
        return cls(context, ".".join(parts[:-1]), int(parts[-1][1:]))

    def __str__(self) -> str:
        suffix = f".v{self.version}" if self.version > 1 else ""
        return f"{PREFIX}{self.context}:{self.name}{suffix}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The sub-parts of the name, without the version: ``email.welcome.send`` has three."""
        return tuple(self.name.split("."))

    @property
    def first(self) -> Urn:
        """Version 1 of the same message."""
        return Urn(self.context, self.name)

    @property
    def next(self) -> Urn:
        """The next version of the same message."""
        return Urn(self.context, self.name, self.version + 1)

    @property
    def previous(self) -> Urn | None:
        """The version before, or None for version 1."""
        return Urn(self.context, self.name, self.version - 1) if self.version > 1 else None

    @property
    def path(self) -> str:
        """The file that declares it, relative to the registry: ``orders/created.v2.yaml``."""
        suffix = f".v{self.version}" if self.version > 1 else ""
        return f"{self.context}/{self.name}{suffix}.yaml"


def _check_context(text: str, context: str) -> None:
    if not context:
        raise UrnError(text, len(PREFIX), "the context is missing")
    if not _CONTEXT.match(context):
        offset, character = next((i, c) for i, c in enumerate(context) if not _CONTEXT.match(c))
        raise UrnError(
            text, len(PREFIX) + offset, f"{_named(character)} is not allowed in a context, only a-z, 0-9 and '-'"
        )


def _check_parts(text: str, offset: int, parts: list[str]) -> None:
    for number, part in enumerate(parts):
        if not part:
            raise UrnError(text, offset, "a sub-part of the name is empty: two dots in a row, or one at an end")
        if not _PART.match(part):
            at, character = _misfit(part)
            raise UrnError(text, offset + at, f"{_named(character)} is not allowed {_where(at)}")
        if _VERSION.match(part):
            _check_version(text, offset, part, last=number == len(parts) - 1, only=len(parts) == 1)
        offset += len(part) + 1


def _misfit(part: str) -> tuple[int, str]:
    for at, character in enumerate(part):
        if not _PART.match(character if at == 0 else "a" + character):
            return at, character
    raise AssertionError(part)


def _named(character: str) -> str:
    """Return the character in quotes; one beyond ASCII by its number too, since it may look like one that is not."""
    return repr(character) if character.isascii() else f"{character!r} (U+{ord(character):04X})"


def _where(at: int) -> str:
    if at == 0:
        return "at the start of a sub-part, only a-z and 0-9"
    return "in a name, only a-z, 0-9, '_', '-' and single dots"


def _check_version(text: str, offset: int, part: str, *, last: bool, only: bool) -> None:
    if only:
        raise UrnError(text, offset, f"'{part}' alone is a version without a name")
    if not last:
        raise UrnError(text, offset, f"the version '.{part}' must be the last sub-part, and occur once")
    if part[1] == "0":
        raise UrnError(text, offset, f"the version '.{part}' has a leading zero")
    if int(part[1:]) < 2:
        raise UrnError(text, offset, f"the first version has no suffix: remove '.{part}'; versions start at .v2")
