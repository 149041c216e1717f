"""babelqueue's Kafka transport, such that a message is with the broker once ``publish`` has come back."""

from __future__ import annotations

from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage

__all__ = ["Kafka"]


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
