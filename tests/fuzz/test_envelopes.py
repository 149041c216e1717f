"""Damaged messages: the contract gives each a verdict, the stream is cut at every message, nothing else happens."""

from __future__ import annotations

import contextlib
import json
import random
from functools import cache
from typing import Any

import pytest
from fuzzing import case, mutate, values

from babelreg import load
from babelreg.contract import Contract, Envelope
from babelreg.wire import formats
from babelreg.wire.format import WireError, frames

WIRE = formats.find("babelqueue")
SOUND = case.messages().splitlines()


@cache
def contract() -> Contract:
    return Contract(load.registry(case.REGISTRY).schemas)


def damaged(chance: random.Random) -> bytes:
    body = chance.choice(SOUND)
    if chance.random() < 0.4:
        return mutate.mutated_bytes(chance, body, {"other": b"\n".join(SOUND)})
    message: Any = json.loads(body)
    for _ in range(chance.choice([1, 1, 2])):
        message = mutate.changed_value(chance, message)
    if chance.random() < 0.2 and isinstance(message, dict):
        message[chance.choice(["job", "meta", "data", "attempts", "trace_id", "dead_letter"])] = values.any_value(
            chance
        )
    return json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def wrong(seed: int) -> list[str]:
    chance = random.Random(seed)
    body = damaged(chance)
    found = []
    verdict = contract().verdict(body)
    if contract().verdict(body) != verdict:
        found.append(f"case {seed}: a second verdict differs")
    if verdict.reason is not None and (
        not verdict.kind or not (verdict.detail or "").isprintable() or len(verdict.detail or "") > 1000
    ):
        found.append(f"case {seed}: {verdict.reason} says {verdict.detail!r}")
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        if verdict.ok:
            found.append(f"case {seed}: no JSON, and good")
    decoded = verdict.envelope
    if verdict.ok and isinstance(decoded, Envelope):
        with contextlib.suppress(WireError):  # a producer may not send all that a reader takes
            # of two names for the URN one is left
            if json.loads(WIRE.encode(decoded)) != {**json.loads(body), "job": decoded.urn} and b'"urn"' not in body:
                found.append(f"case {seed}: encoding again changes the message")
    return found + _split(seed, body, chance)


def _split(seed: int, body: bytes, chance: random.Random) -> list[str]:
    """Good messages around a damaged one are found whatever it holds, when they start their own line."""
    first, last = chance.choice(SOUND), chance.choice(SOUND)
    found = list(frames(WIRE.decoder(), [b"\n".join([first, body, last])]))
    bodies = [frame.raw.strip() for frame in found]
    missing = [good for good in (first, last) if good not in bodies]
    kept = b"".join(frame.raw for frame in found)
    lost = len(b"".join(kept.split())) != len(b"".join((first + body + last).split()))
    return [f"case {seed}: a good message is lost"] * bool(missing) + [f"case {seed}: bytes are lost"] * lost


def test_every_damaged_message_gets_a_verdict() -> None:
    assert [complaint for seed in range(1500) for complaint in wrong(seed)] == []


def test_the_damage_is_worth_testing() -> None:
    found = {contract().verdict(damaged(random.Random(seed))).kind for seed in range(1500)}
    assert found >= {None, "poison", "envelope", "unknown_urn", "data"}


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 60_000, 10_000))
def test_fifty_thousand_damaged_messages(start: int) -> None:
    assert [complaint for seed in range(start, start + 10_000) for complaint in wrong(seed)] == []
