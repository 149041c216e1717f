"""Transports that neither lose a message nor change it: what stands in for those of babelqueue that do.

babelqueue's RabbitMQ transport does not wait until the broker has a message, its Kafka transport leaves one in the
memory of the program, where it ends with the program, and its Redis transport changes messages of workers that die, in
Laravel's layout. Nothing here is lost once ``publish`` has come back.
"""

from __future__ import annotations

from typing import TypeVar

from babelqueue import BabelQueue
from babelqueue.kafka_transport import KafkaTransport
from babelqueue.pika_transport import PikaTransport
from babelqueue.redis_transport import RedisTransport
from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.rabbitmq import RabbitMQ
from babelreg.runtime.redis_laravel import LaravelRedis

__all__ = ["Kafka", "confirm", "confirmed"]

T = TypeVar("T", bound=Transport)


class Kafka(KafkaTransport):
    """babelqueue's transport, confirmed; and without retry topics a retry goes to the end of its own topic.

    There babelqueue refuses to retry, so that a message whose handler fails is delivered for ever, at once.
    """

    def publish(self, queue: str, body: str) -> None:
        """Raises KafkaDeliveryError when the broker does not say in time that it has the message."""
        self.publish_settle(queue, body)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """To the retry topic of its attempt, where there are such; else to the end of the topic, without a delay."""
        if self.retry_tiers_ms:
            super().redeliver(message, body, delay)
            return
        self.publish_settle(message.queue, body, message.route_urn, message.key)
        self.ack(message)


def confirmed(transport: Transport) -> Transport:
    """``transport``, or what goes in its place. Only babelqueue's very own classes are replaced."""
    if type(transport) is PikaTransport:
        return RabbitMQ(transport._url)
    if type(transport) is KafkaTransport:
        return _as(Kafka, transport)
    if type(transport) is RedisTransport:
        # Its own settings, which it reads from the URL and hands on to a client that refuses them.
        for name in ("laravel", "laravel_compat", "prefix", "retry_after"):
            transport._redis.connection_pool.connection_kwargs.pop(name, None)
        if transport._laravel_compat:
            return _as(LaravelRedis, transport)
    return transport


def _as(kind: type[T], transport: Transport) -> T:
    """A transport of ``kind`` with the clients and settings of ``transport``, whose class it derives from."""
    made = kind.__new__(kind)
    vars(made).update(vars(transport))
    return made


def confirm(app: BabelQueue) -> None:
    """Let ``app`` use a confirmed transport from now on."""
    app.transport = confirmed(app.transport)
