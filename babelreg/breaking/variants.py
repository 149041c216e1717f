"""A union that lost or gained a variant: then it is the union that changed, whatever the variants it has say."""

from __future__ import annotations

from dataclasses import replace

from babelreg.breaking.fields import judging
from babelreg.breaking.judge import Refusal
from babelreg.breaking.rules.rule import Shown
from babelreg.schema import pointer as pointers

__all__ = ["regrouped"]


def regrouped(shown: Shown) -> Shown:
    """``shown`` as the outermost union refuses it that has fewer or more variants on the other side, if any has."""
    union = next((union for union in shown.refusal.unions if not _as_many(shown, union)), None)
    return shown if union is None else replace(shown, refusal=union)


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
