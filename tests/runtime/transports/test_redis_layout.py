"""Subscriptions on a real Redis: all queues get a message, or none."""

from __future__ import annotations

import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue
from redis.exceptions import ResponseError
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import redis_transport

pytestmark = pytest.mark.redis

URN = "urn:babel:orders:created"


@pytest.fixture(params=[False, True], ids=["plain layout", "Laravel's layout"])
def transport(request: pytest.FixtureRequest, redis: Server):
    made = redis_transport(redis.url, laravel_compat=request.param)
    made._redis.flushall()
    yield made
    made.close()


def test_all_queues_get_a_message_in_one_step(transport):
    for queue in ("a", "b"):
        transport.subscribe(queue, [URN, "urn:babel:orders:other"], inbox=True)
        transport.subscribe(queue, [URN], inbox=True)
    assert shop.publish_to_all(transport, URN) == 2
    assert [transport.pop(queue, 0).body for queue in ("a", "b")] == ["{}", "{}"]
    assert shop.publish_to_all(transport, URN, without="a") == 1
    assert shop.publish_to_all(transport, "urn:babel:orders:none") == 0
    assert ("urn:babel:orders:other", "b") in set(transport.subscriptions())


def test_a_queue_that_is_no_list_keeps_the_message_from_the_others(transport):
    for queue in ("a", "b", "c"):
        transport.subscribe(queue, [URN], inbox=True)
    transport._redis.set(transport.list_of("b"), "text")
    with pytest.raises(ResponseError, match="the key of queue b is not a list"):
        shop.publish_to_all(transport, URN)
    assert transport.pop("a", 0) is None


def test_headers_travel_in_the_plain_layout(redis):
    transport = redis_transport(redis.url)
    transport._redis.flushall()
    transport.subscribe("a", [URN], inbox=True)
    shop.publish_to_all(transport, URN, {"traceparent": "00-1"})
    assert transport.pop("a", 0).headers == {"traceparent": "00-1"}
    transport.close()


def test_a_cluster_is_refused_by_name():
    class RedisCluster:
        def register_script(self, text):
            raise AssertionError("not reached")

        def pipeline(self):
            raise AssertionError("not reached")

    transport = redis_transport(client=RedisCluster())
    assert isinstance(transport, PlainRedis)
    with pytest.raises(UsageError, match="Redis Cluster"):
        shop.PlacedProducer(BabelQueue(transport=transport)).send(shop.Placed(order_id=1))
    with pytest.raises(UsageError, match="Redis Cluster"):
        transport.subscribe("a", [URN], inbox=True)
