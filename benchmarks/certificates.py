"""Certificates of schema pairs: ``python benchmarks/certificates.py [--verdicts] FILE...``.

Each FILE has JSON lines with ``old``, ``new``, ``draft`` and ``truth: {backward, forward}``, of which the compatible
directions count here, read strictly and without formats. For each file: the share of these that is derived, and that
has a certificate which the checker accepts; the processor time of the checker over that of the derivations of the same
directions; and the size of a certificate in bytes of JSON, without the two schemas that it is about.

``--verdicts`` counts instead, strictly and in the default mode of the command, how many of our own compatible verdicts
are certified. Pairs that are equal but for annotations do not count.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import machine

from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.certificates.proof import prove
from babelreg.containment.schema_pair import certify
from babelreg.schema.simplify import without_annotations

MODES: dict[str, dict[str, Any]] = {
    "strict": {"reader": "strict", "formats": "ignored"},
    "default": {"reader": "tolerant", "formats": "asserted"},
}


@dataclass
class Figures:
    """What was counted and measured over one corpus. The seconds are those of certified directions alone."""

    compatible: int = 0
    derived: int = 0
    certified: int = 0
    refused: int = 0
    deriving: float = 0.0
    checking: float = 0.0
    sizes: list[int] = field(default_factory=list)


def directions(file: Path) -> Iterator[tuple[Any, Any, str]]:
    """Yield the inner schema, the outer one and the dialect of each compatible direction."""
    for line in file.open(encoding="utf-8"):
        case = json.loads(line)
        for direction, inner, outer in (("backward", "old", "new"), ("forward", "new", "old")):
            if case["truth"][direction] == "compatible":
                views = (without_annotations(case[side], formats=False) for side in (inner, outer))
                yield *views, case["draft"]


def measure(file: Path) -> Figures:
    """Derive, write, read and check the certificate of each compatible direction."""
    found = Figures()
    for inner, outer, draft in directions(file):
        found.compatible += 1
        start = time.process_time()
        proof = prove(inner, outer, draft, formats=False)
        content = proof.content() if proof is not None and proof.complete else None
        spent = time.process_time() - start
        found.derived += proof is not None and bool(proof.readings)
        if content is None:
            continue
        found.sizes.append(len(json.dumps(content).encode()))
        claim = json.loads(json.dumps({**content, "inner": inner, "outer": outer}))
        start = time.process_time()
        try:
            check(claim)
            found.certified += 1
        except CertificateRefused as error:
            found.refused += 1
            print(f"{file.stem}: refused: {error}")
        found.checking += time.process_time() - start
        found.deriving += spent
    return found


def certified_verdicts(file: Path, mode: str) -> Counter[str]:
    """Return how many directions have each kind of verdict, and how many of the compatible ones are certified."""
    counts: Counter[str] = Counter()
    for line in file.open(encoding="utf-8"):
        case = json.loads(line)
        if without_annotations(case["old"], formats=False) == without_annotations(case["new"], formats=False):
            continue
        comparison, _ = certify(case["old"], case["new"], dialect=case["draft"], **MODES[mode])
        for verdict in (comparison.backward, comparison.forward):
            counts[verdict.kind] += 1
            counts["certified"] += verdict.kind == "compatible" and bool(verdict.certified)
            counts["refused"] += "checker of certificates" in (verdict.reason or "")
    return counts


def print_verdicts(files: list[Path]) -> int:
    """Print a line for each mode and corpus; return 1 where the checker refuses a certificate of ours."""
    refused = 0
    for mode in MODES:
        total: Counter[str] = Counter()
        for file in files:
            found = certified_verdicts(file, mode)
            total += found
            print(f"{mode:8} {file.stem:18} {share(found)}", flush=True)
        print(f"{mode:8} {'all':18} {share(total)}", flush=True)
        refused += total["refused"]
    return int(refused > 0)


def share(counts: Counter[str]) -> str:
    """Return the certified share of the compatible verdicts, as text."""
    of = counts["compatible"]
    text = f"{counts['certified']} of {of} compatible verdicts certified, {counts['unknown']} unknown"
    return f"{text}, {counts['refused']} refused" + (f": {counts['certified'] / of:.1%}" if of else "")


def main(files: list[Path]) -> int:
    """Print a line for each corpus; return 1 where the checker refuses a certificate of ours."""
    print(machine.described())
    print(
        f"{'corpus':18} {'compat.':>7} {'derived':>8} {'certif.':>8} {'refused':>7} {'ratio':>6} {'median':>7} {'max':>8}"
    )
    refused = 0
    for file in files:
        found = measure(file)
        whole, sizes = max(found.compatible, 1), found.sizes or [0]
        ratio = found.checking / found.deriving if found.deriving else 0.0
        print(
            f"{file.stem:18} {found.compatible:7} {found.derived / whole:8.1%} {found.certified / whole:8.1%}"
            f" {found.refused:7} {ratio:6.2f} {statistics.median(sizes):7.0f} {max(sizes):8}"
        )
        derive, check_ = (machine.beside(seconds, processor=True) for seconds in (found.deriving, found.checking))
        print(f"{'':18} derived in {derive}, checked in {check_}", flush=True)
        refused += found.refused
    return int(refused > 0)


if __name__ == "__main__":
    names = [Path(name) for name in sys.argv[1:] if name != "--verdicts"]
    if not names:
        sys.exit("name files of schema pairs")
    sys.exit((print_verdicts if "--verdicts" in sys.argv else main)(names))
