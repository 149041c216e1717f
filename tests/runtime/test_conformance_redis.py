"""The sections of the conformance suite about Redis, on a real one: Laravel's layout, where our script reserves, and lists.

Each row has a state, steps with the clock they happen at, and what Redis holds afterwards.
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babelqueue.codec import parse_envelope
from babelqueue.transport import ReceivedMessage
from server import Server

from babelreg.contract.envelope_edit import with_members
from babelreg.runtime.transports.redis_batches import Reservation
from babelreg.runtime.transports.redis_laravel import LaravelRedis
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import redis_transport

pytestmark = pytest.mark.redis

_spec = importlib.util.spec_from_file_location(
    "fetch_conformance", Path(__file__).parents[1] / "contract" / "fetch_conformance.py"
)
assert _spec is not None
assert _spec.loader is not None
fetch = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fetch)


@cache
def suite() -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((fetch.folder() / "manifest.json").read_text("utf-8"))
    except fetch.Unreachable as err:
        pytest.skip(str(err))
    return found


class Row:
    """One row, at work on a Redis of its own keys."""

    def __init__(self, row: Mapping[str, Any], url: str) -> None:
        self.now = 0.0
        self.queue: str = row["queue"]
        laravel = row["layout"] == "zset"
        transport = redis_transport(
            url,
            laravel_compat=laravel,
            retry_after=row.get("retry_after", 90),
            migration_batch_size=row.get("migration_batch_size", -1),
            clock=lambda: self.now,
        )
        assert isinstance(transport, LaravelRedis if laravel else PlainRedis)
        self.transport = transport
        self.redis = transport._redis
        self.redis.flushall()
        self.ready = f"queues:{self.queue}" if laravel else self.queue
        self.sets = {name: f"{self.ready}:{name}" for name in ("delayed", "reserved")}
        self.sets["deadlines"] = f"{self.queue}:processing:deadlines"
        self.lists = {"ready": self.ready, "processing": f"{self.queue}:processing"}
        self.taken: dict[str, ReceivedMessage] = {}

    def load(self, state: Mapping[str, Any]) -> None:
        for name, key in self.lists.items():
            for member in [*state.get(name, []), *generated(state.get(f"{name}_generate"))]:
                self.redis.rpush(key, member)
        for name, key in self.sets.items():
            many = state.get(f"{name}_generate")
            entries = [*state.get(name, []), *({"member": one, "score": many["score"]} for one in generated(many))]
            for entry in entries:
                self.redis.zadd(key, {member_of(entry): score_of(entry)})
        for _ in range(state.get("notify", 0)):
            self.redis.rpush(f"{self.ready}:notify", 1)

    def step(self, step: Mapping[str, Any]) -> None:
        self.now = step["now"]
        received = getattr(self, step["op"])(step)
        self.check(step.get("expect", {}), received)

    def push_delayed(self, step: Mapping[str, Any]) -> None:
        self.transport.publish_delayed(self.queue, step["body"], step["delay"])

    def migrate(self, step: Mapping[str, Any]) -> None:
        self.transport.return_due(self.queue)

    def sweep(self, step: Mapping[str, Any]) -> None:
        self.transport.return_due(self.queue)

    def reserve(self, step: Mapping[str, Any]) -> ReceivedMessage | None:
        received = self.transport.pop(self.queue, 0)
        if received is not None and "as" in step:
            self.taken[step["as"]] = received
        return received

    def ack(self, step: Mapping[str, Any]) -> None:
        self.transport.ack(self.reservation(step))

    def release(self, step: Mapping[str, Any]) -> None:
        message = self.reservation(step)
        attempts = parse_envelope(message.body).get("attempts")
        counted = isinstance(attempts, int)
        body = with_members(message.body, {"attempts": attempts + 1}) if counted else message.body
        self.transport.redeliver(message, body, step["delay"])

    def dead_letter(self, step: Mapping[str, Any]) -> None:
        received = self.reservation(step)
        self.transport.dead_letter(received, f"{self.queue}.dlq", received.body)

    def reservation(self, step: Mapping[str, Any]) -> ReceivedMessage:
        named = step["reservation"]
        if isinstance(named, str):
            return self.taken[named]
        return ReceivedMessage(named["raw"], self.queue, Reservation(named["raw"], named["token"], 0))

    def check(self, expected: Mapping[str, Any], received: ReceivedMessage | None) -> None:
        if "outcome" in expected:
            delivered = "empty" if received is None else "poison" if received.route_urn else "delivered"
            assert delivered == expected["outcome"]
        if "handler_body" in expected:
            assert received is not None
            assert received.body == expected["handler_body"]
        if "reported_attempts" in expected:
            assert received is not None
            assert json.loads(received.handle)["attempts"] == expected["reported_attempts"]
        for name, key in self.lists.items():
            if name in expected:
                assert self.redis.lrange(key, 0, -1) == [*expected[name]]
            if f"{name}_generate" in expected:
                assert self.redis.lrange(key, 0, -1) == list(generated(expected[f"{name}_generate"]))
        for name, key in self.sets.items():
            if name in expected:
                same_members(self.redis.zrange(key, 0, -1, withscores=True), expected[name])
        if expected.get("tokens_distinct"):
            members = self.redis.zrange(self.sets["deadlines"], 0, -1)
            assert len({member[:32] for member in members}) == len(members)
        counted = {"ready_count": self.ready, "dlq_count": f"{self.queue}.dlq", "notify": f"{self.ready}:notify"}
        for name, key in counted.items():
            if name in expected:
                assert self.redis.llen(key) == expected[name]


def generated(many: Mapping[str, Any] | None) -> Iterator[str]:
    for number in range(many["count"] if many else 0):
        assert many is not None
        yield many["member"] % number


def score_of(entry: Mapping[str, Any]) -> float:
    return math.inf if entry["score"] == "+inf" else float(entry["score"])


def member_of(entry: Mapping[str, Any]) -> str:
    return str(entry["member"]) if "member" in entry else f"{entry['token']}:{entry['raw']}"


def same_members(found: list[tuple[str, float]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected)
    for entry in expected:
        left = [member for member, score in found if score == score_of(entry)]
        assert any(is_member(member, entry) for member in left), (entry, found)


def is_member(member: str, entry: Mapping[str, Any]) -> bool:
    for spelled in ("member_json", "body_json"):
        if spelled in entry:
            return bool(json.loads(member) == entry[spelled])
    if entry.get("token") == "<any>":
        return bool(member[33:] == entry["raw"] and set(member[:32]) <= set("0123456789abcdef") and member[32] == ":")
    return member == member_of(entry)


BLOCKS = (
    "delayed_score", "migrate", "reserve", "pcall_poison", "release", "processing_sweep", "processing_token",
    "late_ack", "identical_copies", "retry_after_null", "lrem_count", "malformed_member", "orphan",
    "legacy_release_gate", "legacy_dlq_gate",
)  # fmt: skip


def test_every_block_is_run() -> None:
    assert set(BLOCKS) == set(suite()["redis_layout"]) - {"description", "cases"}


@pytest.mark.parametrize("block", BLOCKS)
def test_what_redis_holds(block: str, redis: Server) -> None:
    for described in suite()["redis_layout"][block]["cases"]:
        row = Row(described, redis.url)
        row.load(described["state"])
        try:
            for step in described["steps"]:
                row.step(step)
        except AssertionError as err:
            raise AssertionError(described["name"]) from err
        finally:
            row.transport.close()


def test_the_names_of_keys(redis: Server) -> None:
    for described in suite()["redis_layout"]["cases"]:
        ours = redis_transport(redis.url, laravel_compat=True, key_prefix=described["key_prefix"])
        assert isinstance(ours, LaravelRedis)
        ours._redis.flushall()
        ours.publish(described["queue"], '{"job":"urn:a:b","attempts":0}')
        assert set(ours._redis.keys("*")) == {described["expect"]["ready"], described["expect"]["notify"]}
        received = ours.pop(described["queue"], 0)
        assert received is not None
        assert ours._redis.keys("*") == [described["expect"]["reserved"]]
        ours.redeliver(received, received.body, 0)
        assert ours._redis.keys("*") == [described["expect"]["delayed"]]
        ours.close()


def test_when_a_delayed_message_is_due(redis: Server) -> None:
    for described in suite()["redis_delay"]["cases"]:
        row = Row({"layout": "zset", "queue": "q"}, redis.url)
        row.step({"op": "push_delayed", "now": described["now"], "delay": described["delay"], "body": "x"})
        assert row.redis.zscore("queues:q:delayed", "x") == described["expect_score"], described["name"]
        row.transport.close()
