"""Schemas without annotations, by which comparisons tell whether two are equal."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.certificates.core_schemas import DRAFTS, same_assertions
from babelreg.schema.dialects import Dialect, dialect_of
from babelreg.schema.simplify import without_annotations
from babelreg.schema.values import identical

__all__ = ["bare"]


def bare(schema: Any, dialect: Dialect | None = None, *, formats: bool = True, asserted: bool = False) -> Any:
    """Return ``schema`` without annotations if the checker of certificates agrees that it asserts the same.

    Otherwise it is returned as it is. The options are those of :func:`without_annotations`.
    """
    stripped = without_annotations(schema, formats=formats, asserted=asserted)
    if identical(stripped, schema):
        return schema
    draft = DRAFTS.index((dialect or dialect_of(schema)).name)
    return stripped if same_assertions(schema, stripped, draft, formats=formats) else schema
