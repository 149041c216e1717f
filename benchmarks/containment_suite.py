"""babelreg, covers() and jsonsubschema on one set: ``python benchmarks/containment_suite.py FILE [--peer PYTHON]``.

FILE has JSON lines with ``old``, ``new``, ``draft`` and ``truth``, such as the containment suite of ER 2021 (Fruth and
others, "Challenges in Checking JSON Schema Containment over Evolving Real-World Schemas"). PYTHON is an interpreter
that has ``jsonsubschema`` from PyPI, which needs versions of other packages that babelreg does not take:
``python -m venv V && V/bin/pip install jsonsubschema``. For each tool: the directions that it decides, those it decides
wrongly, and its processor time for one, in milliseconds. A tool has ten seconds of a clock for a direction.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import machine

TOOLS = {
    "babelreg": """
from babelreg.containment import compare
def decide(inner, outer, draft):
    kind = compare(inner, outer, reader="strict", dialect=draft).backward.kind
    return {"compatible": True, "breaking": False}.get(kind)
""",
    "covers": """
import jsonschema_rs
NUMBERS = {"draft4": 4, "draft6": 6, "draft7": 7, "draft2019-09": 19, "draft2020-12": 20}
def decide(inner, outer, draft):
    canonical = [jsonschema_rs.canonicalize(s, draft=NUMBERS[draft], offline=True) for s in (inner, outer)]
    return {"yes": True, "no": False}.get(str(canonical[1].covers(canonical[0])))
""",
    "jsonsubschema": """
from jsonsubschema import isSubschema
def decide(inner, outer, draft):
    return bool(isSubschema(inner, outer))
""",
}
RUN = """
import json, resource, signal, sys, time, warnings
warnings.simplefilter("ignore")
def late(number, frame):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
for line in open(sys.argv[1], encoding="utf-8"):
    inner, outer, draft = json.loads(line)
    start = time.process_time()
    signal.alarm(10)
    try:
        answer = decide(inner, outer, draft)
    except BaseException:
        answer = None
    signal.alarm(0)
    print(json.dumps([answer, 1000 * (time.process_time() - start)]), flush=True)
"""


def directions(file: Path) -> list[tuple[list[object], bool]]:
    """Inner schema, outer schema and dialect of each direction, and whether the outer one contains the inner."""
    cases = [json.loads(line) for line in file.open(encoding="utf-8")]
    both = [
        ([case[inner], case[outer], case["draft"]], case["truth"][direction])
        for case in cases
        for direction, inner, outer in (("backward", "old", "new"), ("forward", "new", "old"))
    ]
    return [(question, truth == "compatible") for question, truth in both if truth in ("compatible", "breaking")]


def answers(python: str, tool: str, questions: list[list[object]]) -> list[tuple[bool | None, float]]:
    """What one tool answers, with milliseconds. Where its process dies, it starts again after that question."""
    found: list[tuple[bool | None, float]] = []
    while len(found) < len(questions):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.writelines(json.dumps(question) + "\n" for question in questions[len(found) :])
            file.flush()
            done = subprocess.run(
                [python, "-c", TOOLS[tool] + RUN, file.name], capture_output=True, text=True, check=False
            )
        lines = done.stdout.splitlines()
        found += [tuple(json.loads(line)) for line in lines if line.startswith("[")]
        if len(found) < len(questions):
            if not lines and "ModuleNotFoundError" in done.stderr:
                raise SystemExit(done.stderr.strip().splitlines()[-1])
            found.append((None, 0.0))
    return found


def main(file: Path, peer: str | None) -> int:
    """Print a line for each tool; return 1 where babelreg is wrong."""
    known = directions(file)
    print(machine.described())
    print(f"{len(known)} directions of {file.name}")
    print(f"{'tool':14} {'decided':>8} {'wrong':>6} {'p50 ms':>8} {'p95 ms':>8}")
    wrong_here = 0
    for tool in TOOLS:
        python = peer if tool == "jsonsubschema" else sys.executable
        if python is None:
            print(f"{tool:14} left out: no --peer")
            continue
        given = answers(python, tool, [question for question, _ in known])
        decided = [(answer, truth) for (answer, _), (_, truth) in zip(given, known, strict=True) if answer is not None]
        wrong = sum(answer != truth for answer, truth in decided)
        wrong_here += wrong if tool == "babelreg" else 0
        spent = sorted(milliseconds for _, milliseconds in given)
        p95 = statistics.quantiles(spent, n=20)[-1]
        print(f"{tool:14} {len(decided):8} {wrong:6} {statistics.median(spent):8.2f} {p95:8.2f}", flush=True)
    return int(wrong_here > 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("name a file of pairs")
    sys.exit(main(Path(sys.argv[1]), sys.argv[sys.argv.index("--peer") + 1] if "--peer" in sys.argv else None))
