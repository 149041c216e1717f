"""The index of a package in a typed language: its types, and the messages that a service sends, handles and reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from babelreg.errors import BabelregError
from babelreg.model import Topology


class TypeName(Protocol):
    """A message and the name of its type."""

    @property
    def urn(self) -> str: ...
    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=TypeName)


class Inbox(NamedTuple):
    """A queue that a service reads, and the URNs that arrive there."""

    service: str
    queue: str
    urns: list[str]


def named_apart(entries: Sequence[Entry], language: str) -> Sequence[Entry]:
    """Return ``entries``. Raises BabelregError where two of them have one name but for the case of its letters."""
    taken: dict[str, Entry] = {}
    for entry in entries:
        other = taken.setdefault(entry.name.casefold(), entry)
        if other is not entry:
            raise BabelregError(
                f"{other.urn} and {entry.urn} would both be {entry.name} in {language}",
                fix="rename one of them while it is a draft: their words must differ, not only '-', '_' and '.'",
            )
    return entries


def sent_and_handled(entries: Iterable[Entry], options: Mapping[str, Any]) -> tuple[list[Entry], list[Entry]]:
    """Return what the service of ``options`` produces, and what it consumes; twice all of them without a service."""
    entries = list(entries)
    if options.get("service") is None:
        return entries, entries
    sent, handled = (
        [each for each in entries if each.urn in options.get(role, ())] for role in ("produces", "consumes")
    )
    return sent, handled


def inboxes(entries: Iterable[Entry], options: Mapping[str, Any], known: Topology) -> list[Inbox]:
    """Return the queues of the service of ``options``, or of all, with those of ``entries`` that arrive there."""
    service, generated = options.get("service"), {entry.urn for entry in entries}
    found = (
        Inbox(name, queue, [urn for urn in urns if urn in generated])
        for name in known.services
        if service in (None, name)
        for queue, urns in known.reads(name).items()
    )
    return [inbox for inbox in found if inbox.urns]
