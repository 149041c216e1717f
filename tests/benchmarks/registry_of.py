"""Writes a plausible registry of N messages: ``python tests/benchmarks/registry_of.py DIR [N] [SEED]``.

Every message has a schema of about ten fields, one of them from a shared fragment, with an example, a counterexample, a
producer and consumers. It lints clean. The same N and SEED give the same bytes.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

CONTEXTS = ("orders", "billing", "media", "notifications", "customers", "warehouse", "search", "support")
NOUNS = ("invoice", "payment", "parcel", "basket", "review", "ticket", "picture", "address", "account", "voucher")
PARTS = ("line", "batch", "draft", "copy", "group", "entry", "item", "label", "note", "record", "step", "total")
PAST = ("created", "deleted", "shipped", "paid", "sent", "approved", "rejected", "archived", "assigned", "opened")
BASE = ("create", "delete", "generate", "send", "approve", "reject", "archive", "assign")
LANGS = ("php", "go", "python", "java", "dotnet", "node")

MONEY = """\
type: object
required: [minor, currency]
properties:
  minor: {type: integer, minimum: 0, maximum: 9007199254740991, description: Minor units.}
  currency: {type: string, pattern: "^[A-Z]{3}$"}
"""
MESSAGE = """\
urn: {urn}
kind: {kind}
status: active
description: Message number {number} of a made-up registry.
queue: {context}
producers: [{producer}]
data:
  type: object
  required: [{noun}_id, occurred_at, total]
  properties:
    {noun}_id: {{type: integer, minimum: 1, maximum: 9007199254740991, description: Number of the {noun}.}}
    occurred_at: {{type: string, format: date-time, description: "When, UTC."}}
    total: {{$ref: ../_common/money.yaml}}
    email: {{type: string, format: email, x-gdpr-sensitive: email}}
    state: {{enum: [open, closed, pending]}}
    is_gift: {{type: boolean}}
    tags: {{type: array, items: {{type: string, maxLength: {length}}}}}
    lines:
      type: array
      items:
        type: object
        required: [sku, qty]
        properties:
          sku: {{type: string, minLength: 1}}
          qty: {{type: integer, minimum: 1, maximum: 1000}}
examples:
  - {noun}_id: {number}
    occurred_at: "2026-11-20T09:31:12Z"
    total: {{minor: 9990, currency: EUR}}
    email: ada@example.com
    state: open
    is_gift: false
    tags: [a, b]
    lines: [{{sku: A-1, qty: 2}}]
counterexamples:
  - because: no total
    data: {{{noun}_id: 1, occurred_at: "2026-11-20T09:31:12Z"}}
"""


def files(messages: int, seed: int = 1) -> dict[str, str]:
    """``{path: text}`` of a registry with that many messages."""
    dice = random.Random(seed)
    found = {"babelreg.yaml": "version: 1\n", "_common/money.yaml": MONEY}
    for context in CONTEXTS:
        found[f"{context}/_context.yaml"] = f"owner: team-{context}\ndescription: All about {context}.\n"
    consumes: dict[str, list[str]] = {f"{context}-worker": [] for context in CONTEXTS}
    for number, (context, kind, name) in enumerate(_names(messages, dice), 1):
        urn = f"urn:babel:{context}:{name}"
        shown = {"urn": urn, "kind": kind, "number": number, "context": context, "producer": f"{context}-api"}
        noun = name.split(".")[0].split("-")[0]
        found[f"{context}/{name}.yaml"] = MESSAGE.format(**shown, noun=noun, length=dice.randint(10, 99))
        for worker in dice.sample(sorted(consumes), dice.randint(1, 3)):
            consumes[worker].append(urn)
    for at, context in enumerate(CONTEXTS):
        about = f"owner: team-{context}\nlang: {LANGS[at % len(LANGS)]}\n"
        found[f"_services/{context}-api.yaml"] = about
        listed = "".join(f"  - urn: {urn}\n" for urn in consumes[f"{context}-worker"])
        found[f"_services/{context}-worker.yaml"] = about + (f"consumes:\n{listed}" if listed else "")
    return found


def _names(messages: int, dice: random.Random) -> list[tuple[str, str, str]]:
    verbs = [("event", verb) for verb in PAST] + [("command", verb) for verb in BASE]
    subjects = [*NOUNS, *(f"{noun}-{part}" for noun in NOUNS for part in PARTS)]
    every = [
        (context, kind, f"{subject}.{verb}") for context in CONTEXTS for subject in subjects for kind, verb in verbs
    ]
    if messages > len(every):
        raise SystemExit(f"at most {len(every)} messages")
    return dice.sample(every, messages)


def write(folder: Path, messages: int, seed: int = 1) -> None:
    """Write the registry into ``folder``."""
    for path, text in files(messages, seed).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:]))
