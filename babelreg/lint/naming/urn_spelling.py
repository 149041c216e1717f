"""Faults in the spelling of a URN: a class name, capitals, or wrong syntax.

A text has one fault at most, so that one slip gives one finding.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.schema.field import words
from babelreg.model import Urn, UrnError
from babelreg.model.urn import MAX_LENGTH, PREFIX

# App\Jobs\ProcessOrder, Orders::Created, com.acme.OrderCreated, Acme.Orders.Created, OrderCreated
_NAMESPACED = LazyPattern(r"\\|\w::[A-Z]")
_CAMEL = LazyPattern(r"(?:^|[.:/])[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*$")
_DOTTED = LazyPattern(r"^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\.[A-Z][A-Za-z0-9]*$")
# The prefix and how it is misspelt: urn:bable:, urn:acme:, babel:, urn:
_NAMESPACE = LazyPattern(r"\A(?:[a-z]{3}:[a-z0-9-]+:(?=[^:]+:)|urn:|babel:)+")
_LONGEST = 2 * MAX_LENGTH
_HUMP = LazyPattern(r"(?<=[a-z0-9])(?=[A-Z])")
_VERSION = LazyPattern(r"v[0-9]{1,9}\Z")
# Letters of Cyrillic and Greek that look like Latin ones, and dashes.
_LOOKALIKES = str.maketrans(
    "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0445\u0443\u0501\u03bf\u03b1\u03bd\u2010\u2011\u2013\u2014\u2212\u0131",
    "aceijopsxydoav-----i",
)


class Misspelling(NamedTuple):
    """A ``fault`` (``class-name``, ``uppercase`` or ``syntax``) at the character ``offset`` (from 0).

    ``meant`` is the likely URN, or None.
    """

    fault: str
    offset: int
    problem: str
    meant: str | None


@lru_cache(maxsize=4096)
def misspelling(text: str, path: str) -> Misspelling | None:
    """Return the fault of ``text``, or None for a URN. ``path``, the file that contains it, helps to suggest a URN."""
    try:
        Urn.parse(text)
    except UrnError as err:
        prefixed = text.lower().startswith(PREFIX)
        tail = text.rpartition(":")[2] if prefixed else text
        if _NAMESPACED.search(text) or _CAMEL.search(tail) or (not prefixed and _DOTTED.match(text)):
            meant = _from_class(tail, text, path)
            return Misspelling("class-name", text.find(tail), f"'{tail}' is a class name", meant)
        if not text.islower() and (lower := _valid(_HUMP.sub("-", text).lower()) or _valid(text.lower())):
            offset = next(i for i, c in enumerate(text) if c != c.lower())
            return Misspelling("uppercase", offset, f"{text[offset]!r} is upper case", lower)
        return Misspelling("syntax", err.offset, err.problem, _suggestion(text, path) or _urn_of_path(path))
    return None


def _valid(text: str) -> str | None:
    try:
        return str(Urn.parse(text))
    except UrnError:
        return None


def _urn_of_path(path: str) -> str | None:
    """Return the URN of the file ``path``."""
    context, _, name = path.removesuffix(".yaml").partition("/")
    return _valid(f"{PREFIX}{context}:{name}")


def _from_class(name: str, text: str, path: str) -> str | None:
    last = re.split(r"[\\:./]", name)[-1]
    parts = text.lower().split(":")
    context = parts[2] if len(parts) > 3 and text.lower().startswith(PREFIX) else path.partition("/")[0]
    return _valid(f"{PREFIX}{context}:{'-'.join(words(last))}")


def _suggestion(text: str, path: str) -> str | None:
    """Return the nearest URN, undoing common slips; None when it is not clear."""
    if len(text) > _LONGEST or "@" in text:
        return None
    context = path.partition("/")[0]
    tidy = _latin(text.strip()).lower()
    tail = _NAMESPACE.sub("", tidy).replace("/", ":")
    if tail.strip(":") in ("", "urn", "babel", context):
        return None
    if ":" not in tail:
        tail = f"{context}:{tail}"
    context, _, name = tail.partition(":")
    name = re.sub(r"[^a-z0-9._-]+", "-", name.replace(":", "."))
    name = re.sub(r"[._-]*\.[._-]*", ".", name).strip("._-")
    parts = name.split(".")
    versions = [int(part[1:]) for part in parts if _VERSION.match(part)]
    name = ".".join(part for part in parts if not _VERSION.match(part))
    suffix = f".v{versions[-1]}" if versions and versions[-1] > 1 else ""
    context = re.sub(r"[^a-z0-9]+", "-", context).strip("-")
    return _valid(f"{PREFIX}{context}:{name}{suffix}")


def _latin(text: str) -> str:
    """Return ``text`` with Latin letters for lookalikes, without accents and invisible characters."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    return "".join(c for c in apart if unicodedata.category(c) not in ("Mn", "Cf"))
