"""A few texts that a pattern probably matches, written from its syntax tree. No text is matched here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

from babelreg.schema.regex.parser import Alternatives, Chars, Node, Repeat, Sequence, Zero, parse

LONGEST = 20_000
"""Limit of the characters of a sample."""

_CHOICES = 6
_MOST_BRANCHES = 60
"""Of longer lists of words, the first and the last ones are tried: a word is usually added at the end."""
_ANY_NUMBER = 10**9
_USUAL = "a0 A-_zé~"
# What some engines read and ECMA-262 does not: flags at the start, named groups as in Python, anchors of a text.
_FOREIGN = re.compile(r"^\(\?[a-z]+\)|\(\?P(?=<)|\\[AZz]")
_INSTEAD = {"(?P": "(?", r"\A": "^", r"\Z": "$", r"\z": "$"}


@lru_cache(maxsize=2048)
def samples(pattern: str) -> tuple[str, ...]:
    """Return a few texts that ``pattern`` probably matches; none where it cannot be read."""
    node = parse(_FOREIGN.sub(lambda match: _INSTEAD.get(match[0], ""), pattern)).node
    texts: dict[str, None] = {}
    choices = max(_CHOICES, min(_branches(node), _MOST_BRANCHES))
    for choice in range(choices if node is not None else 0):
        with suppress(OverflowError, RecursionError):
            texts[_text(node, choice)] = None
    return tuple(texts)


def _text(node: Node | None, choice: int) -> str:
    """Return a text. ``choice`` decides between branches, characters and counts. Raises OverflowError.

    The repetitions of a group are equal, so its text is written once: it may be empty, and repeated without end.
    """
    text = ""
    if isinstance(node, Chars):
        text = _character(node, choice)
    elif isinstance(node, Sequence):
        text = "".join(_text(item, choice) for item in node.items)
    elif isinstance(node, Alternatives):
        number = choice % len(node.branches) if choice < _CHOICES else _CHOICES - 1 - choice
        text = _text(node.branches[max(number, -len(node.branches))], choice)
    elif isinstance(node, Repeat):
        times = _times(node, choice)
        body = _text(node.body, choice) if times else ""
        if len(body) * times > LONGEST:
            raise OverflowError
        text = body * times
    else:
        assert node is None or isinstance(node, Zero)
    if len(text) > LONGEST:
        raise OverflowError
    return text


def _branches(node: Node | None) -> int:
    """Return the number of branches of the longest list of them."""
    below: Iterable[Node] = ()
    if isinstance(node, Alternatives):
        below = node.branches
    elif isinstance(node, Sequence):
        below = node.items
    elif isinstance(node, Repeat):
        below = (node.body,)
    own = len(node.branches) if isinstance(node, Alternatives) else 0
    return max([own, *map(_branches, below)])


def _times(node: Repeat, choice: int) -> int:
    low, high = node.low, _ANY_NUMBER if node.high is None else node.high
    times = min(high, (low, low + 1, low, low + 2, high if high < 300 else low + 3, low)[min(choice, _CHOICES - 1)])
    if times > LONGEST:
        raise OverflowError
    return times


def _character(node: Chars, choice: int) -> str:
    usual = [text for text in _USUAL if any(low <= ord(text) <= high for low, high in node.ranges)]
    ends = [chr(code) for span in node.ranges for code in span if not 0xD800 <= code <= 0xDFFF]
    members = list(dict.fromkeys([*usual, *ends]))
    return members[choice % len(members)] if members else "a"  # a set that is not known
