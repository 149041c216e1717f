"""Write the lexicon of English verbs, ``babelreg/lint/english/verbs.txt``, from the PyPI package ``lemminflect``.

    pip download lemminflect==0.2.3 --no-deps
    python tools/verb_lexicon.py lemminflect-0.2.3-py3-none-any.whl            # write verbs.txt
    python tools/verb_lexicon.py lemminflect-0.2.3-py3-none-any.whl --check    # exit 1 when it is out of date

The wheel is read as a zip file and not installed: installing it would pull in numpy, and only its word list is needed.
``NOTICE.txt`` beside ``verbs.txt`` names the authors and the licence of the list; ``lexicon.py`` describes the format.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import textwrap
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from babelreg.lint.english import inflection

__all__ = ["build", "main"]

INFLECTIONS = "lemminflect/resources/infl_lu.csv.gz"
LEMMAS = "lemminflect/resources/lemma_lu.csv.gz"
OVERRIDES = "lemminflect/resources/infl_overrides.csv"
EMPTY = "-"
WIDTH = 120
TARGET = Path(__file__).parents[1] / "babelreg/lint/english/verbs.txt"
HEADER = """\
# Written by tools/verb_lexicon.py: do not edit. Source and terms: NOTICE.txt. Format: lexicon.py.
"""


_word_list = str.split
# Verbs that are also nouns (`deploy_key`, `merge_group`, `audit.log`); the source keeps only the frequent words of each
# class, and does not list these as nouns.
ALSO_NOUNS = _word_list("""
ace bar barrack bootleg build checkmate clone commit deploy detox diff disconnect dump fetch fork headquarter hijack
install invite jest log lookup match merge mount offset override overrun pan parse patch pip print probe questionnaire
recast redirect ref reload render replay repost rerun resend reset restart retry rev rewrite rework rewind rollup scan
skim splint stash stub stud sync temp template tote unlock upsert upsell weep welch xerox zap zoom
""")

ALSO_ADJECTIVES = ("complete", "lower")

# The source lists a misspelling (`occured`) beside the right form.
ALWAYS_DOUBLED = {"control", "kidnap", "occur", "refer", "whiz"}

# Verbs of computing and commerce that the source, a lexicon of general and medical English, does not have.
MORE_VERBS = _word_list("""
autosave backfill decrypt dedupe deduplicate denormalize dequeue enqueue geocode geolocate memoize offboard onboard
parameterize prefetch refactor resync sideload sync tokenize transcode unarchive unassign unfollow unsubscribe unsuspend
upcast upsell upsert
""")

# Listed as verbs by mistake: inflected forms, an abbreviation, a Latin word.
NOT_VERBS = {"consisted", "bungling", "worse", "rewound", "resent", "dis", "sic", "mimick"}
NOT_FORMS = {"payed", "inlayinging", "torpedoes", "mimiced", "mimicing"}

# Past forms that the source lacks: `be`, and irregular verbs that it lists as regular.
MORE_FORMS = {
    "be": ["was/were", "been"],
    "broadcast": ["broadcast/broadcasted"],
    "forecast": ["forecast/forecasted"],
    "overcast": ["overcast"],
    "quit": ["quit/quitted"],
    "wake": ["woke/waked", "woken/waked"],
    "podcast": ["podcast/podcasted"],
    "simulcast": ["simulcast"],
    "sneak": ["sneaked/snuck"],
    "sublet": ["sublet"],
    "telecast": ["telecast"],
    "unfreeze": ["unfroze", "unfrozen"],
    "upsell": ["upsold"],
}

_WORD = re.compile(r"[a-z]{2,}")


@dataclass
class Words:
    """Words of the source: verbs with their forms, nouns, and ``others`` (adjectives and adverbs)."""

    verbs: dict[str, list[list[str]]] = field(default_factory=dict)
    nouns: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)


def build(wheel: Path) -> str:
    """Return the text of ``verbs.txt``, in the format that ``lexicon.py`` describes."""
    words = read(wheel)
    groups: dict[str, list[str]] = {}
    irregular = []
    for base in sorted(words.verbs):
        flags, *cells = entry(base, words)
        if cells:
            irregular.append(" ".join(["=", base, flags, *cells]))
        else:
            groups.setdefault(flags, []).append(base)
    known = {form for base in words.verbs for form in _every_past_form(base, words)}
    groups["!"] = sorted(
        noun
        for noun in words.nouns
        if noun.endswith("ed") and noun not in known and noun not in words.verbs and _WORD.fullmatch(noun)
    )
    lines = [line for flags in sorted(groups) for line in _wrapped(flags, groups[flags])]
    return HEADER + "\n".join([*irregular, *lines]) + "\n"


def _wrapped(flags: str, words: list[str]) -> list[str]:
    mark = f"{flags} "
    return textwrap.wrap(" ".join(words), WIDTH, initial_indent=mark, subsequent_indent=mark)


def read(wheel: Path) -> Words:
    """Return the words of the tables in the wheel."""
    words = Words()
    for base, kind, *forms in _rows(wheel, INFLECTIONS):
        if kind == "verb" and _WORD.fullmatch(base) and base not in NOT_VERBS:
            words.verbs[base] = [_usable(cell.split("/")) for cell in forms]
        elif kind == "noun":
            words.nouns.add(base)
        elif kind in ("adj", "adv"):
            words.others.add(base)
    for form, kind, lemmas in _rows(wheel, LEMMAS):
        if kind == "noun":
            words.nouns |= {form, *lemmas.split("/")} if form.endswith("ing") else set(lemmas.split("/"))
        elif kind == "adj":
            words.others |= set(lemmas.split("/"))
    words.nouns |= set(ALSO_NOUNS)
    words.others |= set(ALSO_ADJECTIVES)
    _prefer_overrides(wheel, words)
    for verb in MORE_VERBS:
        words.verbs.setdefault(verb, [])
    for verb, cells in MORE_FORMS.items():
        gerund = words.verbs.get(verb, [])[2:3]
        words.verbs[verb] = [cells[0].split("/"), cells[-1].split("/"), *gerund]
    return words


def _prefer_overrides(wheel: Path, words: Words) -> None:
    """Move the participles that the package prefers (`focused` before `focussed`) to the front."""
    for base, tag, form in _rows(wheel, OVERRIDES):
        cells = words.verbs.get(base)
        if tag == "VBN" and cells and form != base + "ed" and form.startswith(base[:2]):
            participles = cells[1] or cells[0]
            cells[1] = [form, *(other for other in participles if other != form)]


def entry(base: str, words: Words) -> list[str]:
    """Return one verb as flags, past, participle, gerund; forms that ``inflection`` derives are left out."""
    past, participle, gerund = (_cell(words.verbs[base], column) for column in range(3))
    participle = participle or past
    doubling, irregular = _doubling(base, past, participle)
    gerunds = inflection.gerund_forms(base, doubling)
    odd_gerunds = [form for form in gerund if form not in inflection.gerund_forms(base, doubling or "D")]
    flags = doubling + "n" * (base in words.nouns) + "a" * (base in words.others)
    flags += "g" * any(form in words.nouns or form in words.others for form in gerunds + odd_gerunds)
    cells = [
        flags,
        "/".join(past) if irregular else "",
        "/".join(participle) if irregular and participle != past else "",
        "/".join(odd_gerunds),
    ]
    while len(cells) > 1 and not cells[-1]:
        cells.pop()
    return [cell or EMPTY for cell in cells]


def _doubling(base: str, past: list[str], participle: list[str]) -> tuple[str, bool]:
    """Return the flag for the last letter (unchanged, doubled ``d``, both ``D``), and whether the verb is irregular."""
    listed = set(past) | set(participle)
    if not listed or base in ALWAYS_DOUBLED:
        return "d" * (base in ALWAYS_DOUBLED), False
    for flag in ("", "d", "D"):
        if listed == set(inflection.past_forms(base, flag)):
            return flag, False
    gerund_doubles = inflection.doubles(base)
    return ("d" if gerund_doubles else ""), True


def _every_past_form(base: str, words: Words) -> list[str]:
    cells = words.verbs[base]
    return inflection.past_forms(base, "D") + _cell(cells, 0) + _cell(cells, 1)


def _cell(forms: list[list[str]], column: int) -> list[str]:
    return forms[column] if column < len(forms) else []


def _usable(forms: Iterable[str]) -> list[str]:
    return [form for form in forms if _WORD.fullmatch(form) and form not in NOT_FORMS]


def _rows(wheel: Path, member: str) -> Iterator[list[str]]:
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(member)
    text = (gzip.decompress(data) if member.endswith(".gz") else data).decode()
    for row in text.splitlines():
        yield row.split(",")


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    text = build(options.wheel)
    if options.check:
        return int(TARGET.read_text(encoding="ascii") != text)
    TARGET.write_text(text, encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
