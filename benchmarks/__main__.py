"""Every bar, one after the other: ``python benchmarks [--full | --quick]``.

Without ``--full`` the long ones (1,000,000 messages through Spark, hard schemas, fresh installations) are left out; so
are, always, those that take files of changed schemas: ``breaking_pairs.py``, ``certificates.py``, ``compat_score.py``; and
``typed_compile.py``, which takes a folder of npm. With ``--quick`` each script works on a few messages, so that it ends
in seconds and shows that it works; its bars mean nothing then. The tests run these forms.
"""

from __future__ import annotations

import os
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
    ["lake_floor.py"],
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
QUICK = [
    ["lint.py", "--quick"],
    ["breaking.py", "--quick"],
    ["generate.py", "python", "--messages", "20", "--used", "5", "--runs", "1"],
    ["scan.py", "20", "1"],
    ["runtime.py", "--messages", "50", "--rounds", "1"],
    ["wire.py", "--quick"],
    ["ledger_workers.py", "--messages", "4"],
    ["redis_roundtrip.py", "--messages", "200"],
    ["concurrency.py", "--messages", "40", "--rounds", "1"],
    ["impact.py", "200"],
    ["import_.py", "20", "1"],
    ["schema_gate.py", "10", "1"],
    ["lake_floor.py", "--quick"],
]
"""The forms that end in seconds, of scripts that need neither a Java nor a network nor an earlier commit."""


def main() -> int:
    """Runs them all; returns 1 when one of them ended badly."""
    worst = 0
    chosen = QUICK if "--quick" in sys.argv else [*BARS, *(LONG if "--full" in sys.argv else [])]
    for script, *args in chosen:
        print(f"\n=== {script} {' '.join(args)}", flush=True)
        environment = {**os.environ, **({"BENCHMARKS_QUICK": "1"} if chosen is QUICK else {})}
        command = [sys.executable, str(HERE / script), *args]
        worst |= subprocess.run(command, env=environment, check=False).returncode != 0
    return int(worst)


if __name__ == "__main__":
    sys.exit(main())
