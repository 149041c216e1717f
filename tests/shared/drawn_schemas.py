"""Sixty schemas with documents that readers accept, the same ones in each run and for the tests of every language.

Drawing them takes 24 s of processor time. Where processes share the tests, those of modules that import :func:`drawn`
meet in one process.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
import sane_schemas as sane
from hypothesis import HealthCheck, Phase, given, settings

from babelreg.contract.views import reader_view

NUMBER, DOCUMENTS = 60, 20

_FIXED: dict[str, Any] = {
    "database": None, "derandomize": True, "deadline": None, "phases": [Phase.generate],
    "suppress_health_check": list(HealthCheck),
}  # fmt: skip


class Drawn(NamedTuple):
    """A schema, distinct documents that readers accept, and those that they refuse."""

    schema: Any
    valid: list[Any]
    refused: list[Any]


@cache
def drawn() -> list[Drawn]:
    """Return the schemas, each with more than ten documents that readers accept.

    Documents are drawn in runs of their own: after a schema, little of Hypothesis' randomness is left, and most
    documents would be as small as possible.
    """
    schemas_by_text: dict[str, dict[str, Any]] = {}

    @settings(max_examples=NUMBER * 6, **_FIXED)
    @given(sane.schemas())
    def draw(schema: dict[str, Any]) -> None:
        schemas_by_text.setdefault(json.dumps(schema), schema)

    draw()
    result: list[Drawn] = []
    for schema in schemas_by_text.values():
        each = _with_documents(schema)
        if len(each.valid) * 2 > DOCUMENTS:
            result.append(each)
        if len(result) == NUMBER:
            break
    assert len(result) == NUMBER
    return result


def _with_documents(schema: dict[str, Any]) -> Drawn:
    validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
    valid: dict[str, Any] = {}
    refused: dict[str, Any] = {}

    @settings(max_examples=DOCUMENTS * 2, **_FIXED)
    @given(sane.documents(schema))
    def draw(document: Any) -> None:
        (valid if validator.is_valid(document) else refused).setdefault(json.dumps(document), document)

    draw()
    return Drawn(schema, list(valid.values())[:DOCUMENTS], list(refused.values()))
