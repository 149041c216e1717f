"""A service: what produces or consumes messages, who owns it, in which language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from babelreg.model.source import Source

LANGUAGES = ("php", "go", "python", "java", "dotnet", "node")
"""The values of ``meta.lang`` and of a service's ``lang``. Source: BabelQueue envelope, "The meta block"; E12."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A JSON Schema that every value at ``path`` satisfies, as far as the service relies on it; ``.`` is all data."""

    path: str
    schema: Any


@dataclass(frozen=True, slots=True)
class Consumption:
    """One URN that a service consumes. ``reads`` are the fields it uses (``lines[].qty``); empty means not stated.

    ``expects`` is what it relies on, ``on_unexpected`` (handle | dead_letter) what generated consumers do with a
    message outside of that, once they check it. ``queue`` is the queue from which the service reads it; None for its
    inbox, which is named as the service.
    """

    urn: str
    reads: tuple[str, ...] = ()
    queue: str | None = None
    expects: tuple[Expectation, ...] = ()
    on_unexpected: str = "handle"

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Consumption:
        """Return the consumption that an item of ``consumes`` declares."""
        expects = tuple(Expectation(path, schema) for path, schema in value.get("expects", {}).items())
        reads, on_unexpected = tuple(value.get("reads", ())), value.get("on_unexpected", "handle")
        return cls(value["urn"], reads, value.get("queue"), expects, on_unexpected)


class Service(NamedTuple):
    """Content of ``_services/<name>.yaml``."""

    name: str
    source: Source
    owner: str | None = None
    lang: str | None = None
    repo: str | None = None
    contact: str | None = None
    description: str | None = None
    consumes: tuple[Consumption, ...] = ()
