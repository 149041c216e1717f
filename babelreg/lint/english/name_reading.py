"""The deciding verb of a message's name, and its form: past for an event, imperative for a command.

Names are short phrases without grammar, so the reading is cautious: two readings that disagree make a name AMBIGUOUS,
and a name without a known verb is UNKNOWN. The last sub-part decides (`email.welcome.send`), and of it the last word
(`order_created`, `payment-failed`), before any preposition or particle (`created-by-admin`, `signed-up`) and without
trailing adverbs; if that word is not a verb, the first (`send_email`, `requires_action`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from babelreg.lint.english import lexicon


class VerbForm(Enum):
    """Form of the deciding verb of a name."""

    PAST = "past"
    """created, sent, signed-up"""
    BASE = "base"
    """create, send-email"""
    GERUND = "gerund"
    """creating"""
    THIRD_PERSON = "third person"
    """creates, requires_action"""
    AMBIGUOUS = "ambiguous"
    """put (both forms), order (also a noun), trial_will_end"""
    UNKNOWN = "unknown"
    """no known verb"""


class NameReading(NamedTuple):
    """Form of a name and its deciding word; ``word`` is empty when the form is UNKNOWN."""

    form: VerbForm
    word: str = ""

    @property
    def contradicts_event(self) -> bool:
        """True when the name is clearly not that of an event. A gerund may be: `processing`, `expiring` are states."""
        return self.form in (VerbForm.BASE, VerbForm.THIRD_PERSON)

    @property
    def contradicts_command(self) -> bool:
        """True when the name is clearly not that of a command."""
        return self.form in (VerbForm.PAST, VerbForm.GERUND, VerbForm.THIRD_PERSON)


_CLEAR = (VerbForm.PAST, VerbForm.BASE, VerbForm.GERUND, VerbForm.THIRD_PERSON)
_NO_VERB = NameReading(VerbForm.UNKNOWN)
_VERSION = re.compile(r"v?[0-9]+\Z")
_SPLIT = re.compile(r"[-_]+")


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# A particle, or the start of a phrase, that belongs to the verb before it.
_PARTICLES = _word_set(
    """
    about across after again against along around as aside at away back before behind between by down due during for
    forward from in into of off on onto out over per since through to together towards under until up upon via when
    while with within without
    """
)
_TRAILING = _word_set("already early late later live manually now once online offline soon today twice")
# A phrase with one of these is a statement or a plan, neither past nor imperative: is_ready, will_end.
_AUXILIARIES = _word_set(
    """
    am are be been can cannot could did do does had has have is may might must never no shall should was were will
    would
    """
)


def form(name: str) -> VerbForm:
    """Return the verb form of a message's name; see :func:`read`."""
    return read(name).form


def read(name: str) -> NameReading:
    """Return the reading of a message's name: PAST by `created` for `order.created-by-admin.v2`.

    ``name`` is the name of a URN: sub-parts joined by dots, words by ``-`` or ``_``. No text is refused.
    """
    all_words = _words(name)
    words = _head(all_words)
    if not words:
        return _NO_VERB
    reading = _word(words[0]) if len(words) == 1 else _phrase(words)
    # `is_ready`, `will_end`; and a second verb after a particle: `add-parcel-to-order-rejected`.
    other_verb = (
        len(words) < len(all_words) and lexicon.look_up(all_words[-1]).past and reading.form is not VerbForm.PAST
    )
    if other_verb or _AUXILIARIES & set(words[:-1]):
        return NameReading(VerbForm.AMBIGUOUS, words[-1])
    return reading


def as_event(name: str) -> str | None:
    """Return the name with its verb in the past, or None: `created` for `create`, `email_sent` for `send_email`."""
    reading = read(name)
    base = _base_of(reading)
    past = lexicon.past(base) if base else None
    return None if past is None else _with_word(name, reading.word, past, last=True)


def as_command(name: str) -> str | None:
    """Return the name with its verb in the imperative, or None: `create` for `created`."""
    reading = read(name)
    base = _base_of(reading)
    return None if base is None else _with_word(name, reading.word, base, last=False)


def _phrase(words: Sequence[str]) -> NameReading:
    first, last = _word(words[0]), _word(words[-1])
    if last.form in _CLEAR and last.form is not VerbForm.GERUND:
        return NameReading(VerbForm.AMBIGUOUS, last.word) if _is_doubtful(words, last.form) else last
    if last.form is VerbForm.GERUND:
        # `start_processing`, `payment_processing`: may be a noun.
        return (
            first
            if first.form in (VerbForm.BASE, VerbForm.THIRD_PERSON)
            else NameReading(VerbForm.AMBIGUOUS, last.word)
        )
    if first.form in (VerbForm.BASE, VerbForm.THIRD_PERSON):
        return first
    if VerbForm.UNKNOWN in (first.form, last.form) and first.form is last.form:
        return _NO_VERB
    # `failed_payment`, `shipping_label`: before a noun a participle is an adjective.
    return NameReading(VerbForm.AMBIGUOUS, last.word or first.word)


def _is_doubtful(words: Sequence[str], form: VerbForm) -> bool:
    """Return True when an earlier word makes the form of the last one doubtful."""
    first = lexicon.look_up(words[0])
    if form is VerbForm.PAST:
        # `accept_failed` is an event, `list_repos_starred` a command: only two words, the first a noun, are certain.
        return first.base and not (first.other and len(words) == 2)
    if form is VerbForm.THIRD_PERSON:
        return first.base
    # `failed_create`, `successful_create`: after a participle or adjective it is a noun.
    return first.past or first.gerund or _is_adjective(words[-2])


def _is_adjective(word: str) -> bool:
    return word.endswith(("ful", "ous", "ible", "less")) or lexicon.look_up(word).past


def _word(word: str) -> NameReading:
    readings = lexicon.look_up(word)
    if readings.other and not readings.past:
        return NameReading(VerbForm.AMBIGUOUS, word)
    forms = [
        form
        for form, applies in (
            (VerbForm.BASE, readings.base),
            (VerbForm.PAST, readings.past),
            (VerbForm.GERUND, readings.gerund),
            (VerbForm.THIRD_PERSON, readings.third),
        )
        if applies
    ]
    if not forms:
        return _NO_VERB
    return NameReading(forms[0] if len(forms) == 1 else VerbForm.AMBIGUOUS, word)


def _words(name: str) -> list[str]:
    """Return the words of the last sub-part that is not only versions and numbers."""
    for part in reversed(name.lower().split(".")):
        words = [word for word in _SPLIT.split(part) if word and not _VERSION.match(word)]
        if words:
            return words
    return []


def _head(words: Sequence[str]) -> list[str]:
    """Return the words before the first particle; nothing when the phrase starts with one (`in_transit`)."""
    end = next((index for index, word in enumerate(words) if word in _PARTICLES), len(words))
    head = list(words[:end])
    while len(head) > 1 and (head[-1] in _TRAILING or (head[-1].endswith("ly") and not lexicon.look_up(head[-1]).base)):
        head.pop()
    return head


def _base_of(reading: NameReading) -> str | None:
    if reading.form is VerbForm.PAST:
        return lexicon.base(reading.word)
    bases = lexicon.look_up(reading.word).bases
    return bases[0] if reading.form in _CLEAR and len(bases) == 1 else None


def _with_word(name: str, old: str, new: str, *, last: bool) -> str:
    """Return the name with one word of its deciding sub-part replaced; ``last`` moves the word behind its object."""
    parts = name.split(".")
    index = max(i for i, part in enumerate(parts) if old in _SPLIT.split(part.lower()))
    pieces = re.split(r"([-_]+)", parts[index])
    position = max(i for i, piece in enumerate(pieces) if piece.lower() == old)
    pieces[position] = new
    words = _words(parts[index])
    if last and position == 0 and len(words) > 1 and _head(words) == words:
        pieces = [*pieces[2:], pieces[1], new]
    parts[index] = "".join(pieces)
    return ".".join(parts)
