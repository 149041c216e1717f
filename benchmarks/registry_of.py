"""Writes a plausible registry of N messages: ``python benchmarks/registry_of.py DIR [N] [SEED]``.

Every message has a schema of about fifteen fields, two of them from shared fragments, with an example, a
counterexample, a producer and consumers that say what they read. It lints clean. The same N and SEED give the same bytes.
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
  currency: {type: string, pattern: "^[A-Z]{3}$", description: ISO 4217.}
"""
ADDRESS = """\
type: object
required: [street, city]
properties:
  street: {type: string, maxLength: 200, x-gdpr-sensitive: address}
  city: {type: string, maxLength: 100, x-gdpr-sensitive: address}
  country: {$ref: country.yaml}
"""
COUNTRY = """\
type: string
pattern: "^[A-Z]{2}$"
description: ISO 3166-1 alpha-2.
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
    address: {{$ref: ../_common/address.yaml, description: Where the {noun} goes.}}
    email: {{type: string, format: email, x-gdpr-sensitive: email}}
    state: {{type: string, enum: [open, closed, pending], description: "What has become of the {noun}."}}
    is_gift: {{type: boolean}}
    tags: {{type: array, items: {{type: string, maxLength: {length}}}}}
    lines:
      type: array
      items:
        type: object
        required: [sku, qty]
        properties:
          sku: {{type: string, minLength: 1}}
          qty: {{type: integer, minimum: 1, maximum: 1000, description: How many.}}
          note: {{type: [string, "null"], maxLength: 500}}
examples:
  - {noun}_id: {number}
    occurred_at: "2026-11-20T09:31:12Z"
    total: {{minor: 9990, currency: EUR}}
    address: {{street: 12 Example Road, city: Springfield, country: IE}}
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
    shared = {"money": MONEY, "address": ADDRESS, "country": COUNTRY}
    found = {"babelreg.yaml": "version: 1\n", **{f"_common/{name}.yaml": text for name, text in shared.items()}}
    for context in CONTEXTS:
        found[f"{context}/_context.yaml"] = f"owner: team-{context}\ndescription: All about {context}.\n"
    consumes: dict[str, list[tuple[str, str]]] = {f"{context}-worker": [] for context in CONTEXTS}
    for number, (context, kind, name) in enumerate(_names(messages, dice), 1):
        urn = f"urn:babel:{context}:{name}"
        shown = {"urn": urn, "kind": kind, "number": number, "context": context, "producer": f"{context}-api"}
        noun = name.split(".")[0].split("-")[0]
        found[f"{context}/{name}.yaml"] = MESSAGE.format(**shown, noun=noun, length=dice.randint(10, 99))
        most = 1 if kind == "command" else 3  # who sends a command means one service
        for worker in dice.sample(sorted(consumes), dice.randint(1, most)):
            consumes[worker].append((urn, noun))
    for at, context in enumerate(CONTEXTS):
        about = f"owner: team-{context}\nlang: {LANGS[at % len(LANGS)]}\n"
        found[f"_services/{context}-api.yaml"] = about
        reads = "reads: [{}_id, total.minor, 'lines[].qty']"
        listed = "".join(f"  - {{urn: {urn}, {reads.format(noun)}}}\n" for urn, noun in consumes[f"{context}-worker"])
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
