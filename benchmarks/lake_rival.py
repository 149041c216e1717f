"""The bars of a lake beside its rivals: the obvious script, and DuckDB that reads the same files unjudged.

    python benchmarks/lake_rival.py [--messages N] [--rounds N] [--base TREE]

``lake``    the whole command `babelreg lake ingest`, published as Delta tables, into a new lake
``script``  ``rival_script.py``, two processes
``duckdb``  the same lines by ``read_json``, to one Parquet file, without a look at any value
``base``    the command of another checkout, TREE, if one is named

All messages are valid: the script ends at the first text or large integer where Arrow expects a number.
Figures are processor time of all processes, the median of rounds whose order turns. Bars: at most 0.85 of the script,
3.3 of DuckDB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import spark_messages

ROOT = Path(__file__).parents[1]
BARS = {"script": 0.85, "duckdb": 3.3}
_READ = (
    "import duckdb, sys; duckdb.sql('SET threads = 2'); duckdb.sql(f\"COPY (SELECT * FROM read_json('{sys.argv[1]}/*',"
    " format = 'newline_delimited', ignore_errors = true)) TO '{sys.argv[2]}' (FORMAT parquet, COMPRESSION zstd)\")"
)


def main() -> int:
    """Returns 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=150_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--base", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lake-rival-") as folder:
        home = Path(folder)
        spark_messages.write_registry(home / "registry")
        spark_messages.write_input(home / "in", asked.messages, bad_share=0.0)
        urns = range(spark_messages.URNS)
        (home / "schemas.json").write_text(json.dumps({spark_messages.urn(n): spark_messages.schema(n) for n in urns}))
        names = ["lake", "script", "duckdb", *(["base"] if asked.base else [])]
        spent: dict[str, list[float]] = {name: [] for name in names}
        for number in range(asked.rounds):
            for name in names if number % 2 else names[::-1]:
                spent[name].append(_seconds(name, home, f"{name}-{number}", asked.base))
    medians = {name: statistics.median(seconds) for name, seconds in spent.items()}
    missed = False
    for name, seconds in medians.items():
        ratio, bar = medians["lake"] / seconds, BARS.get(name)
        missed |= bar is not None and ratio > bar
        beside = f"lake is {ratio:.2f} of it" + (f", bar {bar}" if bar else "")
        print(f"{name:8} {1e6 * seconds / asked.messages:8.1f} us a message  {beside}")
    print(machine.beside(medians["lake"], processor=True).strip(), "for the lake")
    return int(missed)


def _seconds(name: str, home: Path, out: str, base: Path | None) -> float:
    """Return the processor time of one run, that of its children included."""
    ingest = ["-P", "-m", "babelreg", "lake", "ingest", "--input", "in", "--lake", out, "--registry", "registry"]
    arguments = {
        "lake": ingest,
        "base": [*ingest, "--publish", "delta"],
        "script": [str(ROOT / "benchmarks" / "rival_script.py"), "schemas.json", "in", out],
        "duckdb": ["-c", _READ, "in", f"{out}.parquet"],
    }[name]
    env = {**os.environ, "PYTHONPATH": str(base if name == "base" else ROOT), "BABELREG_CACHE_DIR": str(home / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *arguments], cwd=home, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
