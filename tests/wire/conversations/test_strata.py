"""Strata between generated codecs and a peer that was written from the protocol's page, over a Redis."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis_server

pytestmark = pytest.mark.redis
GROUP = "Orders"
QUEUE = f"Requests:{GROUP}"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("redis")
    with redis_server.running() as server:
        yield server.url


def serve(package: ModuleType, client: Any, received: list[Any]) -> None:
    """Answer requests until an item `stop` comes."""
    reader, created = package.Reader(), package.OrdersOrderCreatedCodec()
    while (raw := client.blpop(QUEUE)[1]) != b"stop":
        item = reader.item(raw)
        if isinstance(item, package.Received):
            request = item.message
            received.append((request.id, item.data.model_dump(mode="json", exclude_unset=True)))
            if isinstance(request, package.Request) and request.response_queue:
                data = package.OrdersOrderCreated(accepted=True)
                client.rpush(request.response_queue, package.encode(created.response(data, to=request, service="s")))
        elif isinstance(item, package.Request) and item.response_queue:
            reason = package.ResponseMessage("error", "there is no such operation")
            answer = created.unsuccessful(to=item, messages=[reason], service="s")
            client.rpush(item.response_queue, package.encode(answer))
        elif isinstance(item, package.Refused) and (answer := package.answer(item, service="s")) is not None:
            message = item.message
            queue = message.response_queue if isinstance(message, package.Request) else message.get("responseQueue")
            if isinstance(queue, str) and queue:
                client.rpush(queue, package.encode(answer))


def test_a_service_answers_each_request_as_the_page_says(
    codecs: dict[str, ModuleType], peer: Callable[..., Any], url: str
) -> None:
    import redis

    client, received = redis.Redis.from_url(url), []
    service = threading.Thread(target=serve, args=(codecs["strata"], client, received), daemon=True)
    service.start()
    try:
        report = peer("strata_peer.py", "client", urlsplit(url).port, GROUP).report()
    finally:
        client.rpush(QUEUE, b"stop")
        service.join(30)
    assert {line["answer"] for line in report} == {"succeeded", "failed", "nothing"}
    by_id = dict(received)
    for line in report:
        if line["good"]:
            assert by_id[line["sent"]["id"]] == line["sent"]["payload"], line["case"]


def test_a_client_takes_good_responses_and_refuses_bad_ones(
    codecs: dict[str, ModuleType], peer: Callable[..., Any], url: str
) -> None:
    import redis

    package, client = codecs["strata"], redis.Redis.from_url(url)
    service = peer("strata_peer.py", "service", urlsplit(url).port, GROUP)
    service.line()
    create, created = package.OrdersOrderCreateCodec(client="Client:Web"), package.OrdersOrderCreatedCodec()
    note = package.OrdersNoteWriteCodec(client="Client:Web")
    order = package.OrdersOrderCreate(order_id=1, amount="größe 😀")
    request = create.request(order, response_queue="Responses:Web:1", auth="S3CRET", timeout_ms=9000)
    client.rpush(QUEUE, package.encode(request))
    client.rpush(QUEUE, package.encode(create.request(order, response_queue="Responses:Web:1", after=request)))
    client.rpush(QUEUE, package.encode(note.post(package.OrdersNoteWrite(content="noted"), after=request)))
    report = service.report()
    reader = package.Reader()
    items = [reader.item(raw) for raw in client.lrange("Responses:Web:1", 0, -1)]
    asked = [line["received"] for line in report if "received" in line]
    assert [message["messageType"] for message in asked] == ["request", "request", "post"]
    payload = {"order_id": 1, "amount": "größe 😀"}
    assert [message["payload"] for message in asked] == [payload, payload, {"content": "noted"}]
    sent = [line for line in report if "sent" in line]
    assert len(items) == len(sent)
    for line, item in zip(sent, items, strict=True):
        response = created.not_succeeded(item) or getattr(created.received(item), "message", None)
        assert line["good"] in (None, response is not None), (line["case"], item)
        if response is not None:
            document = response.document()
            assert {name: document[name] for name in line["sent"]} == line["sent"]
