"""Interfaces of rules: a rule is a module with a severity and a docstring that is its page, of one of three kinds.

A contract rule decides by itself: ``check(pair)`` yields changes. A naming rule names and explains a break that
containment has shown: ``name(example)`` returns a :class:`Change`, or None where the rule does not apply. A waiver rule
checks the waivers in the settings: ``check(waivers)``, called last, yields findings.

A page has the layout of lint's pages: a first line on what is reported, why it matters, a ``Bad::`` and a ``Good::``
block. A block shows a message file ``# before`` and ``# after``, and other files where they matter, under their paths;
irrelevant keys are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from babelreg.breaking.changes.abbreviation import MAX_LENGTH, short
from babelreg.breaking.changes.limit_edit import ABSENT, LimitEdit
from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.containment.fields import declared_path, schemas_at
from babelreg.containment.validator import Refusal
from babelreg.finding import Finding, Severity
from babelreg.model import Message
from babelreg.schema import pointer as pointers
from babelreg.schema.field_path import child
from babelreg.schema.keywords import DEFINITIONS, PROPERTY_KEYWORDS
from babelreg.schema.pointer import Pointer, parse, unquoted
from babelreg.schema.values import identical

_MAX_VALUES = 6
_UNNAMED = PROPERTY_KEYWORDS - {"properties"}


class OfSeveral(NamedTuple):
    """The texts of a change of several properties of one object; ``message`` has ``{}`` in place of their names.

    A second ``{}`` is the place of the second names of changes about pairs. ``holder`` is the pointer to the keyword
    that lists the properties, in the new schema.
    """

    message: str
    keep: str
    holder: Pointer


@dataclass(frozen=True, slots=True)
class Change:
    """A breaking change with its two places.

    ``new`` and ``old`` are pointers; with ``in_file`` into the message file (``("kind",)``), else into its schema.
    Where a pointer leads nowhere, its nearest parent is shown. ``keep`` is an imperative on how to stay compatible;
    ``mint`` tells whether a new version fixes the break. ``fields`` are the paths of the properties concerned; a change
    of a contract rule that ``answers`` for them replaces what naming rules report about them. ``first`` is the side
    that can be deployed first, ``none`` where neither can; None where the order does not matter or witnesses decide it.

    ``severity`` is None for that of the rule. ``several`` is set where the same change of other properties of the
    object belongs to the same finding.

    ``side_effect`` is set where the edit may have another finding: one about a keyword of the subschemas ``old_nodes``
    and ``new_nodes`` says it among its ``effects``, and replaces this one.
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
    severity: Severity | None = None
    side_effect: str | None = None
    old_nodes: frozenset[Pointer] = frozenset()
    new_nodes: frozenset[Pointer] = frozenset()
    effects: tuple[str, ...] = ()
    several: OfSeveral | None = None


@dataclass(frozen=True)
class RefusedDocument:
    """A document that one side of a pair sends and the other refuses, with the refusing keyword.

    ``refusal.pointer`` is in the schema of the refusing side: the new one where ``direction`` is ``backward``.
    """

    pair: Pair
    direction: str
    document: Any
    refusal: Refusal

    @property
    def backward(self) -> bool:
        """True where the new schema refuses old data."""
        return self.direction == "backward"

    @property
    def keyword(self) -> str:
        """The refusing keyword; ``false`` for the schema ``false``."""
        return self.refusal.keyword

    @property
    def refusing(self) -> Message:
        """The message whose schema refuses the document."""
        assert self.pair.new is not None
        return self.pair.new if self.backward else self.pair.old

    @property
    def sending(self) -> Message:
        """The message whose schema allows the document."""
        assert self.pair.new is not None
        return self.pair.old if self.backward else self.pair.new

    @cached_property
    def field(self) -> str:
        """The path of the refused value, with ``*`` for a name that no schema has; empty for the document itself."""
        return self.path_of(self.refusal.instance)

    @property
    def subject(self) -> str:
        """The refused value in a sentence: its path, or its parent where no schema names it."""
        if _UNNAMED.intersection(self.refusal.pointer[-3:-1]) and self.refusal.instance:
            parent = self.path_of(self.refusal.instance[:-1])
            return f"other properties of '{parent}'" if parent else "other properties"
        return f"'{self.field}'" if self.field else "the data"

    @property
    def limit(self) -> Any:
        """The value of the refusing keyword."""
        return self.refusing_value(self.refusal.pointer)

    @property
    def missing(self) -> str | None:
        """The path of the missing required property, or None."""
        name = self.refusal.missing
        return None if name is None else child(self.field, name)

    @property
    def value_spelled(self) -> str:
        """The refused value as abbreviated JSON."""
        try:
            return short(pointers.find(self.document, self.refusal.instance))
        except KeyError:
            return short(self.document)

    @property
    def value_described(self) -> str:
        """The refused value as JSON where that is short, else its names or the number of its items."""
        try:
            value = pointers.find(self.document, self.refusal.instance)
        except KeyError:
            value = self.document
        if len(json.dumps(value, ensure_ascii=False)) <= MAX_LENGTH:
            return short(value)
        if isinstance(value, dict):
            named = ", ".join(f"'{name}'" for name in list(value)[:_MAX_VALUES])
            more = f" and {len(value) - _MAX_VALUES} more" if len(value) > _MAX_VALUES else ""
            return f"an object with {named}{more}"
        return f"a list of {len(value)} items" if isinstance(value, list) else short(value)

    def path_of(self, instance: Pointer) -> str:
        """Return the path of a value in the document, with ``*`` for a name that no schema lists."""
        return declared_path(instance, (self.refusing.schema, self.sending.schema))

    def other_values(self) -> list[Any]:
        """Return the values of an enumeration that the sending side has and the refusing one lacks.

        The refused one alone where it is not among them, as that is another variant's.
        """
        try:
            refused = pointers.find(self.document, self.refusal.instance)
        except KeyError:
            return [self.document]
        refusing = _listed((self.refusal.pointer, self.limit))
        sending = _listed(self.sending_keyword("enum", "const"))
        known = set(map(repr, refusing))
        lacking = [value for value in sending if repr(value) not in known]
        return lacking if any(identical(value, refused) for value in lacking) else [refused]

    def limit_values(self) -> list[Any]:
        """Return the values that the refusing keyword lists."""
        return _listed((self.refusal.pointer, self.limit))

    def limit_edit(self) -> LimitEdit:
        """Return how the refusing keyword changed."""
        other = self.sending_keyword(self.refusal.keyword)
        return self._edit(self.refusal.keyword, other[1] if other else ABSENT, self.limit)

    def limit_change(self, *keywords: str) -> Change:
        """Return a change of the refusing keyword; :meth:`change` has the meaning of ``keywords``."""
        edit = self.limit_edit()
        if identical(edit.before, edit.after):
            # Another variant of the union has the keyword, too, and is the one that changed.
            what = "may no longer be" if self.backward else "may now be"
            message = f"{self.subject} {what} {self.value_spelled} ({self.keyword} {short(self.limit)})"
            return self.change(message, *keywords, keep="keep the published variants")
        return self.change(edit.message(self.subject), *keywords, keep=edit.fix)

    def name_limit_change(self, *keywords: str) -> Change | None:
        """Return a change of a keyword below the refusing ``propertyNames``; None where it is not a plain one."""
        *_, above, keyword = self.refusal.pointer
        other = self.sending_keyword("propertyNames")
        naming = other[1] if other else {}
        if above != "propertyNames" or not isinstance(naming, dict) or "$ref" in naming:
            return None
        edit = self._edit(str(keyword), naming.get(keyword, ABSENT), self.refusing_value(self.refusal.pointer))
        if identical(edit.before, edit.after):
            return None
        return self.change(edit.message(f"the names of {self.subject}"), *keywords, keep=edit.fix)

    def _edit(self, keyword: str, sending: Any, refusing: Any) -> LimitEdit:
        return LimitEdit(keyword, *((sending, refusing) if self.backward else (refusing, sending)))

    def refusing_value(self, pointer: Pointer) -> Any:
        """Return the value at ``pointer`` in the refusing schema, or None."""
        try:
            return pointers.find(self.refusing.schema, pointer)
        except KeyError:
            return None

    def sending_keyword(self, *keywords: str) -> tuple[Pointer, Any] | None:
        """Return pointer and value of the first of ``keywords`` in the sending schema for the same value, or None."""
        nodes = schemas_at(self.sending.schema, self.refusal.instance)
        # In a union the variant at the same pointer is the one that changed.
        for node in sorted(nodes, key=lambda node: node.pointer != self.refusal.pointer[:-1]):
            for keyword in keywords:
                if keyword in node.schema:
                    return (*node.pointer, keyword), node.schema[keyword]
        return None

    def sending_values(self, keyword: str) -> list[Any]:
        """Return the values of ``keyword`` in the sending schema for the same value, in every variant."""
        nodes = schemas_at(self.sending.schema, self.refusal.instance)
        return [node.schema[keyword] for node in nodes if keyword in node.schema]

    def sending_pointer(self, *keywords: str) -> Pointer:
        """Return the pointer to show in the sending schema: the keyword, else its subschema, else the parent's."""
        keyword = self.sending_keyword(*keywords)
        if keyword is not None:
            return keyword[0]
        instance: Sequence[str | int] = self.refusal.instance
        while True:
            nodes = [node.pointer for node in schemas_at(self.sending.schema, instance)]
            same = self.refusal.pointer[:-1]
            if nodes or not instance:
                return same if same in nodes else nodes[0] if nodes else ()
            instance = instance[:-1]

    def change(self, message: str, *keywords: str, keep: str | None = None, fields: tuple[str, ...] = ()) -> Change:
        """Return a change at the refusing keyword; the other place is that of ``keywords`` in the sending schema."""
        refusing, sending = self.refusal.pointer, self.sending_pointer(*keywords)
        new, old = (refusing, sending) if self.backward else (sending, refusing)
        return Change(message, new, old, keep=keep, fields=fields or (self.field,))


def values_spelled(values: Sequence[Any]) -> str:
    """Return ``value "a"`` or ``values "a", "b" and 3 more``."""
    named = ", ".join(map(short, values[:_MAX_VALUES]))
    more = f" and {len(values) - _MAX_VALUES} more" if len(values) > _MAX_VALUES else ""
    return f"{'value' if len(values) == 1 else 'values'} {named}{more}"


def _listed(keyword: tuple[Pointer, Any] | None) -> list[Any]:
    """Return the values of ``enum`` or ``const``."""
    if keyword is None:
        return []
    pointer, value = keyword
    return [value] if pointer[-1:] == ("const",) else list(value) if isinstance(value, list) else []


def definition_name(reference: Any) -> str | None:
    """Return the name of the definition that ``reference`` leads to; None for any other reference."""
    steps = parse(unquoted(reference[1:])) if isinstance(reference, str) and reference.startswith("#/") else ()
    return str(steps[-1]) if len(steps) > 1 and steps[-2] in DEFINITIONS else None


class ContractRule(Protocol):
    """A module that reports changes by itself."""

    severity: Severity

    def check(self, pair: Pair) -> Iterator[Change]:
        """Yield every change in ``pair`` that breaks the contract, with or without a witness."""
        ...


class NamingRule(Protocol):
    """A module that names a break shown by containment."""

    severity: Severity

    def name(self, example: RefusedDocument) -> Change | None:
        """Return the change behind ``example``, or None where this rule does not apply."""
        ...


class WaiverRule(Protocol):
    """A module that reports ineffective waivers."""

    severity: Severity

    def check(self, waivers: BreakingWaivers) -> Iterator[Finding]:
        """Yield a finding for each ineffective waiver. Called after all other rules."""
        ...
