"""Limits of one value that follow from another limit of it: a pattern may leave no text longer than ``maxLength`` does.

Where both come or go, every value that the one refuses is refused by the other, too. What breaks is one edit, the
stronger limit, and the weaker one is a part of its finding.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from typing import Any

from babelreg.breaking.rules.rule import RefusedDocument
from babelreg.containment.certificates.proof import prove
from babelreg.schema.dialects import identify

_LIMITS = frozenset(
    {
        "const", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties",
        "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "pattern",
    }
)  # fmt: skip
"""Keywords that say the same wherever they stand."""


def implied(examples: Mapping[Hashable, Sequence[RefusedDocument]]) -> dict[Hashable, Hashable]:
    """Return for each change that another one implies that other one; none of these is implied itself.

    ``examples`` has for each change the documents that it refuses, at most one of each direction.
    """
    stronger: dict[Hashable, Hashable] = {}
    limits = {change: of for change, of in examples.items() if of and all(map(_is_limit, of))}
    for weak, strong in permutations(limits, 2):
        if weak not in stronger and strong not in stronger and weak not in stronger.values():
            pairs = [(one, _beside(one, limits[strong])) for one in limits[weak]]
            if all(other is not None and _follows(one, other) for one, other in pairs):
                stronger[weak] = strong
    return stronger


def _is_limit(example: RefusedDocument) -> bool:
    return example.keyword in _LIMITS and example.refusal.pointer[-1:] == (example.keyword,)


def _beside(example: RefusedDocument, others: Sequence[RefusedDocument]) -> RefusedDocument | None:
    """Return the one of ``others`` that a keyword of the same subschema refuses; None without one."""
    node = example.refusal.pointer[:-1]
    same = (other for other in others if other.direction == example.direction)
    return next((other for other in same if other.refusal.pointer[:-1] == node), None)


def _follows(weak: RefusedDocument, strong: RefusedDocument) -> bool:
    """Return True where a proof shows that ``strong``, with the type beside it, admits what ``weak`` admits at most."""
    node = weak.refusing_value(weak.refusal.pointer[:-1])
    if not isinstance(node, dict):
        return False
    inner: dict[str, Any] = {key: node[key] for key in ("type", strong.keyword) if key in node}
    outer = {weak.keyword: node.get(weak.keyword)}
    proof = prove(inner, outer, identify(weak.refusing.schema).name, formats=True)
    return proof is not None and proof.complete
