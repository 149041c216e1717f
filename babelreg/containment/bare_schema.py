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
    if stripped is not schema:
        draft = DRAFTS.index((dialect or dialect_of(schema)).name)
        if identical(stripped, schema) or same_assertions(schema, stripped, draft, formats=formats):
            return stripped
    return without_keywords(schema, frozenset())
