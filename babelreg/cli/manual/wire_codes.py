"""Codes of wire formats, for ``babelreg explain``: what each means, and who defines it."""

from __future__ import annotations


def wire_codes() -> dict[str, dict[str, str]]:
    """Return for every code of a foreign format, and of conversions, its meaning by format."""
    from babelreg.wire.bridge import LOSS_CODES
    from babelreg.wire.format import NATIVE
    from babelreg.wire.formats.table import FORMATS

    codes: dict[str, dict[str, str]] = {}
    for name, wire in FORMATS.items():
        if name == NATIVE:
            continue  # its codes are the reasons, which have pages
        for code, entry in wire.CODES.items():
            owner = "the format's own" if entry.published else "babelreg's"
            codes.setdefault(code, {})[name] = f"{entry.meaning}. The code is {owner}."
    for code, meaning in LOSS_CODES.items():
        codes.setdefault(code, {})["every format"] = f"{meaning}. Reported by `babelreg wire convert`."
    return codes


def wire_code_lines(code: str) -> list[str]:
    """Return a sentence for each format that has the code; an empty list for any other code."""
    return [f"{name}: {meaning}" for name, meaning in wire_codes().get(code, {}).items()]
