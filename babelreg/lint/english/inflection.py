"""Inflection of regular English verbs by spelling rules, and its reverse: the possible bases of a form.

The flag of a verb controls its last letter: ``""`` unchanged (open, opened), ``"d"`` doubled (stop, stopped),
``"D"`` both spellings (cancel, canceled, cancelled).
"""

from __future__ import annotations

from collections.abc import Iterator

_VOWELS = "aeiou"


def past_forms(base: str, flag: str = "") -> list[str]:
    """Return the regular past forms, the usual spelling first."""
    return [stem + "ed" for stem in _stems(_before_ed(base), base, flag)]


def gerund_forms(base: str, flag: str = "") -> list[str]:
    """Return the regular ``-ing`` forms."""
    return [stem + "ing" for stem in _stems(_before_ing(base), base, flag)]


def third_form(base: str) -> str:
    """Return the third person singular: sends, retries, pushes."""
    if _ends_in_consonant_y(base):
        return base[:-1] + "ies"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base + "s"


def past_bases(form: str) -> Iterator[str]:
    """Yield bases whose regular past form would be ``form``; most are not English words."""
    if form.endswith("ed"):
        yield from _bases(form[:-2])
        if form.endswith("ied"):
            yield form[:-3] + "y"


def gerund_bases(form: str) -> Iterator[str]:
    """Yield bases whose ``-ing`` form would be ``form``."""
    if form.endswith("ing"):
        yield from _bases(form[:-3])
        if form.endswith("ying"):
            yield form[:-4] + "ie"


def third_bases(form: str) -> Iterator[str]:
    """Yield bases whose third person would be ``form``."""
    if form.endswith("s") and not form.endswith("ss"):
        yield form[:-1]
        if form.endswith("es"):
            yield form[:-2]
        if form.endswith("ies"):
            yield form[:-3] + "y"


def doubles(base: str) -> bool:
    """Return True when ``base`` usually doubles its last letter: one syllable, one vowel, one consonant (cut, rub)."""
    return (
        len(base) >= 3
        and base[-1] not in _VOWELS + "wxy"
        and base[-2] in _VOWELS
        and base[-3] not in _VOWELS
        and sum(letter in _VOWELS for letter in base) == 1
    )


def _bases(stem: str) -> Iterator[str]:
    yield stem + "e"
    yield stem
    if len(stem) > 2 and (stem[-1] == stem[-2] or stem.endswith("ck")):
        yield stem[:-1]


def _stems(plain: str, base: str, flag: str) -> list[str]:
    doubled = base + ("k" if base.endswith("c") else base[-1])
    if len(base) > 3 and base[-1] == "c" and base[-2] in _VOWELS:
        return [doubled]  # mimicked, panicked: before e or i, c alone is pronounced as s
    return {"": [plain], "d": [doubled], "D": [plain, doubled]}[flag]


def _before_ed(base: str) -> str:
    if base.endswith("e"):
        return base[:-1]
    return base[:-1] + "i" if _ends_in_consonant_y(base) else base


def _before_ing(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "y"
    return base[:-1] if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) else base


def _ends_in_consonant_y(base: str) -> bool:
    return len(base) > 1 and base.endswith("y") and base[-2] not in _VOWELS
