"""The bar of exactness: 0 false accepts and 0 false rejects on 100,000 distinct documents with labels by construction.

    python benchmarks/spark_labels.py [--documents 100000] [--seed 1]

Prints them for the Arrow pass, and beside it the classes of values that Python's ``jsonschema[format-nongpl]`` judges
otherwise, each with the text of the standard that decides.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.lake.tasks.validation_spec import ValidationSpec

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lake" / "shared"))
import label_disagreements
import labels
import machine


def main() -> int:
    """1 when a document is misjudged, or an undecided disagreement turns up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    documents = list(labels.documents(asked.documents, asked.seed))
    bodies = [one.body for one in documents]
    validator = ValidationSpec.of(labels.SCHEMAS, labels.URNS_STRICT).row_validator()
    start = time.process_time()
    accepted = [not isinstance(validator.validate(body), RefusedRow) for body in bodies]
    taken = time.process_time() - start
    wrong = [(one, said) for one, said in zip(documents, accepted, strict=True) if said != one.valid]
    print(
        f"{len(set(bodies)):,} documents, {len(list(labels.classes()))} classes, {sum(d.valid for d in documents):,} valid"
    )
    print(f"false accepts {sum(said for _, said in wrong)} (bar 0)")
    print(f"false rejects {sum(not said for _, said in wrong)} (bar 0)")
    print(
        f"one at a time {taken / len(bodies) * 1e6:.0f} us a document, {machine.beside(taken, processor=True).strip()}"
    )
    for one, _ in wrong[:20]:
        print(f"  {one.rule}: {one.how}: {one.data[one.rule]!r:.100}")
    print("\njsonschema judges otherwise:")
    found = list(label_disagreements.disagreeing(50))
    for rule, how in found:
        print(f"  {rule}: {how}\n    {label_disagreements.DECIDED.get((rule, how), 'NOT DECIDED')}")
    return int(bool(wrong) or not label_disagreements.DECIDED.keys() >= set(found))


if __name__ == "__main__":
    sys.exit(main())
