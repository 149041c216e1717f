"""What a file does with the names that it gives to URNs: ``URN = "…"`` here, ``publish(URN, data)`` further down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from babelreg.scan.language import Language
from babelreg.scan.role import role_of

__all__ = ["name_of", "roles"]

_LOOK_BACK = 120
_MOST_NAMES = 50
_MOST_PLACES = 1_000
# URN = …, urn := …, URN: Final[str] = …, private const string Urn = …, $urn = …
_ASSIGNED = re.compile(r"(?<![\w.>\]])([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]{0,9}(?::[^=\n]{0,40})?=[ \t\n]{0,40}\Z")


def name_of(text: str, start: int) -> str | None:
    """The name that the literal at ``start`` is given; None where it is given none."""
    found = _ASSIGNED.search(text[max(start - _LOOK_BACK, 0) : start])
    return found[1] if found else None


def roles(text: str, language: Language, names: Iterable[str]) -> Mapping[str, str]:
    """The role of each of ``names`` that the code uses in just one."""
    wanted = sorted(set(names))[:_MOST_NAMES]
    if not wanted or language.tokens is None:
        return {}
    code = language.tokens.sub(_blank, text)  # a name in a comment is no use of it
    found: dict[str, set[str]] = {}
    for number, place in enumerate(re.finditer(rf"\b(?:{'|'.join(wanted)})\b", code)):
        if number == _MOST_PLACES:
            break
        role = role_of(code, *place.span())
        if role is not None:
            found.setdefault(place[0], set()).add(role)
    return {name: next(iter(said)) for name, said in found.items() if len(said) == 1}


def _blank(token: re.Match[str]) -> str:
    return "\n".join(" " * len(line) for line in token[0].split("\n"))
