"""A message: one URN with its kind, owner, producers, consumers, schema and examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from babelreg.finding import Place
from babelreg.model.source import Source
from babelreg.model.urn import Urn
from babelreg.schema.pointer import Pointer

SourceMap = Callable[[Pointer], tuple[Source, Pointer]]
"""Returns the file where a pointer of a schema is written, and where in it."""

KINDS = ("event", "command")
STATUSES = ("draft", "active", "deprecated", "retired")


class Example(NamedTuple):
    """A document at ``pointer`` in ``source`` that must be valid ``data``."""

    data: Any
    source: Source
    pointer: Pointer


class Counterexample(NamedTuple):
    """A document that must not be valid ``data``, and why."""

    data: Any
    because: str
    source: Source
    pointer: Pointer


@dataclass(frozen=True, slots=True)
class Backoff:
    """The delay of retries: the first one, the factor for each further one, and the longest."""

    first_seconds: float = 1
    factor: float = 2
    longest_seconds: float = 300


@dataclass(frozen=True, slots=True)
class Delivery:
    """The per-URN policy that generated consumers follow. ``on_failure``: dead_letter | delete.

    ``time_limit_seconds`` is how long one call of a handler may take; None for no limit.
    """

    max_attempts: int = 3
    on_failure: str = "dead_letter"
    backoff: Backoff | None = None
    time_limit_seconds: float | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Delivery:
        """Return the policy that ``values`` of a message file say."""
        backoff = values.get("backoff")
        return cls(**{**values, "backoff": None if backoff is None else Backoff(**backoff)})


@dataclass(frozen=True, slots=True)
class Message:
    """Content of one message file.

    ``data`` is the JSON Schema as written (True or a mapping; None for a tombstone), ``schema`` the same with every
    file ``$ref`` brought into ``$defs``; None when that failed, which is then one of the registry's defects.
    ``origins`` names the file behind each ``$defs`` entry that was brought in.
    ``declared_consumers`` are those of this file alone; ask ``Registry.consumers`` for all. ``headers``: they travel
    with it where the broker itself has none, in frames. ``aliases`` are names other than its URN under which producers
    send it; ``Registry.resolve`` returns the URN.
    """

    urn: str
    parsed: Urn | None
    source: Source
    kind: str | None = None
    status: str = "active"
    description: str | None = None
    owner: str | None = None
    queue: str | None = None
    headers: bool = False
    supersedes: str | None = None
    producers: tuple[str, ...] = ()
    declared_consumers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    delivery: Delivery | None = None
    sunset: str | None = None
    retired_on: str | None = None
    data: Any = None
    schema: dict[str, Any] | None = None
    origins: Mapping[str, Source] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    counterexamples: tuple[Counterexample, ...] = ()
    upcast: tuple[Mapping[str, Any], ...] = ()
    source_map: SourceMap | None = None
    """Where the schema is written, for one that is not the ``data`` of a message file."""

    @property
    def published(self) -> bool:
        """True for an active or deprecated message: others may depend on it."""
        return self.status in ("active", "deprecated")

    def located(self, pointer: Pointer) -> tuple[Source, Pointer]:
        """Return the file where ``pointer`` of :attr:`schema` is written, this one or a fragment, and where in it."""
        if self.source_map is not None:
            return self.source_map(pointer)
        if len(pointer) >= 2 and pointer[0] == "$defs" and (origin := self.origins.get(str(pointer[1]))):
            return origin, pointer[2:]
        return self.source, ("data", *pointer)

    def place(self, pointer: Pointer, *, key: bool = False) -> Place:
        """Return the position of ``pointer`` of :attr:`schema`; see :meth:`located`."""
        source, at = self.located(pointer)
        return source.place(at, key=key)

    @property
    def context(self) -> str:
        """The context that its URN names, or its folder when the URN cannot be read."""
        return self.parsed.context if self.parsed else self.source.path.partition("/")[0]
