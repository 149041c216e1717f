"""A union that changed, whatever a variant of it says: it lost or gained one, or what refuses stood there before."""

from __future__ import annotations

from dataclasses import replace

from babelreg.breaking.containment.fields import judging
from babelreg.breaking.containment.validator import Refusal
from babelreg.breaking.rules.rule import Shown
from babelreg.schema import pointer as pointers
from babelreg.schema.applicators import identical

__all__ = ["regrouped"]


def regrouped(shown: Shown) -> Shown:
    """``shown`` as a union refuses it, where the variant that was meant is not what changed."""
    unions = shown.refusal.unions
    union = next((union for union in unions if not _as_many(shown, union)), None)
    if union is None and unions and _same(shown, shown.refusal):
        union = next((union for union in reversed(unions) if not _same(shown, union)), unions[0])
    return shown if union is None else replace(shown, refusal=union)


def _same(shown: Shown, refusal: Refusal) -> bool:
    """True where the other side says the very same at the same place."""
    try:
        there = pointers.find(shown.sending.schema, refusal.pointer)
    except KeyError:
        return False
    return identical(there, shown.said(refusal.pointer))


def _as_many(shown: Shown, union: Refusal) -> bool:
    mine = shown.said(union.pointer)
    if not isinstance(mine, list):
        return True
    try:
        there = pointers.find(shown.sending.schema, union.pointer)
    except KeyError:
        nodes = judging(shown.sending.schema, union.instance)
        there = next((node.schema[union.keyword] for node in nodes if union.keyword in node.schema), None)
    return isinstance(there, list) and len(there) == len(mine)
