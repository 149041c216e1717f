"""Every bar, one after the other: ``python benchmarks [--full]``.

Without ``--full`` the long ones (1,000,000 messages through Spark, hard schemas, fresh installations) are left out; so
are, always, those that take files of changed schemas: ``breaking_pairs.py``, ``certificates.py``, ``compat_score.py``; and
``typed_compile.py``, which takes a folder of npm.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BARS = [
    ["english.py"],
    ["lint.py"],
    ["breaking.py"],
    ["generate.py"],
    ["scan.py"],
    ["runtime.py"],
    ["per_message.py"],
    ["per_message.py", "--broker", "redis"],
    ["package_import.py"],
    ["wire.py"],
    ["ledger_workers.py"],
    ["redis_roundtrip.py", "--ingest"],
    ["spark_labels.py"],
]
LONG = [
    ["spark_start.py", "--ingest"],
    ["spark_local.py"],
    ["lake_rival.py"],
    ["lake_pass.py"],
    ["spark_stop.py"],
    ["spark_bars.py"],
    ["spark_columns.py"],
    ["spark_tables.py"],
    ["spark_stages.py"],
    ["spark_publish.py"],
    ["spark_kafka.py"],
    ["adversarial.py"],
    ["install.py"],
    ["hooks.py"],
]


def main() -> int:
    """Runs them all; returns 1 when one of them ended badly."""
    worst = 0
    for script, *args in [*BARS, *(LONG if "--full" in sys.argv else [])]:
        print(f"\n=== {script} {' '.join(args)}", flush=True)
        worst |= subprocess.run([sys.executable, str(HERE / script), *args], check=False).returncode != 0
    return int(worst)


if __name__ == "__main__":
    sys.exit(main())
