"""The floor of the lake's pass: what its libraries alone take for the same messages, and the pass beside them.

    python benchmarks/lake_floor.py [--messages N] [--rounds N]

Each line is one call of a library for each message, or for each column of 2,000 messages, in the plainest loop there is:
no rule of the envelope, no refusal, no order of tables, no look at a number's digits, no staging file. The sum is what
any pass with these libraries takes at least; the step in brackets, in place of the validation of data, is not part of
it. Figures are processor time, the least of the rounds.
"""

from __future__ import annotations

import argparse
import gc
import io
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import jsonschema_rs
import lake_pass
import machine
import orjson
import pyarrow as pa
import spark_messages
from pyarrow import json, parquet

_TOGETHER = 2_000
_WHOLE = "(envelope and data by one schema)"
_ENVELOPE = {
    "type": "object",
    "required": ["job", "trace_id", "data", "meta", "attempts"],
    "properties": {
        "trace_id": {"type": "string", "minLength": 1},
        "attempts": {"type": "integer", "minimum": 0},
        "meta": {
            "type": "object",
            "required": ["id", "queue", "lang", "schema_version", "created_at"],
            "properties": {
                **{name: {"type": "string"} for name in ("id", "queue", "lang")},
                "schema_version": {"const": 1},
                "created_at": {"type": "integer"},
            },
        },
    },
}
_NAMES = ("urn", "trace_id", "attempts", "message_id", "queue", "lang", "created_at", "data_json")
_ID = _NAMES.index("message_id")
_REPEATING = ["urn", "queue", "lang", "data.status"]
_TEXT = pa.string()
_LINE = pa.struct([("sku", _TEXT), ("qty", pa.int64()), ("price_minor", pa.int64())])
_READ = pa.schema(
    [
        ("order_id", pa.int64()),
        *((name, _TEXT) for name in ("status", "code", "note")),
        ("weight", pa.float64()),
        ("placed_at", _TEXT),
        ("customer", pa.struct([("id", pa.int64()), ("name", _TEXT), ("vip", pa.bool_())])),
        ("lines", pa.list_(_LINE)),
        *((f"extra_{number}", pa.int64()) for number in range(3)),
    ]
)


class Floor:
    """The steps, each of which leaves its results to the next."""

    def __init__(self, bodies: list[bytes]) -> None:
        self.bodies, self.part, self.tables = bodies, bodies, list[pa.Table]()
        schemas = {spark_messages.urn(n): spark_messages.schema(n) for n in range(spark_messages.URNS)}
        compiled = partial(jsonschema_rs.validator_for, validate_formats=True)
        self.of_data = {urn: compiled(schema).is_valid for urn, schema in schemas.items()}
        whole = {
            urn: {**_ENVELOPE, "properties": {**_ENVELOPE["properties"], "data": schema}}  # type: ignore[dict-item]
            for urn, schema in schemas.items()
        }
        self.of_messages = {urn: compiled(schema).is_valid for urn, schema in whole.items()}
        self.salts = {urn: blake2b(urn.encode() + b"\0", digest_size=16) for urn in schemas}

    def steps(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield the name of each step of one part of the messages, and its work.

        The first ones each do what the one before does, too: a document that stays in memory makes the next one slower.
        """
        yield "parse: orjson.loads", self._parse
        yield "validate data: jsonschema-rs", partial(self._validate, self.of_data)
        yield "canonical JSON: orjson.dumps", self._rows
        yield "keys: SHA-256 of ids", self._keys
        yield "contents: BLAKE2b of URN and data", self._contents
        yield "envelope to eight Arrow columns", self._columns
        yield "data to Arrow: pyarrow.json", self._typed

    def _parse(self) -> None:
        for body in self.part:
            orjson.loads(body)

    def _validate(self, checks: Mapping[str, Callable[[Any], bool]]) -> None:
        for body in self.part:
            document = orjson.loads(body)
            assert checks[document["job"]](document["data"])

    def whole(self) -> None:
        """Validate envelope and data by one schema, which costs less than two and says less than the rules."""
        for body in self.part:
            document = orjson.loads(body)
            assert self.of_messages[document["job"]](document)

    def _rows(self) -> None:
        loads, dumps, sort, rows = orjson.loads, orjson.dumps, orjson.OPT_SORT_KEYS, []
        for body in self.part:
            document = loads(body)
            urn, data, meta = document["job"], document["data"], document["meta"]
            assert self.of_data[urn](data)
            ids = urn, document["trace_id"], document["attempts"], meta["id"], meta["queue"], meta["lang"]
            rows.append((*ids, meta["created_at"], bytes(memoryview(dumps(data, None, sort)))))
        self.columns = list(zip(*rows, strict=True))

    def _keys(self) -> None:
        b"".join([sha256(identity.encode()).digest() for identity in self.columns[_ID]])

    def _contents(self) -> None:
        for urn, text in zip(self.columns[0], self.columns[-1], strict=True):
            digest = self.salts[urn].copy()
            digest.update(text)
            digest.digest()

    def _columns(self) -> None:
        self.arrays = dict(zip(_NAMES, map(pa.array, self.columns), strict=True))
        self.arrays["data_json"] = self.arrays["data_json"].view(_TEXT)

    def _typed(self) -> None:
        text = b"".join(self.columns[-1])
        block = json.ReadOptions(use_threads=False, block_size=len(text) + 1)
        options = json.ParseOptions(explicit_schema=_READ, newlines_in_values=True, unexpected_field_behavior="ignore")
        data = json.read_json(io.BytesIO(text), block, options)
        placed_at = data["placed_at"].cast(pa.timestamp("us", "UTC"))
        data = data.set_column(data.schema.get_field_index("placed_at"), "placed_at", placed_at)
        self.tables.append(pa.table({**self.arrays, "data": data.to_struct_array()}))

    def parquet(self, folder: Path) -> None:
        """Write what the steps left to as many files as there are tables, whose rows are cut, not sorted."""
        rows, count = pa.concat_tables(self.tables).combine_chunks(), spark_messages.URNS
        for number in range(count):
            part = rows.slice(len(rows) * number // count, len(rows) // count)
            path = folder / f"{number}.parquet"
            parquet.write_table(
                part, path, compression="zstd", compression_level=1, use_dictionary=_REPEATING, write_page_checksum=True
            )
        self.tables.clear()


def _spent(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _round(floor: Floor, folder: Path) -> dict[str, float]:
    gc.collect()
    spent: dict[str, float] = {}
    for start in range(0, len(floor.bodies), _TOGETHER):
        floor.part = floor.bodies[start : start + _TOGETHER]
        for name, work in (*floor.steps(), (_WHOLE, floor.whole)):
            spent[name] = spent.get(name, 0.0) + _spent(work)
    parse, valid, written = list(spent)[:3]
    spent[written] -= spent[valid]
    for name in (valid, _WHOLE):
        spent[name] -= spent[parse]
    return {"files: Parquet, zstd": _spent(partial(floor.parquet, folder)), **spent}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=4_000 if machine.QUICK else 60_000)
    parser.add_argument("--rounds", type=int, default=1 if machine.QUICK else 5)
    parser.add_argument("--quick", action="store_true", help="few messages, once")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lake-floor-") as name, lake_pass.opened(lake_pass.ROOT) as ours:
        home = Path(name)
        schemas, messages = lake_pass.clean(home, asked.messages)
        floor = Floor([line for path in sorted(messages.iterdir()) for line in path.read_bytes().splitlines()])
        rounds, passes = [], []
        for _ in range(asked.rounds + 1):  # the first compiles schemas, and brings files into memory
            passes.append(ours.seconds("whole", schemas, messages, home / "out"))
            rounds.append(_round(floor, home))
    scale, total = 1e6 / len(floor.bodies), 0.0
    for step in rounds[0]:
        least = scale * min(spent[step] for spent in rounds[1:])
        total += least * (step != _WHOLE)
        print(f"{step:40} {least:6.2f} us a message")
    least = scale * min(passes[1:])
    print(f"{'the libraries alone':40} {total:6.2f}\n{'the pass':40} {least:6.2f}, {least / total:.2f} of them")
    print(f"{'the pass over all messages':40} {machine.beside(min(passes[1:]), processor=True)}")
    print(machine.described())
    return 0


if __name__ == "__main__":
    sys.exit(main())
