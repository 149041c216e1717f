"""Lexicon of English verbs and their forms, read from ``verbs.txt``.

A line of that file is a mark and the words it applies to. The mark is a set of flags: ``d``, ``D`` the verb doubles its
last letter (see ``inflection``); ``n`` also a noun, ``a`` also an adjective or adverb, ``g`` its ``-ing`` form is also
a noun or adjective; ``-`` no flag. A line with the mark ``=`` describes one irregular verb: verb, flags, past,
participle, gerund; ``/`` separates spellings, ``-`` or nothing means regular. The mark ``!`` is for nouns that look
like a past form (`hundred`). ``tools/verb_lexicon.py`` writes the file.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from babelreg.lint.english import inflection

# Nouns that look like a prefix and a verb; the source has no others.
_NOUNS = ("outcome", "preamble")
# Prefixes of verbs; the result is inflected alike: requeue, unassign, deauthorize. Only short and common ones.
_PREFIXES = ("re", "un", "de", "pre", "auto", "over", "under", "dis", "mis", "out", "co", "multi", "bulk", "cross")
_SHORTEST_STEM = 4
_EMPTY = "-"


class WordReadings(NamedTuple):
    """All readings of one word. ``bases`` are the known verbs of which it is a form; may be empty."""

    base: bool = False
    past: bool = False
    gerund: bool = False
    third: bool = False
    other: bool = False
    """True when it is also a noun, adjective or adverb."""
    bases: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def look_up(word: str) -> WordReadings:
    """Return the readings of a lower-case word. An unknown word is not a verb, unless it ends in ``-ed``."""
    lexicon = _lexicon()
    pasts = _past_of(word)
    gerunds = [verb for verb in inflection.gerund_bases(word) if word in _gerunds(verb)]
    thirds = [verb for verb in inflection.third_bases(word) if _flags(verb) is not None]
    thirds = [verb for verb in thirds if inflection.third_form(verb) == word]
    own = _flags(word)
    bases = tuple(dict.fromkeys([*([word] if own is not None else []), *pasts, *gerunds, *thirds]))
    other = bool(own and set(own) & set("na"))
    other = other or any("g" in (_flags(verb) or "") for verb in gerunds)
    other = other or any("n" in (_flags(verb) or "") for verb in thirds)
    looks_past = word.endswith("ed") and not word.endswith("eed") and len(word) >= 5 and not bases
    if looks_past and word not in lexicon.look_past:
        return WordReadings(past=True)
    return WordReadings(own is not None, bool(pasts), bool(gerunds), bool(thirds), other, bases)


def past(base: str) -> str | None:
    """Return the usual past participle of a verb: `sent`, `taken`. None for an unknown verb."""
    if _flags(base) is None:
        return None
    return (_participles(base) or _pasts(base))[0]


def base(past: str) -> str | None:
    """Return the base of a past form: `send` for `sent`; the likeliest of several (`route`, not `rout`), or None."""
    bases = [verb for verb in look_up(past).bases if past in _pasts(verb) or past in _participles(verb)]
    return bases[0] if bases else None


class _Lexicon(NamedTuple):
    flags: dict[str, str]
    """Flags of each verb."""
    forms: dict[str, list[str]]
    """Past, participle and gerund of the irregular verbs."""
    irregular: dict[str, list[str]]
    """The verbs of each irregular past form."""
    look_past: frozenset[str]
    """Nouns that look like a past form."""


@cache
def _lexicon() -> _Lexicon:
    lexicon = _Lexicon({}, {}, {}, frozenset())
    look_past: list[str] = []
    for line in Path(__file__).with_name("verbs.txt").read_text(encoding="ascii").splitlines():
        mark, *words = line.split(" ")
        if mark == "=":
            verb, flags, *cells = words
            lexicon.flags[verb] = flags.strip(_EMPTY)
            lexicon.forms[verb] = cells
            for form in {form for cell in cells[:2] if cell != _EMPTY for form in cell.split("/")}:
                lexicon.irregular.setdefault(form, []).append(verb)
        elif mark == "!":
            look_past += words
        elif mark != "#":
            lexicon.flags.update(dict.fromkeys(words, mark.strip(_EMPTY)))
    return lexicon._replace(look_past=frozenset(look_past))


def _past_of(word: str) -> list[str]:
    """Return the verbs of which ``word`` is a past form or participle."""
    verbs = [*_lexicon().irregular.get(word, ())]
    stem = _without_prefix(word)
    if not verbs and stem is not None and _flags(word) is None:
        prefix = word[: -len(stem)]
        verbs = [prefix + verb for verb in _lexicon().irregular.get(stem, ()) if _flags(prefix + verb) is not None]
        verbs = [verb for verb in verbs if verb not in _lexicon().flags]
    verbs += [verb for verb in inflection.past_bases(word) if word in _pasts(verb)]
    return list(dict.fromkeys(verbs))


def _flags(verb: str) -> str | None:
    """Return the flags of a verb, or of the verb without its prefix; None for an unknown verb."""
    lexicon = _lexicon()
    if verb in lexicon.flags:
        return lexicon.flags[verb]
    stem = None if verb in lexicon.irregular or verb in _NOUNS else _without_prefix(verb)
    return None if stem is None else lexicon.flags.get(stem)


def _without_prefix(word: str) -> str | None:
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            return word[len(prefix) :]
    return None


def _pasts(verb: str) -> list[str]:
    return _cell(verb, 0) or _regular(verb)


def _participles(verb: str) -> list[str]:
    return _cell(verb, 1) or _pasts(verb)


def _gerunds(verb: str) -> list[str]:
    flags = _flags(verb)
    if flags is None:
        return []
    return inflection.gerund_forms(verb, _doubling(flags)) + _cell(verb, 2)


def _regular(verb: str) -> list[str]:
    flags = _flags(verb)
    return [] if flags is None else inflection.past_forms(verb, _doubling(flags))


def _doubling(flags: str) -> str:
    return flags[:1] if flags[:1] in ("d", "D") else ""


def _cell(verb: str, column: int) -> list[str]:
    """Return the forms in one column of an irregular verb; a verb with a prefix takes those of the verb without it."""
    lexicon = _lexicon()
    stem = verb if verb in lexicon.flags else _without_prefix(verb) or verb
    cells = lexicon.forms.get(stem, [])
    if len(cells) <= column or cells[column] == _EMPTY:
        return []
    return [verb[: -len(stem)] + form for form in cells[column].split("/")]
