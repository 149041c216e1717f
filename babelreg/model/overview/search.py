"""Search over the messages of a registry: every word must occur; where it occurs decides the order.

A match in the URN or an alias ranks before one in a field's path, then services and owner, then descriptions. Only
where nothing matches are words replaced by the most similar ones of the registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from babelreg.model.overview.message import MessageOverview
from babelreg.suggest import closest

_WORD = re.compile(r"[^\W_]+")


class Hit(NamedTuple):
    """A message that matches; ``where`` names the best place of each word, such as ``field total.minor``."""

    message: MessageOverview
    where: tuple[str, ...]


class SearchResult(NamedTuple):
    """The hits, the best first, for ``words``, which differ from the given ones where nothing matched those."""

    words: tuple[str, ...]
    hits: tuple[Hit, ...]


def search(messages: Sequence[MessageOverview], words: Sequence[str]) -> SearchResult:
    """Return the messages in which each of ``words`` occurs, whatever its case."""
    wanted = tuple(word.casefold() for word in words if word)
    hits = _hits(messages, wanted)
    if hits or not wanted:
        return SearchResult(wanted, hits)
    known = sorted(
        {word.casefold() for message in messages for _, _, text in _texts(message) for word in _WORD.findall(text)}
    )
    similar = tuple(word if _occurs(messages, word) else closest(word, known) or word for word in wanted)
    return SearchResult(similar, _hits(messages, similar) if similar != wanted else ())


def _hits(messages: Sequence[MessageOverview], words: Sequence[str]) -> tuple[Hit, ...]:
    ranked = []
    for message in messages:
        places = [_best(message, word) for word in words]
        if places and all(place is not None for place in places):
            ranks = sum(place[0] for place in places if place is not None)
            where = tuple(dict.fromkeys(place[1] for place in places if place is not None))
            ranked.append((ranks, Hit(message, where)))
    return tuple(hit for _, hit in sorted(ranked, key=lambda item: item[0]))


def _occurs(messages: Sequence[MessageOverview], word: str) -> bool:
    return any(word in text.casefold() for message in messages for _, _, text in _texts(message))


def _best(message: MessageOverview, word: str) -> tuple[int, str] | None:
    """Return the rank of the best match of ``word``, lower is better, and its place; None where there is none."""
    best: tuple[int, str] | None = None
    for rank, place, text in _texts(message):
        folded = text.casefold()
        at = folded.find(word)
        if at < 0:
            continue
        whole = (at == 0 or not folded[at - 1].isalnum()) and not folded[at + len(word) : at + len(word) + 1].isalnum()
        found = 2 * rank + (not whole)
        if best is None or found < best[0]:
            best = found, place
    return best


def _texts(message: MessageOverview) -> Iterator[tuple[int, str, str]]:
    """Yield what a word may match: the rank of the text, its place in words, and itself."""
    yield 0, "urn", message.urn.removeprefix("urn:babel:")
    yield from ((0, f"alias {alias}", alias) for alias in message.aliases)
    for field in message.fields:
        yield 1, f"field {field.path}", field.path
    yield 2, "owner", message.owner
    yield 2, "queue", message.queue
    for role, names in (("producer", message.producers), ("consumer", message.consumers)):
        yield from ((2, f"{role} {name}", name) for name in names)
    yield 3, "description", message.description
    for field in message.fields:
        if field.description:
            yield 3, f"description of {field.path}", field.description
        if field.category:
            yield 3, f"category of {field.path}", field.category
