"""What a rule is: a module with a severity and a docstring that is its page, of one of three kinds.

A contract rule decides by itself: ``check(pair)`` yields what it finds. A naming rule only names and explains what
containment has shown: ``name(shown)`` gives a :class:`Change`, or None where it is none of its business. A waiver rule
is about what the settings accept: ``check(waivers)``, asked last, yields findings.

A page is laid out like those of lint: a first line that says what is reported, why it matters, a ``Bad::`` and a
``Good::`` block. A block shows a message file ``# before`` and ``# after``, and where they matter the settings; keys
that play no part are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.containment.fields import field_path, schemas_at
from babelreg.breaking.containment.validator import Refusal
from babelreg.finding import Finding, Severity
from babelreg.model import Message
from babelreg.schema import pointer as pointers
from babelreg.schema.keywords import PROPERTY_KEYWORDS
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import identical

__all__ = ["Change", "ContractRule", "NamingRule", "RefusedDocument", "WaiverRule", "at_union", "short"]

_LONGEST = 80
_ABSENT = object()
_UNNAMED = PROPERTY_KEYWORDS - {"properties"}


@dataclass(frozen=True, slots=True)
class Change:
    """What changed, and the two places that show it.

    ``new`` and ``old`` are pointers; with ``in_file`` into the message file (``("kind",)``), else into its schema.
    Where nothing stands at a pointer, its nearest parent is shown. ``keep`` is how to stay compatible, an imperative;
    ``mint`` whether a new version is a way out. ``fields`` are the paths of the properties it is about; a contract rule
    that ``answers`` for them speaks for what documents show about them, too. ``first`` is the side that can take the
    change before the other, ``none`` where neither can; None where the order has no part in it, or documents tell.
    """

    message: str
    new: Pointer = ()
    old: Pointer = ()
    in_file: bool = False
    key: bool = False
    keep: str | None = None
    fields: tuple[str, ...] = ()
    mint: bool = True
    answers: bool = False
    first: str | None = None


@dataclass(frozen=True)
class RefusedDocument:
    """A document that one side of a pair sends and the other refuses, with the keyword that refuses it.

    ``refusal.pointer`` leads into the schema of the refusing side: the new one where ``direction`` is ``backward``.
    """

    pair: Pair
    direction: str
    document: Any
    refusal: Refusal

    @property
    def backward(self) -> bool:
        """True where old data is refused by the new schema."""
        return self.direction == "backward"

    @property
    def keyword(self) -> str:
        """The keyword that refuses, ``false`` where a schema is just that."""
        return self.refusal.keyword

    @property
    def refusing(self) -> Message:
        """The side that refuses."""
        assert self.pair.new is not None
        return self.pair.new if self.backward else self.pair.old

    @property
    def sending(self) -> Message:
        """The side that sends."""
        assert self.pair.new is not None
        return self.pair.old if self.backward else self.pair.new

    @property
    def field(self) -> str:
        """The path of the refused value; empty where it is the whole document."""
        return field_path(self.refusal.instance)

    @property
    def subject(self) -> str:
        """What to call the refused value in a sentence: by its path, or by what holds it where no schema names it."""
        if _UNNAMED.intersection(self.refusal.pointer[-3:-1]) and self.refusal.instance:
            holder = field_path(self.refusal.instance[:-1])
            return f"other properties of '{holder}'" if holder else "other properties"
        return f"'{self.field}'" if self.field else "the data"

    @property
    def limit(self) -> Any:
        """What the refusing keyword says."""
        return self.said(self.refusal.pointer)

    @property
    def missing(self) -> str | None:
        """The path of the property that a required one lacks."""
        lacking = self.refusal.missing
        return None if lacking is None else field_path((*self.refusal.instance, lacking))

    @property
    def value_spelled(self) -> str:
        """The refused value as short JSON."""
        try:
            return short(pointers.find(self.document, self.refusal.instance))
        except KeyError:
            return short(self.document)

    def bound(self) -> str:
        """What became of the refusing keyword, in words."""
        mine, other = self.limit, self.other(self.refusal.keyword)
        theirs = other[1] if other else _ABSENT
        before, after = (theirs, mine) if self.backward else (mine, theirs)
        if before is not _ABSENT and after is not _ABSENT and identical(before, after):
            # It stands in another variant of a union, too, and was not the one that changed.
            what = "may no longer be" if self.backward else "may now be"
            return f"{self.subject} {what} {self.value_spelled} ({self.keyword} {short(mine)})"
        if before is _ABSENT:
            return f"{self.keyword} {short(after)} is new for {self.subject}"
        if after is _ABSENT:
            return f"{self.keyword} {short(before)} is gone from {self.subject}"
        return f"{self.keyword} of {self.subject} changed from {short(before)} to {short(after)}"

    def said(self, pointer: Pointer) -> Any:
        """What stands at ``pointer`` in the refusing schema, or None."""
        try:
            return pointers.find(self.refusing.schema, pointer)
        except KeyError:
            return None

    def other(self, *keywords: str) -> tuple[Pointer, Any] | None:
        """Where the sending schema says one of ``keywords`` about the same value, and what."""
        nodes = schemas_at(self.sending.schema, self.refusal.instance)
        # In a union the variant at the same place is the one that was changed.
        for node in sorted(nodes, key=lambda node: node.pointer != self.refusal.pointer[:-1]):
            for keyword in keywords:
                if keyword in node.schema:
                    return (*node.pointer, keyword), node.schema[keyword]
        return None

    def others(self, keyword: str) -> list[Any]:
        """What the sending schema says under ``keyword`` about the same value, in every variant."""
        nodes = schemas_at(self.sending.schema, self.refusal.instance)
        return [node.schema[keyword] for node in nodes if keyword in node.schema]

    def others_place(self, *keywords: str) -> Pointer:
        """What to show in the sending schema: the keyword, else where it could stand, else what holds the value."""
        found = self.other(*keywords)
        if found is not None:
            return found[0]
        instance: Sequence[str | int] = self.refusal.instance
        while True:
            nodes = [node.pointer for node in schemas_at(self.sending.schema, instance)]
            same = self.refusal.pointer[:-1]
            if nodes or not instance:
                return same if same in nodes else nodes[0] if nodes else ()
            instance = instance[:-1]

    def change(self, message: str, *keywords: str, keep: str | None = None, fields: tuple[str, ...] = ()) -> Change:
        """A change at the refusing keyword, beside the place where the sending schema says one of ``keywords``."""
        there, here = self.refusal.pointer, self.others_place(*keywords)
        new, old = (there, here) if self.backward else (here, there)
        return Change(message, new, old, keep=keep, fields=fields or (self.field,))


def short(value: Any) -> str:
    """``value`` as JSON that fits in a sentence."""
    spelled_out = json.dumps(value, ensure_ascii=False)
    return spelled_out if len(spelled_out) <= _LONGEST else spelled_out[: _LONGEST - 1] + "…"


class ContractRule(Protocol):
    """A module that decides by itself."""

    severity: Severity

    def check(self, pair: Pair) -> Iterator[Change]:
        """Every change in ``pair`` that breaks the contract whatever documents say."""
        ...


class NamingRule(Protocol):
    """A module that names what containment has shown."""

    severity: Severity

    def name(self, shown: RefusedDocument) -> Change | None:
        """The change behind ``shown``, or None where this rule is not about it."""
        ...


class WaiverRule(Protocol):
    """A module that says what is wrong with waivers."""

    severity: Severity

    def check(self, waivers: BreakingWaivers) -> Iterator[Finding]:
        """Every waiver that is not what its author thinks. Asked when all other rules have spoken."""
        ...


def at_union(shown: RefusedDocument) -> RefusedDocument:
    """``shown`` as a union refuses it, where the variant that was meant is not what changed."""
    unions = shown.refusal.unions
    union = next((union for union in unions if not _same_number_of_variants(shown, union)), None)
    if union is None and unions and _unchanged(shown, shown.refusal):
        union = next((union for union in reversed(unions) if not _unchanged(shown, union)), unions[0])
    return shown if union is None else replace(shown, refusal=union)


def _unchanged(shown: RefusedDocument, refusal: Refusal) -> bool:
    """True where the other side says the very same at the same place."""
    try:
        there = pointers.find(shown.sending.schema, refusal.pointer)
    except KeyError:
        return False
    return identical(there, shown.said(refusal.pointer))


def _same_number_of_variants(shown: RefusedDocument, union: Refusal) -> bool:
    mine = shown.said(union.pointer)
    if not isinstance(mine, list):
        return True
    try:
        there = pointers.find(shown.sending.schema, union.pointer)
    except KeyError:
        nodes = schemas_at(shown.sending.schema, union.instance)
        there = next((node.schema[union.keyword] for node in nodes if union.keyword in node.schema), None)
    return isinstance(there, list) and len(there) == len(mine)
