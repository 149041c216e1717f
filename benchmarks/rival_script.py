"""The script that one would write instead: orjson, jsonschema-rs and pyarrow in two processes, a Parquet file a URN and part.

    python benchmarks/rival_script.py SCHEMAS.json INBOX OUT

It has no envelope rules, no exact numbers, no duplicates, no ids of batches and no commit; bad lines go to one file.
"""

import json
import sys
from multiprocessing import Pool
from pathlib import Path

import jsonschema_rs
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

SCHEMAS, OUT = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[3])
ENVELOPE = ("trace_id", "attempts")


def convert(part: tuple[int, Path]) -> tuple[int, int]:
    number, path = part
    checks = {urn: jsonschema_rs.validator_for(schema, validate_formats=True) for urn, schema in SCHEMAS.items()}
    rows, bad = {urn: [] for urn in SCHEMAS}, []
    with path.open("rb") as file:
        for line in file:
            try:
                message = orjson.loads(line)
                urn, data, meta = message["job"], message["data"], message["meta"]
                if not checks[urn].is_valid(data) or meta["schema_version"] != 1:
                    raise ValueError
            except (ValueError, KeyError, TypeError):
                bad.append(line)
                continue
            text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS).decode()
            row = {name: message[name] for name in ENVELOPE} | {"meta": meta, "data": data, "data_json": text}
            rows[urn].append(row)
    for urn, found in rows.items():
        if found:
            folder = OUT / urn.replace(":", "_")
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(found), folder / f"part-{number}.parquet", compression="zstd")
    OUT.mkdir(exist_ok=True)
    (OUT / f"bad-{number}.jsonl").write_bytes(b"".join(bad))
    return sum(map(len, rows.values())), len(bad)


if __name__ == "__main__":
    with Pool(2) as pool:
        counts = pool.map(convert, list(enumerate(sorted(Path(sys.argv[2]).iterdir()))), chunksize=1)
    print(sum(good for good, _ in counts), sum(bad for _, bad in counts))
