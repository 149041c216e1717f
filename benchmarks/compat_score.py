"""Verdicts on schema pairs with known answers: ``python benchmarks/compat_score.py FOLDER [--unknown]``.

FOLDER has JSON lines, ``NAME.jsonl``, each with ``old``, ``new``, ``draft`` and ``truth: {backward, forward}``, which is
``breaking``, ``compatible`` or ``undecided``. Both modes are scored: strict without formats, against the truth; and the
default of the command, tolerant readers with formats asserted, where only what stays unknown counts (a schema that
cannot be used is left out). ``--unknown`` lists each direction that stays unknown, with the reason.

A truth of ``compatible`` is what a source claims and no document was found against. Where the witness of a breaking
verdict is such a document, by two validators, the truth is corrected and the direction is listed; else it is false.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import machine

from babelreg.containment import compare
from babelreg.schema.dialects import DIALECTS

REAL = {"iglu", "wikimedia", "sentry_history", "synthetic", "oasdiff"}
"""The corpora that are histories of real schemas, or edits of these."""
BARS = {"strict, all": 0.0016, "strict, real": 0.001, "default, real": 0.001}
UNUSABLE = ("points outside the document", "cannot be used")
MODES: dict[str, dict[str, Any]] = {
    "strict": {"reader": "strict", "formats": "ignored"},
    "default": {"reader": "tolerant", "formats": "asserted"},
}


def confirmed(witness: Any, case: dict[str, Any], direction: str) -> bool:
    """Return True if the one schema of ``case`` allows ``witness`` and the other refuses it, by both validators."""
    name = DIALECTS[case["draft"]].validator
    inner, outer = (case["old"], case["new"]) if direction == "backward" else (case["new"], case["old"])
    first = getattr(jsonschema_rs, name)
    second = getattr(jsonschema, name)
    return all(
        of(inner).is_valid(witness) and not of(outer).is_valid(witness)
        for of in (lambda schema: first(schema, validate_formats=False), second)
    )


def shown(witness: Any) -> str:
    """Return the witness as JSON, cut where it is long."""
    text = json.dumps(witness)
    return text if len(text) < 80 else f"{text[:40]}... ({len(text)} characters)"


def score(file: Path, mode: str, totals: Counter[str], *, listing: bool) -> None:
    """Add the verdicts on one corpus in one mode to ``totals`` and print them."""
    counts: Counter[str] = Counter()
    start = time.process_time()
    for number, line in enumerate(file.open(encoding="utf-8")):
        case = json.loads(line)
        verdicts = compare(case["old"], case["new"], dialect=case["draft"], **MODES[mode])
        for direction in ("backward", "forward"):
            verdict, truth = getattr(verdicts, direction), case["truth"][direction]
            if mode == "strict" and truth == "undecided":
                continue
            unknown = verdict.kind == "unknown"
            if mode == "default" and unknown and any(words in (verdict.reason or "") for words in UNUSABLE):
                continue
            counts["scored"] += 1
            counts["unknown"] += unknown
            if mode == "strict" and not unknown and verdict.kind != truth:
                refuted = verdict.kind == "breaking" and confirmed(verdict.witness, case, direction)
                counts["corrected" if refuted else f"false {verdict.kind}"] += 1
                if refuted:
                    print(f"    {file.stem} line {number + 1} {direction} is breaking: {shown(verdict.witness)}")
            if unknown and listing:
                print(f"    {file.stem} line {number + 1} {direction}, truth {truth}: {verdict.reason}")
    seconds = time.process_time() - start
    milliseconds = 1000 * seconds / max(counts["scored"], 1)
    false = counts["false compatible"], counts["false breaking"]
    print(
        f"{mode:8} {file.stem:18} {counts['scored']:6} {counts['unknown']:5} {false[0]:5} {false[1]:5}"
        f" {counts['corrected']:5} {milliseconds:7.2f}"
        f" {machine.beside(seconds, processor=True)}"
    )
    groups = ["all", *(["real"] if file.stem in REAL else [])]
    for group in groups:
        for name, value in counts.items():
            totals[f"{mode}, {group}: {name}"] += value


def main(folder: Path, *, listing: bool) -> int:
    """Print the scores; return 1 where a bar is missed."""
    files = [file for file in sorted(folder.glob("*.jsonl")) if file.stem != "change_kinds"]
    print(machine.described())
    print(f"{'mode':8} {'corpus':18} {'scored':>6} {'unkn.':>5} {'f.co.':>5} {'f.br.':>5} {'corr.':>5} {'ms here':>7}")
    totals: Counter[str] = Counter()
    for mode in MODES:
        for file in files:
            score(file, mode, totals, listing=listing)
    missed = totals["strict, all: false compatible"] + totals["strict, all: false breaking"] > 0
    for group, bar in BARS.items():
        share = totals[f"{group}: unknown"] / max(totals[f"{group}: scored"], 1)
        print(
            f"{group}: {totals[f'{group}: unknown']} of {totals[f'{group}: scored']} unknown = {share:.2%}, bar {bar:.2%}"
        )
        missed |= share > bar
    return int(missed)


if __name__ == "__main__":
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if len(paths) != 1:
        sys.exit("name the folder of the corpora")
    sys.exit(main(Path(paths[0]), listing="--unknown" in sys.argv))
