"""The refusal that a person would name: that of a union, where the edit is in the choice of variants.

A document is refused by a keyword deep in a schema. Where the other side has the same keyword for the same value, in
another variant or at the same pointer, nobody edited that keyword: the variants around it changed.
"""

from __future__ import annotations

from dataclasses import replace

from babelreg.breaking.changes.pairs import VARIANTS
from babelreg.breaking.rules.rule import RefusedDocument
from babelreg.containment.fields import schemas_at
from babelreg.containment.schema_diff import Difference
from babelreg.containment.validator import Refusal
from babelreg.schema import pointer as pointers
from babelreg.schema.values import identical


def at_edit(example: RefusedDocument) -> RefusedDocument:
    """Return ``example`` as refused by the keyword that was edited, where that is not the refusing one."""
    example = _at_union(example)
    return _at_variants(example) if _same_elsewhere(example) else example


def _at_variants(example: RefusedDocument) -> RefusedDocument:
    """Return ``example`` as refused by the nearest variants that changed, if any did."""
    refusal = example.refusal
    difference = example.pair.variants_changed(refusal.instance)
    if difference is None or (example.keyword == "type" and _is_at("type", difference, refusal)):
        return example  # a union in place of a type is another type
    node = difference.new if example.backward else difference.old
    changed = [keyword for keyword in difference.keywords if keyword in VARIANTS]
    present = (keyword for keyword in changed if example.refusing_value((*node, keyword)) is not None)
    keyword = next(present, changed[0])
    instance = refusal.instance[: len(difference.place)]
    return replace(example, refusal=Refusal((*node, keyword), keyword, instance, refusal.message))


def _is_at(keyword: str, difference: Difference, refusal: Refusal) -> bool:
    return keyword in difference.keywords and len(difference.place) == len(refusal.instance)


def _same_elsewhere(example: RefusedDocument) -> bool:
    """Return True where the sending side has the refusing keyword for the same value, too."""
    keyword, missing, limit = example.keyword, example.refusal.missing, example.limit
    if keyword == "false" or example.refusal.pointer[-1:] != (keyword,):
        return False
    values = example.sending_values(keyword)
    if keyword == "required" and missing is not None:
        return any(isinstance(names, list) and missing in names for names in values)
    return any(identical(value, limit) for value in values)


def _at_union(example: RefusedDocument) -> RefusedDocument:
    """Return ``example`` as refused by a union around it, where the change is not in the intended variant."""
    unions = example.refusal.unions
    union = next((union for union in unions if not _same_number_of_variants(example, union)), None)
    if union is None and unions and _unchanged(example, example.refusal):
        union = next((union for union in reversed(unions) if not _unchanged(example, union)), unions[0])
    return example if union is None else replace(example, refusal=union)


def _unchanged(example: RefusedDocument, refusal: Refusal) -> bool:
    """Return True where the other side has an equal schema at the same pointer."""
    try:
        sending = pointers.find(example.sending.schema, refusal.pointer)
    except KeyError:
        return False
    return identical(sending, example.refusing_value(refusal.pointer))


def _same_number_of_variants(example: RefusedDocument, union: Refusal) -> bool:
    refusing = example.refusing_value(union.pointer)
    if not isinstance(refusing, list):
        return True
    try:
        sending = pointers.find(example.sending.schema, union.pointer)
    except KeyError:
        nodes = schemas_at(example.sending.schema, union.instance)
        sending = next((node.schema[union.keyword] for node in nodes if union.keyword in node.schema), None)
    return isinstance(sending, list) and len(sending) == len(refusing)
