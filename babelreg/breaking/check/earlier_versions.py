"""Breaks of versions older than the newest published one that are worth a finding of their own.

Such a break is not reported again where it is history: the newest version broke the older one in the same way, which
was accepted when it was published. Nor is it reported where a finding about the newest version has the same reason.
The document that shows the break tells both: it is judged by the views of the newest version.

No new break hides behind history: what the newest version accepts and the present one refuses is a break of the newest
version itself, unless the document has a property that the newest version does not list. Such a property was dropped
and comes back with another meaning, and the newest version neither sends nor refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.check.verdicts import DirectionResult
from babelreg.containment.bare_schema import bare
from babelreg.containment.fields import field_path
from babelreg.containment.validator import Refusal, SchemaValidator
from babelreg.containment.witness import Witness
from babelreg.contract import views
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.keywords import UNIONS
from babelreg.schema.pointer import Pointer

_ABOUT_PARTS = frozenset({*UNIONS, "additionalProperties", "unevaluatedProperties"})
"""Keywords whose refusal of a value may be about a part of it."""


class NewestVersion:
    """The newest published version of ``pair``, and what is reported of it: ``results`` are its verdicts."""

    def __init__(self, pair: Pair, results: Sequence[DirectionResult]) -> None:
        self._pair = pair
        self._reported = {direction: [w.refusal for w in witnesses] for direction, _, witnesses in results}

    def explains(self, direction: str, witness: Witness) -> bool:
        """Return True where a break of an older version is history, or has the reason of a reported one."""
        if self._validators is None:
            return False
        sends, takes = self._validators
        reported = self._reported.get(direction, ())
        refusal, document = witness.refusal, witness.document
        refused = any(_about_one_field(refusal, other) for other in takes.causes(document))
        sent = not any(_about_one_field(refusal, other) for other in sends.causes(document))
        if direction == "backward":
            return any(other.point == refusal.point for other in reported) or refused or bool(reported and sent)
        return sent or (refused and any(_about_one_field(refusal, other) for other in reported))

    @cached_property
    def _validators(self) -> tuple[SchemaValidator, SchemaValidator] | None:
        """The validators of what it sends and of what it takes; None where it cannot be used."""
        schema, pair = self._pair.old.schema, self._pair
        assert pair.new is not None
        reader = pair.new_registry.compatibility(pair.new.context).reader
        try:
            dialect = identify(schema)
            view = views.both(bare(schema, dialect), reader, dialect)
            sends, takes = (SchemaValidator(each, dialect, formats=True) for each in (view.producer, view.reader))
        except SchemaError:
            return None
        return sends, takes


def _field(refusal: Refusal) -> str:
    missing: Pointer = () if refusal.missing is None else (refusal.missing,)
    return field_path((*refusal.instance, *missing))


def _about_one_field(refusal: Refusal, other: Refusal) -> bool:
    """Return True where both refuse the same value, or one refuses it by a keyword of a value around it."""
    mine, its = _field(refusal), _field(other)
    return mine == its or _around(refusal, its) or _around(other, mine)


def _around(refusal: Refusal, field: str) -> bool:
    """Return True where ``refusal`` may be about the field below the value that it refuses."""
    if refusal.keyword not in _ABOUT_PARTS or refusal.missing is not None:
        return False
    instances = [(*refusal.instance, name) for name in refusal.unexpected] or [refusal.instance]
    return any(
        not own or field.startswith((f"{own}.", f"{own}[")) or field == own for own in map(field_path, instances)
    )
