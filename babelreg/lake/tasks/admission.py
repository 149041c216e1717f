"""Admission of messages that are certainly valid, many at once: the fast path of ``RowValidator``.

It makes the rows of most messages at two thirds of the cost, in one loop that keeps nothing of a document but its row:
a few hundred documents in memory do not fit into the processor's cache, and the next ones are slower (measured). A
message that is not admitted may be valid all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from babelreg.contract.envelope import ASCII_BLANKS, SCHEMA_VERSION
from babelreg.contract.parse import MAX_BYTES
from babelreg.errors import SchemaError
from babelreg.lake.arrow.canonical_json import canonical_from
from babelreg.typemap.spark import Unstorable
from babelreg.wire.bridge import CONVERTED_LANGUAGE

if TYPE_CHECKING:
    from babelreg.contract import Contract
    from babelreg.wire.format import CanonicalFields

FIRST_INSTANT, LAST_INSTANT = -62_135_596_800_000, 253_402_300_799_999
"""Milliseconds since 1970 of the years 1 to 9999: the range of TIMESTAMP in every engine."""

_MOST = 2**63 - 1
_NOT_ADMITTED = (KeyError, ValueError, TypeError, RecursionError, Unstorable)

Row = tuple[Any, ...]
"""The members of ``ValidRow``, in that order, as a plain tuple, which is cheaper in bulk."""

_Compiled = tuple[Callable[[Any], bool], int]


class Admission:
    """Admits messages of ``contract``, sent under ``names``, which have numbers.

    Rows are put into ``results`` at the numbers of their messages. Their JSON is a copy: orjson's own sits in a buffer
    that is far too large, and the next message would get another one.
    """

    def __init__(self, contract: Contract, names: Mapping[str, int]) -> None:
        self._contract, self._names = contract, names
        self._compiled: dict[str, _Compiled] = {}

    def envelopes(
        self,
        bodies: Sequence[bytes],
        offsets: Sequence[int],
        numbers: Iterable[int],
        results: MutableSequence[Any],
    ) -> None:
        """Admit the envelopes with these ``numbers``, each number in which orjson is known to read exactly."""
        loads, dumps, sort = orjson.loads, orjson.dumps, orjson.OPT_SORT_KEYS
        compiled = self._compiled
        for number in numbers:
            body = bodies[number]
            try:
                document = loads(body)
                name, data, meta = document["job"], document["data"], document["meta"]
                check, name_id = compiled[name] if name in compiled else self._compile(name)
                written = dumps(data, None, sort)
                identity, created_at, attempts = meta["id"], meta["created_at"], document["attempts"]
                trace_id, queue, lang = document["trace_id"], meta["queue"], meta["lang"]
                if not (  # the rules of has_common_shape, and those of the columns
                    check(data)
                    and len(document) == 5
                    and (len(meta) == 5 or (len(meta) == 6 and type(meta["ext"]) is dict))
                    and type(data) is dict
                    and type(meta) is dict
                    and type(attempts) is int
                    and type(created_at) is int
                    and type(meta["schema_version"]) is int
                    and meta["schema_version"] == SCHEMA_VERSION
                    and type(identity) is str
                    and type(queue) is str
                    and type(lang) is str
                    and type(trace_id) is str
                    and 0 <= attempts <= _MOST
                    and FIRST_INSTANT <= created_at <= LAST_INSTANT
                    and trace_id.strip(ASCII_BLANKS) != ""
                    and len(body) <= MAX_BYTES
                ):
                    continue
                text = bytes(memoryview(canonical_from(data, written)))
            except _NOT_ADMITTED:
                continue
            ids = (identity, trace_id, lang, queue, created_at, attempts)
            results[number] = (name_id, offsets[number], body, *ids, text, None)

    def converted(
        self,
        bodies: Sequence[bytes],
        offsets: Sequence[int],
        converted: Iterable[tuple[int, CanonicalFields, int]],
        results: MutableSequence[Any],
    ) -> None:
        """Admit foreign messages, given their numbers, the members of their envelopes and the times of these.

        The members are those of an envelope that a producer may send, if it has a queue and two ids.
        """
        dumps, sort, compiled = orjson.dumps, orjson.OPT_SORT_KEYS, self._compiled
        for number, (name, data, trace_id, identity, queue, _), created_at in converted:
            try:
                check, name_id = compiled[name] if name in compiled else self._compile(name)
                written = dumps(data, None, sort)
                if not (
                    check(data)
                    and type(data) is dict
                    and 0 <= created_at <= LAST_INSTANT
                    and queue
                    and trace_id.lower() != identity.lower()
                ):
                    continue
                text = bytes(memoryview(canonical_from(data, written)))
            except _NOT_ADMITTED:
                continue
            ids = (identity, trace_id, CONVERTED_LANGUAGE, queue, created_at, 0)
            results[number] = (name_id, offsets[number], bodies[number], *ids, text, None)

    def _compile(self, name: str) -> _Compiled:
        """Return what is needed for messages that are sent as ``name``.

        Raises KeyError for an unknown name, and for a schema that cannot be used.
        """
        name_id = self._names[name]
        try:
            self._compiled[name] = (self._contract.validator(self._contract.resolve(name)).is_valid, name_id)
        except SchemaError:
            raise KeyError(name) from None
        return self._compiled[name]
