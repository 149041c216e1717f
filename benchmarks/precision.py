"""What `babelreg breaking` says of schemas as they evolved: ``python benchmarks/precision.py CORPUS [SAMPLE]``.

CORPUS is a folder of ``*.jsonl`` with an object a line: ``id``, ``draft``, ``old``, ``new`` (two JSON Schemas). Each pair
becomes two registries with one message, a producer in Go and a consumer in Python, judged under the default settings.
Printed are, for each rule, the share of pairs it reports, then how much of each file is flagged. With SAMPLE, a number,
that many flagged pairs follow, drawn evenly over the rules, each as a person would see it and with the lines that
differ: what a wrong alarm is only a reader can say.
"""

from __future__ import annotations

import difflib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import machine

from babelreg import load
from babelreg.breaking.check.run import check
from babelreg.finding import Finding, Severity
from babelreg.load.files.tree import Memory
from babelreg.model import Registry
from babelreg.report import render

# Those with pairs that somebody published one after the other, and edits of such schemas.
EVOLVED = ("iglu", "wikimedia", "sentry_history", "synthetic")
DIFFERING = 60
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
AROUND = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "_services/billing-worker.yaml": "owner: team-billing\nlang: python\n",
}
HEAD = "urn: urn:babel:orders:created\nkind: event\nproducers: [orders-api]\nconsumers: [billing-worker]\ndata: "


class Case(NamedTuple):
    """A pair of the corpus and what was found: None where a registry takes no such schema, for the reason given."""

    corpus: str
    id: str
    old: Any
    new: Any
    found: list[Finding] | None
    reason: str = ""


def registry(schema: Any) -> Registry:
    """One message whose ``data`` is ``schema``."""
    files = {**AROUND, "orders/created.yaml": HEAD + json.dumps(schema, ensure_ascii=True) + "\n"}
    return load.from_tree(Memory({path: text.encode() for path, text in files.items()}))


def as_registered(schema: Any, draft: str) -> Any:
    """``schema`` as its owner would put it into a registry: in draft 7 where it is older, under no name of its own."""
    if not isinstance(schema, dict):
        return schema
    inner = {key: value for key, value in schema.items() if key not in ("$schema", "self", "id", "$id")}
    if draft in ("draft4", "draft6", "draft7"):
        inner = {"$schema": DRAFT_7, **inner}
    return raised(inner) if draft == "draft4" else inner


def raised(schema: Any) -> Any:
    """Draft 4 said ``minimum: 0, exclusiveMinimum: true``."""
    if isinstance(schema, list):
        return [raised(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: raised(value) for key, value in schema.items()}
    for end in ("minimum", "maximum"):
        exclusive = f"exclusive{end.capitalize()}"
        if isinstance(found.get(exclusive), bool) and found.pop(exclusive) and end in found:
            found[exclusive] = found.pop(end)
    return found


def cases(folder: Path) -> Iterator[Case]:
    """Every pair of the corpora of evolution, judged."""
    for name in EVOLVED:
        file = folder / f"{name}.jsonl"
        for line in file.read_text("utf-8").splitlines() if file.exists() else ():
            pair = json.loads(line)
            schemas = [as_registered(pair[side], pair["draft"]) for side in ("old", "new")]
            registries = [registry(schema) for schema in schemas]
            defect = next((defect for read in registries for defect in read.defects), None)
            found = None if defect else check(*registries)
            yield Case(name, pair["id"], *schemas, found, defect.message if defect else "")


def errors(case: Case) -> list[Finding]:
    """What makes the command fail."""
    return [finding for finding in case.found or () if finding.severity is Severity.ERROR]


def sampled(flagged: list[Case], wanted: int) -> list[Case]:
    """``wanted`` of them, one rule after the other, the rarest first, so that each is seen."""
    dice = random.Random(4)
    by_rule: dict[str, list[Case]] = {}
    for case in flagged:
        for rule in {finding.rule for finding in errors(case)}:
            by_rule.setdefault(rule, []).append(case)
    for waiting in by_rule.values():
        dice.shuffle(waiting)
    found: dict[tuple[str, str], Case] = {}
    while len(found) < wanted and any(by_rule.values()):
        for rule in sorted(by_rule, key=lambda rule: (len(by_rule[rule]), rule)):
            if by_rule[rule] and len(found) < wanted:
                case = by_rule[rule].pop()
                found[case.corpus, case.id] = case
    return list(found.values())


def shown(case: Case) -> str:
    """The report, and the lines of the schemas that differ."""
    texts = [json.dumps(schema, indent=1, ensure_ascii=False).splitlines() for schema in (case.old, case.new)]
    lines = [line[:120] for line in difflib.unified_diff(*texts, n=2, lineterm="")][2:]
    more = [f"({len(lines) - DIFFERING:,} lines more)"] if len(lines) > DIFFERING else []
    told = "\n".join([*lines[:DIFFERING], *more])
    return f"\n=== {case.corpus}: {case.id}\n{told}\n---\n{render(case.found or [])}"


def main() -> int:
    """Prints the tables, and the sample where one is asked for."""
    folder = Path(sys.argv[1])
    start = time.process_time()
    every = list(cases(folder))
    seconds = time.process_time() - start
    loops = machine.beside(seconds, processor=True).strip()
    judged = [case for case in every if case.found is not None]
    flagged = [case for case in judged if errors(case)]
    print(f"{len(judged)} of {len(every)} pairs judged, in {seconds:.1f} s of CPU, {loops}; {len(flagged)} flagged")
    for reason, number in Counter(case.reason for case in every if case.found is None).most_common():
        print(f"  not judged: {number} ({reason})")
    rules = Counter(rule for case in judged for rule in {finding.rule for finding in case.found or ()})
    for rule, number in rules.most_common():
        findings = sum(finding.rule == rule for case in judged for finding in case.found or ())
        print(f"{rule:24} {number:4} pairs {number / len(judged):6.1%} {findings:5} findings")
    for name in EVOLVED:
        here = [case for case in judged if case.corpus == name]
        print(f"{name:24} {sum(map(bool, map(errors, here))):4} of {len(here)} pairs flagged")
    for case in sampled(flagged, int(sys.argv[2])) if len(sys.argv) > 2 else ():
        print(shown(case))
    return 0


if __name__ == "__main__":
    sys.exit(main())
