"""The commands that read recorded traffic need no library of the lake, unless a source is a lake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from recorded_changes import body

EXAMPLE = Path(__file__).parents[3] / "registry.example"
PROGRAM = """
import sys
sys.modules.update(dict.fromkeys(["pyarrow", "numpy", "pyspark", "pandas"]))
from babelreg.cli import main
for words in sys.argv[1:]:
    try:
        main(words.split(","))
    except SystemExit as ended:
        print(words.partition(",")[0], ended.code, file=sys.stderr)
"""


def test_recordings_are_read_without_arrow_and_numpy(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(body({"order_id": 1}, urn="urn:babel:orders:created.v2") + b"\n")
    commands = [f"infer,a.jsonl,--registry,{EXAMPLE}", f"impact,a.jsonl,--registry,{EXAMPLE},--against,{EXAMPLE}", f"drift,a.jsonl,--registry,{EXAMPLE}"]  # fmt: skip
    command = [sys.executable, "-c", PROGRAM, *commands]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    ends = [line for line in done.stderr.splitlines() if line.split(" ")[0] in ("infer", "impact", "drift")]
    assert ends == ["infer 0", "impact 0", "drift 0"], done.stderr
