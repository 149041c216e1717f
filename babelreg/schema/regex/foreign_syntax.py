"""Constructs of other regex languages in a pattern, and how ECMA-262 writes them. JSON Schema has ECMA-262's."""

from __future__ import annotations

from babelreg.schema.regex.parser import parse

_CONSTRUCTS = {
    "inline-flag": "write the letters of both cases: [Aa]",
    "python-name": "(?<name>...), or a plain group",
    "posix": "[A-Za-z], [0-9] and the like",
    "group": "(?:...)",
    "possessive": "remove the second +",
}
_LETTERS = {
    "A": "^",
    "Z": "$",
    "z": "$",
    "a": "the character itself",
    "e": "the character itself",
    "h": r"[ \t]",
    "x": r"\u and four digits",
    "Q": "a backslash before each character",
}


def foreign(pattern: str) -> tuple[str, str] | None:
    """Return the first construct of another language in ``pattern`` and its replacement; None where there is none."""
    for use in parse(pattern).uses:
        instead = _LETTERS.get(use.text[1:2]) if use.kind == "letter-escape" else _CONSTRUCTS.get(use.kind)
        if instead is not None:
            return use.text, instead
    return None
