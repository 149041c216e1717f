"""The English verbs: which word is a form of which verb, read from ``verbs.txt``.

A line of that file is a mark and the words it holds for. The mark is a set of flags: ``d``, ``D`` the verb doubles its
last letter (see ``morphology``); ``n`` it is a noun too, ``a`` an adjective or adverb too, ``g`` its ``-ing`` form is
a noun or adjective too; ``-`` none. The mark ``=`` opens the line of one verb whose forms follow no rule: verb, flags,
past, participle, gerund; ``/`` separates spellings, ``-`` or nothing means by the rule. The mark ``!`` is for nouns
that only look like a past form (`hundred`). ``build.py`` writes the file.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from babelreg.lint.english import morphology

__all__ = ["Word", "base", "look_up", "past"]

# A prefix and a verb, and yet no verb: the only such nouns of the source.
_NOUNS = ("outcome", "preamble")
# A prefix makes a verb of a verb, inflected alike: requeue, unassign, deauthorize. Short and common ones only.
_PREFIXES = ("re", "un", "de", "pre", "auto", "over", "under", "dis", "mis", "out", "co", "multi", "bulk", "cross")
_SHORTEST_STEM = 4
_EMPTY = "-"


class Word(NamedTuple):
    """Every reading of one word. ``bases`` are the verbs it is a form of; empty when it is none we know."""

    base: bool = False
    past: bool = False
    gerund: bool = False
    third: bool = False
    other: bool = False
    """Whether it is a noun, adjective or adverb as well."""
    bases: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def look_up(word: str) -> Word:
    """The readings of a word in lower case. An unknown word is no verb, unless it ends in ``-ed``."""
    lexicon = _lexicon()
    pasts = _past_of(word)
    gerunds = [verb for verb in morphology.gerund_bases(word) if word in _gerunds(verb)]
    thirds = [verb for verb in morphology.third_bases(word) if _flags(verb) is not None]
    thirds = [verb for verb in thirds if morphology.third_form(verb) == word]
    own = _flags(word)
    bases = tuple(dict.fromkeys([*([word] if own is not None else []), *pasts, *gerunds, *thirds]))
    other = bool(own and set(own) & set("na"))
    other = other or any("g" in (_flags(verb) or "") for verb in gerunds)
    other = other or any("n" in (_flags(verb) or "") for verb in thirds)
    looks_past = word.endswith("ed") and not word.endswith("eed") and len(word) >= 5 and not bases
    if looks_past and word not in lexicon.look_past:
        return Word(past=True)
    return Word(own is not None, bool(pasts), bool(gerunds), bool(thirds), other, bases)


def past(base: str) -> str | None:
    """The past participle of a verb in its usual spelling: `sent`, `taken`. None when it is no verb we know."""
    if _flags(base) is None:
        return None
    return (_participles(base) or _pasts(base))[0]


def base(past: str) -> str | None:
    """The base form of a past form: `send` for `sent`; the likeliest of several (`route`, not `rout`). None if none."""
    bases = [verb for verb in look_up(past).bases if past in _pasts(verb) or past in _participles(verb)]
    return bases[0] if bases else None


class _Lexicon(NamedTuple):
    flags: dict[str, str]
    """The flags of each verb."""
    forms: dict[str, list[str]]
    """The past, participle and gerund cells of the verbs that follow no rule."""
    irregular: dict[str, list[str]]
    """The verbs of each past form that stands in the file."""
    look_past: frozenset[str]
    """The nouns that only look like a past form."""


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
    """The verbs of which it is a past form or participle."""
    found = [*_lexicon().irregular.get(word, ())]
    stem = _without_prefix(word)
    if not found and stem is not None and _flags(word) is None:
        prefix = word[: -len(stem)]
        found = [prefix + verb for verb in _lexicon().irregular.get(stem, ()) if _flags(prefix + verb) is not None]
        found = [verb for verb in found if verb not in _lexicon().flags]
    found += [verb for verb in morphology.past_bases(word) if word in _pasts(verb)]
    return list(dict.fromkeys(found))


def _flags(verb: str) -> str | None:
    """The flags of a verb, of one with a prefix those of the verb without it; None when it is no verb we know."""
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
    return morphology.gerund_forms(verb, _doubling(flags)) + _cell(verb, 2)


def _regular(verb: str) -> list[str]:
    flags = _flags(verb)
    return [] if flags is None else morphology.past_forms(verb, _doubling(flags))


def _doubling(flags: str) -> str:
    return flags[:1] if flags[:1] in ("d", "D") else ""


def _cell(verb: str, column: int) -> list[str]:
    """One column of an irregular verb; of a verb with a prefix, that of the verb without it, prefixed."""
    lexicon = _lexicon()
    stem = verb if verb in lexicon.flags else _without_prefix(verb) or verb
    cells = lexicon.forms.get(stem, [])
    if len(cells) <= column or cells[column] == _EMPTY:
        return []
    return [verb[: -len(stem)] + form for form in cells[column].split("/")]
