"""Check that a valid message can be stored in the columns of its table: the second stage of the verdict, without Spark.

A message that ``contract.verdict`` calls valid may still have an integer beyond 64 bits, which no BIGINT holds. Reasons
of this stage begin with ``unstorable_``. The Arrow pass of ``babelreg.spark`` finds them when it builds the columns;
``validate --spark`` predicts them here for one message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from babelreg.contract import Envelope
from babelreg.contract.exact_numbers import json_text
from babelreg.contract.parse import deep
from babelreg.typemap.spark.column_check import Unstorable, column_check
from babelreg.typemap.spark.mapping import mapped
from babelreg.typemap.spark.whole_floats import MIN_GROWING_BYTES, floats_as_integers

_INSTANTS = range(-62_135_596_800_000, 253_402_300_800_000)
"""Milliseconds since 1970 of the years 1 to 9999: the range of TIMESTAMP in every engine."""


def detail(code: str) -> str:
    """Return one sentence about what ``unstorable_…`` means for a message."""
    return f"the message is valid, but its table cannot store this {code.removeprefix('unstorable_')}"


class Storable:
    """Check for the messages of these URNs, ``{urn: bundled schema}``. Columns are made on first use."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas
        self._checks: dict[str, Callable[[Any], Any]] = {}

    def message(self, envelope: Envelope) -> Unstorable | None:
        """Return why a valid message cannot be a row, or None; ``pointer`` is into the message."""
        problem = self.data(envelope.urn, envelope.data)
        return problem.within("data") if problem else members(envelope)

    def data(self, urn: str, data: Any) -> Unstorable | None:
        """Return why the columns of ``urn`` cannot hold valid ``data``, or None; ``pointer`` is into the data."""
        if urn not in self._checks:
            self._checks[urn] = column_check(mapped(self._schemas[urn]).struct)
        with deep():
            try:
                _write(data)
                self._checks[urn](data)
            except Unstorable as problem:
                return problem
        return None


def _write(data: Any) -> None:
    """Raise Unstorable if ``data`` has no JSON text in UTF-8, which its row stores besides the columns."""
    try:
        try:
            if len(orjson.dumps(data)) > MIN_GROWING_BYTES:
                floats_as_integers(data)
        except TypeError:  # an integer beyond 64 bits, a Decimal, deeper than orjson goes, an unpaired surrogate
            json_text(floats_as_integers(data)).encode()
    except RecursionError:
        raise Unstorable("unstorable_depth") from None
    except UnicodeEncodeError:
        raise Unstorable("unstorable_string") from None


def members(envelope: Envelope) -> Unstorable | None:
    """Return why the columns of the envelope cannot hold it, or None; ``pointer`` is into the message."""
    texts = {"id": envelope.id, "lang": envelope.lang, "queue": envelope.queue, "trace_id": envelope.trace_id}
    for name, text in texts.items():
        if text is not None and not _is_utf8(text):
            problem = Unstorable("unstorable_string").within(name)
            return problem if name == "trace_id" else problem.within("meta")
    created_at = envelope.created_at
    if created_at is not None and created_at not in _INSTANTS:
        return Unstorable("unstorable_timestamp").within("created_at").within("meta")
    return None


def _is_utf8(text: str) -> bool:
    """Return False for an unpaired surrogate, which JSON's grammar admits and UTF-8 does not."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
