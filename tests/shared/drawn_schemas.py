"""Sixty schemas with documents that readers accept, the same ones for the tests of every language.

Drawing them takes half a minute of processor time. Where processes share the tests, those of modules that import
:func:`drawn` meet in one process.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
import sane_schemas as sane
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from babelreg.contract.views import reader_view

NUMBER = 60
_TRIED = 85  # of which some have too few documents that readers accept


class Drawn(NamedTuple):
    """A schema, the documents that readers accept, and those that they refuse."""

    schema: Any
    valid: list[Any]
    refused: list[Any]


@cache
def drawn() -> list[Drawn]:
    """Return the schemas, each with at least five documents that readers accept."""
    result: list[Drawn] = []

    @settings(max_examples=_TRIED, database=None, derandomize=True, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(data=st.data())
    def draw(data: st.DataObject) -> None:
        schema = data.draw(sane.schemas())
        validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
        documents = [data.draw(sane.documents(schema)) for _ in range(30)]
        valid = [document for document in documents if validator.is_valid(document)]
        if len(valid) > 4 and len(result) < NUMBER:
            result.append(Drawn(schema, valid, [each for each in documents if not validator.is_valid(each)]))

    draw()
    assert len(result) == NUMBER
    return result
