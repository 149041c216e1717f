"""Schemas without annotations, by which comparisons tell whether two are equal."""

from __future__ import annotations

from typing import Any

from babelreg.containment.certificates.core_schemas import DRAFTS, same_assertions
from babelreg.schema.dialects import Dialect, dialect_of
from babelreg.schema.simplify import without_annotations, without_keywords
from babelreg.schema.values import identical


def bare(schema: Any, dialect: Dialect | None = None, *, formats: bool = True, asserted: bool = False) -> Any:
    """Return ``schema`` without annotations if the checker of certificates agrees that it asserts the same.

    Otherwise it keeps them. The options are those of :func:`without_annotations`. The result is a copy in which no two
    subschemas are one object: proofs and certificates tell them apart by identity.
    """
    stripped = without_annotations(schema, formats=formats, asserted=asserted)
    whole = without_keywords(schema, frozenset())
    if identical(stripped, whole):
        return whole
    draft = DRAFTS.index((dialect or dialect_of(schema)).name)
    return stripped if same_assertions(whole, stripped, draft, formats=formats) else whole
