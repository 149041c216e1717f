"""``babelreg redrive`` on real brokers: valid dead letters go home byte for byte, the others stay."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from broker_queues import URN, BrokerQueues, KafkaTopics, RabbitQueues, RedisLists, dead_letter, envelope, opened

Run = Callable[..., tuple[int, str, str]]

BROKERS = [
    pytest.param("redis", marks=pytest.mark.redis, id="Redis"),
    pytest.param("rabbitmq", marks=pytest.mark.rabbitmq, id="RabbitMQ"),
    pytest.param("kafka", marks=pytest.mark.servers, id="Kafka"),
]
NOWHERE = ["redis://:geheim@127.0.0.1:1/0", "amqp://guest:geheim@127.0.0.1:1/", "kafka://guest:geheim@127.0.0.1:1"]
WRONG = dead_letter(7, {"id": "seven"})
POISON = b'{"raw":"not json","dead_letter":{"reason":"poison","error":"invalid_json: no","original_queue":"orders"}}'
CANCELLED = "urn:babel:orders:cancelled"
LETTERS = [dead_letter(1), WRONG, dead_letter(2), POISON, dead_letter(3, reason="unknown_urn", error="unknown_urn: no")]


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> BrokerQueues:
    found = opened(request.param, request.getfixturevalue(request.param), "orders", "orders.dlq")
    monkeypatch.setenv("BABELREG_BROKER", found.url)
    return found


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of two messages, in queue orders, with an integer id."""
    folder = tmp_path / "registry"
    (folder / "orders").mkdir(parents=True)
    (folder / "babelreg.yaml").write_text("version: 1\n")
    (folder / "orders" / "_context.yaml").write_text("owner: team-orders\n")
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    message = {"urn": URN, "kind": "event", "queue": "orders", "data": schema}
    (folder / "orders" / "created.yaml").write_text(json.dumps(message))
    (folder / "orders" / "cancelled.yaml").write_text(json.dumps(message | {"urn": CANCELLED}))
    monkeypatch.setenv("BABELREG_REGISTRY", str(folder))
    return folder


def test_valid_dead_letters_go_home_and_the_others_stay(broker: BrokerQueues, run: Run) -> None:
    broker.publish("orders.dlq", LETTERS)
    code, out, err = run("redrive", "--from", "orders.dlq")
    assert (code, out) == (
        0,
        "orders.dlq: sent 3 dead letters\n"
        f"         3  to orders: {URN}\n"
        "2 dead letters stay\n"
        f"         1  not_an_integer: {URN}\n"
        "         1  poison\n",
    )
    assert "Next: babelreg explain not_an_integer" in err
    assert Counter(broker.bodies("orders")) == Counter(map(envelope, (1, 2, 3)))
    if broker.removes:
        assert broker.bodies("orders.dlq") == [WRONG, POISON]
    code, out, _ = run("redrive", "--from", "orders.dlq")
    assert out.splitlines()[0] == "orders.dlq: sent no dead letter"
    assert len(broker.bodies("orders")) == 3


def test_a_dead_letter_that_is_there_twice_is_sent_once(broker: BrokerQueues, run: Run) -> None:
    letters = [dead_letter(1), WRONG, dead_letter(1, failed_at=2), dead_letter(2), dead_letter(1, failed_at=3), WRONG]
    broker.publish("orders.dlq", letters)
    assert run("redrive", "--from", "orders.dlq")[1].splitlines()[:3] == [
        "orders.dlq: sent 2 dead letters",
        f"         2  to orders: {URN}",
        "         2  removed: repeats of those",
    ]
    assert Counter(broker.bodies("orders")) == Counter(map(envelope, (1, 2)))
    if broker.removes:
        assert broker.bodies("orders.dlq") == [WRONG, WRONG]
    assert run("redrive", "--from", "orders.dlq")[1].splitlines()[0] == "orders.dlq: sent no dead letter"
    assert len(broker.bodies("orders")) == 2


def test_what_stays_goes_home_once_the_registry_accepts_it(broker: BrokerQueues, run: Run, registry: Path) -> None:
    broker.publish("orders.dlq", LETTERS)
    run("redrive", "--from", "orders.dlq")
    path = registry / "orders" / "created.yaml"
    path.write_text(path.read_text().replace('"integer"', '["integer", "string"]'))
    assert run("redrive", "--from", "orders.dlq")[1].splitlines()[0] == "orders.dlq: sent 1 dead letter"
    assert Counter(broker.bodies("orders")) == Counter([*map(envelope, (1, 2, 3)), envelope(7, {"id": "seven"})])


def test_a_dry_run_moves_nothing(broker: BrokerQueues, run: Run) -> None:
    broker.publish("orders.dlq", LETTERS)
    before = broker.bodies("orders.dlq")
    code, out, _ = run("redrive", "--from", "orders.dlq", "--dry-run")
    assert (code, out.splitlines()[0]) == (0, "orders.dlq: would send 3 dead letters")
    assert max(map(len, out.splitlines())) <= 80
    document = json.loads(run("redrive", "--from", "orders.dlq", "--dry-run", "--format", "json")[1])
    assert document["messages"] == [{"urn": URN, "to": "orders", "count": 3}]
    assert (document["dry_run"], document["sent"], document["staying"]) == (True, 3, 2)
    assert (broker.bodies("orders"), broker.bodies("orders.dlq")) == ([], before)


@pytest.mark.parametrize(
    "words, sent, line",
    [
        pytest.param(["--reason", "unknown_urn"], {3}, "4 dead letters not selected", id="the reason of the block"),
        pytest.param(["--reason", "handler_failed"], {1, 2}, "2 dead letters not selected", id="the code of the error"),
        pytest.param(["--urn", CANCELLED], set(), "5 dead letters not selected", id="another URN"),
    ],
)
def test_dead_letters_are_selected(broker: BrokerQueues, run: Run, words: list[str], sent: set[int], line: str) -> None:
    broker.publish("orders.dlq", LETTERS)
    assert line in run("redrive", "--from", "orders.dlq", *words)[1].splitlines()
    assert {json.loads(body)["data"]["id"] for body in broker.bodies("orders")} == sent


def test_a_limit_ends_it_and_another_run_goes_on(broker: BrokerQueues, run: Run) -> None:
    broker.publish("orders.dlq", [dead_letter(number) for number in range(7)])
    firsts = [run("redrive", "--from", "orders.dlq", "--limit", 3)[1].splitlines()[0] for _ in range(3)]
    assert firsts == [f"orders.dlq: sent {count}" for count in ("3 dead letters", "3 dead letters", "1 dead letter")]
    assert Counter(broker.bodies("orders")) == Counter(map(envelope, range(7)))


def test_many_batches_with_some_that_stay_keep_their_order(broker: BrokerQueues, run: Run) -> None:
    letters = [dead_letter(number, {"id": "no"} if number % 7 == 0 else None) for number in range(1500)]
    broker.publish("orders.dlq", letters)
    run("redrive", "--from", "orders.dlq", "--limit", 400)
    run("redrive", "--from", "orders.dlq")
    sent = broker.bodies("orders")
    assert Counter(sent) == Counter(envelope(number) for number in range(1500) if number % 7)
    if broker.removes:
        assert sent == [envelope(number) for number in range(1500) if number % 7]
        assert broker.bodies("orders.dlq") == letters[::7]


def test_a_queue_that_is_not_of_dead_letters_needs_a_yes(broker: BrokerQueues, run: Run) -> None:
    broker.publish("orders", [dead_letter(1)])
    code, out, err = run("redrive", "--from", "orders", "--to", "orders.dlq")
    assert (code, out) == (2, "")
    assert "takes the messages of 'orders' away from its consumers" in err
    assert run("redrive", "--from", "orders", "--to", "orders.dlq", "--yes")[1].startswith("orders: sent 1 dead letter")


def test_a_queue_that_does_not_exist_is_refused_or_suggested(broker: BrokerQueues, run: Run) -> None:
    broker.publish("orders.dlq", [dead_letter(1)])
    code, _, err = run("redrive", "--from", "orders.dlq", "--to", "oders", "--dry-run")
    assert "did you mean orders?" in err
    assert code == (0 if broker.kind == "redis" else 2)


@pytest.mark.parametrize("url", NOWHERE, ids=["Redis", "RabbitMQ", "Kafka"])
def test_a_broker_that_is_away_is_a_clear_error_without_its_password(url: str, run: Run) -> None:
    code, out, err = run("redrive", "--broker", url, "--from", "orders.dlq")
    assert (code, out) == (2, "")
    assert "cannot be reached" in err
    assert "***@127.0.0.1:1" in err
    assert "geheim" not in err


@pytest.mark.parametrize(
    "words, message",
    [
        pytest.param([], "no broker was given", id="no broker"),
        pytest.param(["--broker", "mysql://u:geheim@h/x"], "begins with one of redis://", id="another server"),
        pytest.param(["--broker", "redis://h", "--to", "orders.dlq"], "--to is the queue of --from", id="in a circle"),
    ],
)
def test_wrong_use_is_explained(words: list[str], message: str, run: Run) -> None:
    code, out, err = run("redrive", "--from", "orders.dlq", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "geheim" not in err


@pytest.mark.parametrize(
    "words, error, sent",
    [
        pytest.param(["--reason", "handler_faild"], "did you mean 'handler_failed'?", 0, id="a reason"),
        pytest.param(
            ["--reason", "unknown_urn", "--reason", "handler_faild"],
            "did you mean 'handler_failed'?",
            1,
            id="a reason beside one that matches",
        ),
        pytest.param(["--urn", f"{URN}x"], f"did you mean '{URN}'?", 0, id="a URN"),
        pytest.param(["--urn", URN, "--urn", f"{URN}x"], f"did you mean '{URN}'?", 3, id="a URN beside one"),
        pytest.param(["--urn", "urn:babel:zebra:quux"], "`babelreg list` lists the messages", 0, id="unlike any"),
    ],
)
def test_a_misspelt_name_is_refused_and_suggested(
    words: list[str], error: str, sent: int, broker: BrokerQueues, run: Run
) -> None:
    broker.publish("orders.dlq", LETTERS)
    code, out, err = run("redrive", "--from", "orders.dlq", *words)
    assert (code, len(broker.bodies("orders"))) == (2, sent)
    assert error in err
    assert out.startswith(f"orders.dlq: sent {sent} dead letter") if sent else not out


def test_a_reason_that_no_dead_letter_has_is_noted(broker: BrokerQueues, run: Run) -> None:
    broker.publish("orders.dlq", LETTERS)
    code, _, err = run("redrive", "--from", "orders.dlq", "--reason", "zebra")
    assert (code, "no dead letter has --reason zebra" in err) == (0, True)


@pytest.mark.servers
def test_kafka_keeps_the_key_and_the_headers_of_others(kafka: Any, run: Run) -> None:
    broker = KafkaTopics(kafka)
    broker.create("orders", "orders.dlq")
    old = [("traceparent", b"00-1"), ("bq-attempts", b"3"), ("bq-original-topic", b"orders"), ("bq-job", b"old")]
    broker.publish("orders.dlq", [dead_letter(1)], old)
    run("redrive", "--broker", broker.url, "--from", "orders.dlq")
    (message,) = broker.messages("orders")
    headers = dict(message.headers())
    assert message.key() == b"0"
    assert (headers["traceparent"], headers["bq-attempts"], headers["bq-job"]) == (b"00-1", b"0", URN.encode())
    assert "bq-original-topic" not in headers
    assert message.timestamp()[1] > json.loads(message.value())["meta"]["created_at"]  # else retention removes it


@pytest.mark.rabbitmq
def test_rabbitmq_keeps_the_headers_of_others(rabbitmq: Any, run: Run) -> None:
    broker = RabbitQueues(rabbitmq)
    broker.create("orders", "orders.dlq")
    broker.publish("orders.dlq", [dead_letter(1)], {"traceparent": "00-1", "x-attempts": 3, "x-death": "y"})
    run("redrive", "--broker", broker.url, "--from", "orders.dlq")
    ((properties, _),) = broker.messages("orders")
    assert properties.headers == {"traceparent": "00-1", "x-schema-version": 1, "x-source-lang": "go", "x-attempts": 0}
    assert (properties.type, properties.message_id, properties.delivery_mode) == (URN, "m1", 2)


@pytest.mark.rabbitmq
def test_a_quorum_queue_loses_no_dead_letter_however_often_it_is_read(rabbitmq: Any, run: Run) -> None:
    broker = RabbitQueues(rabbitmq)
    broker.create("orders")
    broker.create("orders.dlq", **{"x-queue-type": "quorum", "x-delivery-limit": 5})
    broker.publish("orders.dlq", [WRONG, dead_letter(1)], {"traceparent": "00-1"})
    for _ in range(8):
        assert run("redrive", "--broker", broker.url, "--from", "orders.dlq", "--dry-run")[0] == 0
    assert run("redrive", "--broker", broker.url, "--from", "orders.dlq")[1].startswith("orders.dlq: sent 1 ")
    ((properties, body),) = broker.messages("orders.dlq")
    assert (body, properties.headers["traceparent"]) == (WRONG, "00-1")
    broker.create("orders.dlq")


@pytest.mark.redis
@pytest.mark.parametrize("laravel", [False, True], ids=["plain", "Laravel"])
def test_redis_moves_in_both_layouts(laravel: bool, redis: Any, run: Run) -> None:
    broker = RedisLists(redis)
    broker.create()
    prefix, url = ("queues:", f"{redis.url}?laravel=1") if laravel else ("", redis.url)
    framed = json.dumps({"__bq_frame": 1, "headers": {"traceparent": "00-1"}, "body": dead_letter(2).decode()})
    letters = [dead_letter(1), WRONG, dead_letter(3), *([] if laravel else [framed.encode()])]
    broker.publish(f"{prefix}orders.dlq", letters)
    broker.publish("queues:orders.dlq:notify", [b"1"] * 3 * laravel)
    run("redrive", "--broker", url, "--from", "orders.dlq")
    *plain, last = broker.bodies(f"{prefix}orders") if not laravel else [*broker.bodies("queues:orders"), b""]
    assert plain == [envelope(1), envelope(3)]
    if not laravel:
        parsed = json.loads(last)
        assert (parsed["headers"], parsed["body"].encode()) == ({"traceparent": "00-1"}, envelope(2))
    assert broker.bodies(f"{prefix}orders.dlq") == [WRONG]
    assert broker.bodies("queues:orders:notify") == [b"1"] * 2 * laravel
    assert broker.bodies("queues:orders.dlq:notify") == [b"1"] * laravel


@pytest.mark.redis
def test_a_target_that_is_no_list_loses_nothing(redis: Any, run: Run) -> None:
    broker = RedisLists(redis)
    broker.create()
    broker.client.set("elsewhere", "x")
    broker.publish("orders.dlq", LETTERS)
    code, _, err = run("redrive", "--broker", redis.url, "--from", "orders.dlq", "--to", "elsewhere")
    assert (code, broker.bodies("orders.dlq")) == (2, LETTERS)
    assert "WRONGTYPE" in err
