"""Detection in texts: their formats, what may be kept of them, and digests in place of what may not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from babelreg.schema.dialects import DEFAULT

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_LONGEST_MEMBER = 40
_MEMBER = re.compile(r"[A-Za-z][A-Za-z0-9_.:+/-]*\Z")
_LONGEST_PERSONAL = 100

LEAST_PERSONAL = 11
"""A longer text without an @ may be personal."""

FORMATS = ("date-time", "date", "uuid", "email", "ipv4", "ipv6", "uri")
"""Formats in the order in which one is chosen; its index is that of its bit."""

ALL_FORMATS = (1 << len(FORMATS)) - 1
# What looks like it: `a:b` is a URI by its grammar, rarely meant. The length excludes most texts at once.
_LOOKS_LIKE = {
    "date-time": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]"),
    "date": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z"),
    "uuid": re.compile(r"[0-9A-Fa-f]{8}-"),
    "email": re.compile(r"[^@]+@"),
    "ipv4": re.compile(r"[0-9]{1,3}\."),
    "ipv6": re.compile(r"[0-9A-Fa-f:.]{2,45}\Z"),
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://"),
}


@dataclass(frozen=True, slots=True)
class Detectors:
    """Detection of what may not be kept.

    ``is_data_name`` tells whether the name of a property is data; one that has a format is, in any case.
    ``has_public_texts`` tells whether the names that lead to a text allow it to be published. ``may_keep`` takes such
    names and a value, and judges both. ``category_of`` returns the category of personal data that a text is, such as an
    e-mail address, and None for most texts.
    """

    is_data_name: Callable[[str], bool]
    has_public_texts: Callable[[tuple[str, ...]], bool]
    may_keep: Callable[[tuple[str, ...], Any], bool]
    category_of: Callable[[str], str | None]


class TextJudgement:
    """The answers of detectors, of which the recent ones are kept."""

    def __init__(self, detectors: Detectors) -> None:
        self.detectors = detectors
        self.is_data_name = lru_cache(1 << 16)(self._is_data_name)
        self.is_member = lru_cache(1 << 12)(self._is_member)
        self.hides = lru_cache(1 << 14)(self._hides)

    def _is_data_name(self, name: str) -> bool:
        return not is_writable(name) or self.detectors.is_data_name(name) or formats_of(name, ALL_FORMATS) != 0

    def _hides(self, name: str) -> tuple[bool, bool]:
        """Return whether texts of a property with this name are hidden, and whether all texts below it are."""
        public = self.detectors.has_public_texts
        return not public((name,)), not public((name, "x"))

    def _is_member(self, text: str) -> bool:
        return len(text) <= _LONGEST_MEMBER and _MEMBER.match(text) is not None and self.detectors.may_keep((), text)


@dataclass(frozen=True, slots=True)
class SketchPlace:
    """A place of values: the names that lead to it. With ``hides`` no text may be kept of it or its items.

    With ``hides_below``, none may be kept of properties either.
    """

    judgement: TextJudgement
    names: tuple[str, ...]
    depth: int = 0
    hides: bool = False
    hides_below: bool = False

    @classmethod
    def root(cls, detectors: Detectors) -> SketchPlace:
        """Return the place of whole documents."""
        return cls(TextJudgement(detectors), ())

    def below(self, name: str | None) -> SketchPlace:
        if name is None:
            return SketchPlace(self.judgement, self.names, self.depth + 1, self.hides, self.hides_below)
        own, below = self.judgement.hides(name)
        hidden = self.hides_below
        return SketchPlace(self.judgement, (*self.names, name), self.depth + 1, hidden or own, hidden or below)


def may_be_personal(text: str) -> bool:
    """Return False for most texts that no detector finds: it takes longer than these tests."""
    return len(text) <= _LONGEST_PERSONAL and (
        "@" in text or (len(text) > LEAST_PERSONAL and (text[0].isdigit() or text[2:4].isdigit()))
    )


def is_writable(text: str) -> bool:
    """Return False for a text that no file can hold: an unpaired surrogate, which JSON's grammar admits."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def digest_of(text: str) -> str:
    """Return what a file has in place of a text that was seen too rarely."""
    return "#" + blake2b(text.encode(), digest_size=8).hexdigest()


def is_digest(text: str) -> bool:
    """Return True for a digest. A text that may be kept begins with a letter."""
    return text.startswith("#")


def named(some: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Return the texts by the digests that the other side has for them."""
    digests = {text for text in (*some, *others) if is_digest(text)}
    if not digests:
        return {}
    known = {digest_of(text): text for text in (*some, *others) if not is_digest(text)}
    return {digest: known[digest] for digest in digests if digest in known}


def formats_of(text: str, among: int) -> int:
    """Return the bits of ``among`` whose formats ``text`` has, by the validator of messages."""
    bits = 0
    for bit, matches, name in _formats_in(among):
        if matches(text) and is_valid(text, name):
            bits |= bit
    return bits


@lru_cache(ALL_FORMATS + 1)
def _formats_in(bits: int) -> tuple[tuple[int, Callable[[str], object], str], ...]:
    """Return for each of ``bits`` its look-alike test and its name."""
    return tuple((1 << n, _LOOKS_LIKE[name].match, name) for n, name in enumerate(FORMATS) if bits & (1 << n))


def is_valid(text: str, name: str) -> bool:
    """Return whether ``text`` has the format ``name``, by the validator of messages."""
    try:
        return _validator(name).is_valid(text)
    except ValueError:  # an unpaired surrogate
        return False


@lru_cache(len(FORMATS))
def _validator(name: str) -> Validator:
    return DEFAULT.validator_for({"type": "string", "format": name})
