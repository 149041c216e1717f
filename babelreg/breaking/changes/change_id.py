"""What a waiver of a breaking change is bound to: a short hash of the published version and the one at hand.

It changes with everything that a rule judges, so that the next change is judged anew, and with nothing else: no waiver
lapses because a description was mended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.finding import Finding
from babelreg.model import Message
from babelreg.schema.applicators import subschemas, without_annotations
from babelreg.schema.pointer import text

__all__ = ["bound", "of_versions"]

_DIGITS = 12
# Annotations for whoever validates, contract for us: each is what a rule judges, or what it is judged with.
_JUDGED = ("x-gdpr-sensitive", "x-unit", "x-spark-type")
_OF_THE_FILE = frozenset({"urn-removed", "kind-changed", "status-backward"})
_OF_THE_WORDS = frozenset({"description-changed"})


def bound(pair: Pair, findings: Iterable[Finding]) -> Iterator[Finding]:
    """``findings`` about ``pair``, each with its ``change``."""

    @cache
    def hashed(part: str) -> str:
        return of_versions(pair.old, pair.new, part)

    for finding in findings:
        change = hashed(_part(finding.rule))
        yield replace(finding, change=change, messages=tuple(use._replace(change=change) for use in finding.messages))


def of_versions(old: Message | None, new: Message | None, part: str = "data") -> str:
    """The hash of two versions of a message, None where there is none or it cannot be read.

    ``part`` is what is looked at: the ``data`` without its annotations, with kind and status the ``file``, or its
    ``words`` with every annotation.
    """
    from hashlib import sha256

    said = json.dumps([_judged(old, part), _judged(new, part)], sort_keys=True, separators=(",", ":"))
    return sha256(said.encode()).hexdigest()[:_DIGITS]


def _part(rule: str) -> str:
    return "file" if rule in _OF_THE_FILE else "words" if rule in _OF_THE_WORDS else "data"


def _judged(message: Message | None, part: str) -> Any:
    if message is None:
        return None
    if part == "words":
        return message.schema
    data = {"data": without_annotations(message.schema, formats=True), "marks": sorted(_marks(message.schema))}
    return {**data, "kind": message.kind, "status": message.status} if part == "file" else data


def _marks(schema: Any) -> Iterator[tuple[str, str]]:
    """Each annotation that a rule judges: where it stands, and what it says."""
    waiting: list[tuple[str, Any]] = [("", schema)]
    while waiting:
        at, here = waiting.pop()
        if not isinstance(here, dict):
            continue
        yield from ((f"{at}/{word}", json.dumps(here[word], sort_keys=True)) for word in _JUDGED if word in here)
        waiting.extend((at + text(steps), inner) for steps, inner in subschemas(here))
