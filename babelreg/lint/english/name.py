"""Which word of a message's name says what happened, or what to do, and in which form it stands.

Names are short phrases without grammar, so the reading is careful: two readings that disagree make the name
AMBIGUOUS, and a name in which no verb is recognised is UNKNOWN. The last sub-part decides (`email.welcome.send`);
in it the last word (`order_created`, `payment-failed`), without what follows a preposition or particle
(`created-by-admin`, `signed-up`) and without trailing adverbs; where that word is no verb, the first (`send_email`,
`requires_action`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from babelreg.lint.english import lexicon

__all__ = ["Form", "Reading", "as_command", "as_event", "form", "read"]


class Form(Enum):
    """The form of the verb that decides a name."""

    PAST = "past"
    """created, sent, signed-up"""
    BASE = "base"
    """create, send-email"""
    GERUND = "gerund"
    """creating"""
    THIRD_PERSON = "third person"
    """creates, requires_action"""
    AMBIGUOUS = "ambiguous"
    """put (both forms), order (a noun too), trial_will_end"""
    UNKNOWN = "unknown"
    """no verb recognised"""


class Reading(NamedTuple):
    """The form of a name, and the word of it that decided; ``word`` is empty when the form is UNKNOWN."""

    form: Form
    word: str = ""

    @property
    def contradicts_event(self) -> bool:
        """Whether it is clearly not what an event is called. A gerund is not: `processing`, `expiring` are states."""
        return self.form in (Form.BASE, Form.THIRD_PERSON)

    @property
    def contradicts_command(self) -> bool:
        """Whether it is clearly not what a command is called."""
        return self.form in (Form.PAST, Form.GERUND, Form.THIRD_PERSON)


_CLEAR = (Form.PAST, Form.BASE, Form.GERUND, Form.THIRD_PERSON)
_NOTHING = Reading(Form.UNKNOWN)
_VERSION = re.compile(r"v?[0-9]+\Z")
_SPLIT = re.compile(r"[-_]+")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What follows one of these belongs to the verb before it: a particle, or the start of a phrase.
_LINKS = _listed(
    """
    about across after again against along around as aside at away back before behind between by down due during for
    forward from in into of off on onto out over per since through to together towards under until up upon via when
    while with within without
    """
)
_TRAILING = _listed("already early late later live manually now once online offline soon today twice")
# With one of these the phrase is a statement or a plan, neither a plain past nor an imperative: is_ready, will_end.
_AUXILIARIES = _listed(
    """
    am are be been can cannot could did do does had has have is may might must never no shall should was were will
    would
    """
)


def form(name: str) -> Form:
    """The form of a message's name; see :func:`read`."""
    return read(name).form


def read(name: str) -> Reading:
    """How a message's name reads, e.g. PAST by `created` for `order.created-by-admin.v2`.

    ``name`` is the name of a URN (sub-parts joined by dots, words by ``-`` or ``_``); any other text is read as well
    as it goes.
    """
    whole = _words(name)
    words = _head(whole)
    if not words:
        return _NOTHING
    reading = _word(words[0]) if len(words) == 1 else _phrase(words)
    # `is_ready`, `will_end`; and behind a link a second verb: `add-parcel-to-order-rejected`.
    other_verb = len(words) < len(whole) and lexicon.look_up(whole[-1]).past and reading.form is not Form.PAST
    if other_verb or _AUXILIARIES & set(words[:-1]):
        return Reading(Form.AMBIGUOUS, words[-1])
    return reading


def as_event(name: str) -> str | None:
    """The name with its deciding verb in the past: `created` for `create`, `email_sent` for `send_email`, or None."""
    reading = read(name)
    base = _base_of(reading)
    past = lexicon.past(base) if base else None
    return None if past is None else _with(name, reading.word, past, last=True)


def as_command(name: str) -> str | None:
    """The name with its deciding verb in the imperative: `create` for `created`, or None."""
    reading = read(name)
    base = _base_of(reading)
    return None if base is None else _with(name, reading.word, base, last=False)


def _phrase(words: Sequence[str]) -> Reading:
    first, last = _word(words[0]), _word(words[-1])
    if last.form in _CLEAR and last.form is not Form.GERUND:
        return Reading(Form.AMBIGUOUS, last.word) if _disagree(words, last.form) else last
    if last.form is Form.GERUND:
        # `start_processing`, `payment_processing`: as good a noun as a verb.
        return first if first.form in (Form.BASE, Form.THIRD_PERSON) else Reading(Form.AMBIGUOUS, last.word)
    if first.form in (Form.BASE, Form.THIRD_PERSON):
        return first
    if Form.UNKNOWN in (first.form, last.form) and first.form is last.form:
        return _NOTHING
    # `failed_payment`, `shipping_label`: before a noun a participle is an adjective.
    return Reading(Form.AMBIGUOUS, last.word or first.word)


def _disagree(words: Sequence[str], form: Form) -> bool:
    """Whether an earlier word makes the last one's form doubtful."""
    first = lexicon.look_up(words[0])
    if form is Form.PAST:
        # `accept_failed` is an event, `list_repos_starred` a command: only two words, the first a noun, are sure.
        return first.base and not (first.other and len(words) == 2)
    if form is Form.THIRD_PERSON:
        return first.base
    # `failed_create`, `successful_create`: after a participle or adjective it is a noun.
    return first.past or first.gerund or _is_adjective(words[-2])


def _is_adjective(word: str) -> bool:
    return word.endswith(("ful", "ous", "ible", "less")) or lexicon.look_up(word).past


def _word(word: str) -> Reading:
    readings = lexicon.look_up(word)
    if readings.other and not readings.past:
        return Reading(Form.AMBIGUOUS, word)
    forms = [
        name
        for name, holds in (
            (Form.BASE, readings.base),
            (Form.PAST, readings.past),
            (Form.GERUND, readings.gerund),
            (Form.THIRD_PERSON, readings.third),
        )
        if holds
    ]
    if not forms:
        return _NOTHING
    return Reading(forms[0] if len(forms) == 1 else Form.AMBIGUOUS, word)


def _words(name: str) -> list[str]:
    """The words of the last sub-part that says something; versions and numbers say nothing."""
    for part in reversed(name.lower().split(".")):
        words = [word for word in _SPLIT.split(part) if word and not _VERSION.match(word)]
        if words:
            return words
    return []


def _head(words: Sequence[str]) -> list[str]:
    """The words up to the first link; nothing when the phrase starts with one (`in_transit`)."""
    end = next((at for at, word in enumerate(words) if word in _LINKS), len(words))
    head = list(words[:end])
    while len(head) > 1 and (head[-1] in _TRAILING or (head[-1].endswith("ly") and not lexicon.look_up(head[-1]).base)):
        head.pop()
    return head


def _base_of(reading: Reading) -> str | None:
    if reading.form is Form.PAST:
        return lexicon.base(reading.word)
    bases = lexicon.look_up(reading.word).bases
    return bases[0] if reading.form in _CLEAR and len(bases) == 1 else None


def _with(name: str, old: str, new: str, *, last: bool) -> str:
    """The name with one word of its last speaking sub-part replaced; ``last`` puts it behind its object."""
    parts = name.split(".")
    at = max(at for at, part in enumerate(parts) if old in _SPLIT.split(part.lower()))
    pieces = re.split(r"([-_]+)", parts[at])
    where = max(i for i, piece in enumerate(pieces) if piece.lower() == old)
    pieces[where] = new
    words = _words(parts[at])
    if last and where == 0 and len(words) > 1 and _head(words) == words:
        pieces = [*pieces[2:], pieces[1], new]
    parts[at] = "".join(pieces)
    return ".".join(parts)
