"""Transports on top of babelqueue: Redis, RabbitMQ, Kafka."""
