"""The constraints of a property that types cannot express, in words for a docstring: format, unit, limits.

So are the known values of an open enum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from babelreg.schema.values import is_number
from babelreg.typemap.names import visible
from babelreg.typemap.schema_facets import ListedValues, Parts

_LONGEST = 60
_LONGEST_LIST = 300
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}
BOUNDED = frozenset([*_BOUNDS, "maxProperties", "minProperties", "pattern", "uniqueItems"])
"""Keywords of limits."""
_RANGES = (("minimum", "maximum", "{} to {}"), ("minLength", "maxLength", "{} to {} characters"))


def limits(parts: Parts, stated: Container[str] = (), known: ListedValues | None = None) -> str | None:
    """Return sentences about the values that ``parts`` admit; None where the type says all.

    Keywords that are ``stated`` beside the type are left out. ``known`` are the listed values, which are named if they
    grow.
    """
    texts = [f"Known values: {_listed(known)}."] if known is not None and known.grows and known.values else []
    if all(part.keys().isdisjoint(_KEYWORDS) for part in parts):
        return texts[0] if texts else None
    labels = [(key, label) for key, label in _LABELS if key not in stated]
    texts += [f"{label}: {_short(part[key])}." for key, label in labels for part in parts if _is_text(part, key)]
    bounds = [phrase for part in parts for phrase in _bounds(part, stated)]
    if bounds:
        texts.append(f"Limits: {', '.join(bounds)}.")
    return " ".join(dict.fromkeys(texts)) or None


def _listed(known: ListedValues) -> str:
    texts: list[str] = []
    length = 0
    for value in known.values:
        text = value if isinstance(value, str) and _WORD.match(value) else json.dumps(value, ensure_ascii=False)
        length += len(text) + 2
        if length > _LONGEST_LIST:
            return ", ".join([*texts, "…"])
        texts.append(visible(text))
    return ", ".join(texts)


_WORD = re.compile(r"[A-Za-z0-9_./:+-]*[A-Za-z0-9_+]\Z")


_LABELS = (("format", "Format"), ("x-unit", "Unit"), ("pattern", "Pattern"))
_KEYWORDS = frozenset([*_BOUNDS, "uniqueItems", *(key for key, _ in _LABELS)])


def _is_text(part: Mapping[str, Any], key: str) -> bool:
    return isinstance(part.get(key), str) and bool(part[key].strip())


def _short(text: str) -> str:
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _bounds(part: Mapping[str, Any], stated: Container[str]) -> Iterator[str]:
    if BOUNDED.isdisjoint(part):
        return
    numbers = {key: part[key] for key in _BOUNDS if key in part and key not in stated and is_number(part[key])}
    for least, most, phrase in _RANGES:
        if least in numbers and most in numbers:
            yield phrase.format(_number(numbers.pop(least)), _number(numbers.pop(most)))
    for key, value in numbers.items():
        phrase = _BOUNDS[key].format(_number(value))
        yield phrase.removesuffix("s") if value == 1 and phrase.endswith("s") else phrase
    if part.get("uniqueItems") is True:
        yield "all different"


def _number(value: int | float) -> str:
    text = str(value) if type(value) is int else json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:20]}…"
