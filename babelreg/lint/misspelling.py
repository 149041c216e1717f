"""What is wrong with a text that should be a URN: it is a class name, it has capitals, or it breaks the syntax.

A text has one fault, so that one slip gives one finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from babelreg.lint.field import words
from babelreg.model import Urn, UrnError
from babelreg.model.urn import MAX_LENGTH, PREFIX

__all__ = ["Misspelling", "misspelling"]

# App\Jobs\ProcessOrder, Orders::Created, com.acme.OrderCreated, Acme.Orders.Created, OrderCreated
_NAMESPACED = re.compile(r"\\|\w::[A-Z]")
_CAMEL = re.compile(r"(?:^|[.:/])[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*$")
_DOTTED = re.compile(r"^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\.[A-Z][A-Za-z0-9]*$")
# The prefix and how it is misspelt: urn:bable:, urn:acme:, babel:, urn:
_NAMESPACE = re.compile(r"\A(?:[a-z]{3}:[a-z0-9-]+:(?=[^:]+:)|urn:|babel:)+")
_LONGEST = 2 * MAX_LENGTH


@dataclass(frozen=True, slots=True)
class Misspelling:
    """``fault`` is ``class-name``, ``uppercase`` or ``syntax``, at the character ``offset`` (from 0).

    ``meant`` is the URN that was probably meant, or None.
    """

    fault: str
    offset: int
    problem: str
    meant: str | None


@lru_cache(maxsize=4096)
def misspelling(text: str, context: str = "orders") -> Misspelling | None:
    """The fault of ``text``, or None when it is a URN. ``context`` is the folder it stands in."""
    try:
        Urn.parse(text)
    except UrnError as err:
        prefixed = text.lower().startswith(PREFIX)
        tail = text.rpartition(":")[2] if prefixed else text
        if _NAMESPACED.search(text) or _CAMEL.search(tail) or (not prefixed and _DOTTED.match(text)):
            meant = _from_class(tail, text, context)
            return Misspelling("class-name", text.find(tail), f"'{tail}' is a class name", meant)
        if not text.islower() and _valid(text.lower()):
            offset = next(i for i, c in enumerate(text) if c != c.lower())
            return Misspelling("uppercase", offset, f"{text[offset]!r} is upper case", _valid(text.lower()))
        return Misspelling("syntax", err.offset, err.problem, _repaired(text, context))
    return None


def _valid(text: str) -> str | None:
    try:
        return str(Urn.parse(text))
    except UrnError:
        return None


def _from_class(name: str, text: str, context: str) -> str | None:
    last = re.split(r"[\\:./]", name)[-1]
    parts = text.lower().split(":")
    if len(parts) > 3 and text.lower().startswith(PREFIX):
        context = parts[2]
    return _valid(f"{PREFIX}{context}:{'-'.join(words(last))}")


def _repaired(text: str, context: str) -> str | None:
    """The nearest text that is a URN, by the slips that people make; None when it is not clear."""
    if len(text) > _LONGEST:
        return None
    tidy = text.strip().lower()
    tail = _NAMESPACE.sub("", tidy).replace("/", ":")
    if ":" not in tail:
        tail = f"{context}:{tail}"
    place, _, name = tail.partition(":")
    name = re.sub(r"[^a-z0-9._-]+", "-", name.replace(":", "."))
    name = re.sub(r"[._-]*\.[._-]*", ".", name).strip("._-")
    name = re.sub(r"\.v0*([0-9]+)$", r".v\1", name)
    name = name.removesuffix(".v1").removesuffix(".v0")
    place = re.sub(r"[^a-z0-9]+", "-", place).strip("-")
    return _valid(f"{PREFIX}{place}:{name}")
