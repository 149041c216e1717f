"""What stands in a pattern that ECMA 262, whose patterns JSON Schema has, does not have; and how it says it."""

from __future__ import annotations

from babelreg.schema.regex.parser import parse

__all__ = ["foreign"]

_CONSTRUCTS = {
    "inline-flag": "write the letters of both cases: [Aa]",
    "python-name": "(?<name>...), or a plain group",
    "posix": "[A-Za-z], [0-9] and the like",
    "group": "(?:...)",
    "possessive": "leave the second + out",
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
    """The first construct of another language in ``pattern``, and what to write; None where none is known."""
    for use in parse(pattern).uses:
        instead = _LETTERS.get(use.text[1:2]) if use.kind == "letter-escape" else _CONSTRUCTS.get(use.kind)
        if instead is not None:
            return use.text, instead
    return None
