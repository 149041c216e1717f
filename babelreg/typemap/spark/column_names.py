"""Names that are one column to Spark, which ignores case like Java's ``String.equalsIgnoreCase``.

That compares single characters: in upper case, and then that in lower case. So ``ı`` and ``İ`` are both an ``i``, the
two small sigmas are one, and ``ß`` is not ``ss``. ``str.lower`` or ``str.casefold`` differs in each of these.
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1 << 14)
def folded(name: str) -> str:
    """Return a text that two names have in common if Spark takes them for one column."""
    return name.lower() if name.isascii() else "".join(map(_folded_character, name))


def _folded_character(character: str) -> str:
    # Java maps one character to one: where Unicode has more in upper case (SS), title case is the nearest.
    upper = next((text for text in (character.upper(), character.title()) if len(text) == 1), character)
    return upper.lower()[:1]
