"""babelqueue's Kafka transport with a ``publish`` that waits until the broker has the message."""

from __future__ import annotations

from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage

__all__ = ["Kafka"]


class Kafka(KafkaTransport):
    """babelqueue's transport, confirmed. Without retry topics a retry goes to the end of the topic itself.

    babelqueue refuses to retry without retry topics, so that a message whose handler fails is redelivered for ever.
    """

    def publish(self, queue: str, body: str) -> None:
        """Publish and wait. Raises KafkaDeliveryError if the broker does not confirm the message in time."""
        self.publish_settle(queue, body)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Send to the retry topic of this attempt; without retry topics, to the end of the topic, without a delay."""
        if self.retry_tiers_ms:
            super().redeliver(message, body, delay)
            return
        self.publish_settle(message.queue, body, message.route_urn, message.key)
        self.ack(message)
