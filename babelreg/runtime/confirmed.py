"""Transports whose ``publish`` comes back once the broker has the message.

babelqueue's own do so for Redis alone. Its RabbitMQ transport does not wait for the broker, and its Kafka transport
leaves a message in the memory of the program, where it ends with the program. Nothing here is lost before the broker
said that it has it.
"""

from __future__ import annotations

from babelqueue import BabelQueue
from babelqueue.kafka_transport import KafkaTransport
from babelqueue.pika_transport import PikaTransport
from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.rabbitmq import RabbitMQ

__all__ = ["Kafka", "confirm", "confirmed"]


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
        made = Kafka.__new__(Kafka)
        vars(made).update(vars(transport))  # its clients and settings
        return made
    return transport


def confirm(app: BabelQueue) -> None:
    """Let ``app`` use a confirmed transport from now on."""
    app.transport = confirmed(app.transport)
