"""Coverage of declared messages by recorded traffic: counts in classes, as ``coverage.json`` holds them.

A class is a lower bound that rarely changes, so that a file in git stays the same from night to night. No text of a
message is in it: all names and members of enumerations are those of the registry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

UNSEEN, SEEN, OFTEN, ALWAYS = "0", "1+", "100+", "always"

CLASSES = (UNSEEN, SEEN, OFTEN, ALWAYS)
"""Classes of a count, from the lowest: ``always`` is in each of at least 100 objects that could have the field."""

ENOUGH = 100
"""The count from which a class is ``100+``, and from which a field that is absent or always there is judged."""

_DECADE = 10


def class_of(count: int, holders: int | None = None) -> str:
    """Return the class of ``count``; ``holders`` is the number of objects that could have had the field."""
    if count and count == holders and count >= ENOUGH:
        return ALWAYS
    return OFTEN if count >= ENOUGH else SEEN if count else UNSEEN


def volume_class(messages: int) -> str:
    """Return the class of a number of messages: ``0``, ``1+``, ``100+``, ``1000+``, each ten times the one before."""
    if messages < ENOUGH:
        return class_of(messages)
    bound = ENOUGH
    while bound * _DECADE <= messages:
        bound *= _DECADE
    return f"{bound}+"


def least(volume: str) -> int:
    """Return the least number of messages of a class that :func:`volume_class` returns."""
    return int(volume.removesuffix("+"))


@dataclass(frozen=True, slots=True)
class MessageCoverage:
    """Classes of one message: of its fields by path, of the members of enumerations by path, of its aliases.

    ``messages`` is the class of the number of messages. What the traffic does not tell is absent.
    """

    messages: str = UNSEEN
    fields: Mapping[str, str] = field(default_factory=dict)
    enums: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of a registry by the traffic of ``window_days`` days, by URN."""

    window_days: int = 0
    messages: Mapping[str, MessageCoverage] = field(default_factory=dict)
