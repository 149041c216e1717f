"""Queues of dead letters on the broker of a URL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from babelreg.errors import InputError
from babelreg.report import printable
from babelreg.suggest import closest

if TYPE_CHECKING:
    from babelreg.cli.redrive.request import RedriveRequest
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.recording.redrive.dead_letter import DeadLetterQueue, Publisher

_NAME = "babelreg redrive"


def open_queue(server: BrokerUrl, queue: str, known: Iterable[str]) -> DeadLetterQueue:
    """Return the queue, connected; ``known`` are the queues to suggest. Raises InputError where there is none."""
    try:
        if server.kind == "redis":
            from babelreg.recording.redrive.redis_dead_letters import RedisDeadLetters

            return RedisDeadLetters(server.redis(), queue)
        if server.kind == "rabbitmq":
            from babelreg.recording.redrive.rabbitmq_dead_letters import RabbitMQDeadLetters

            return RabbitMQDeadLetters(server.amqp_parameters(_NAME), queue)
        from babelreg.recording.redrive.kafka_dead_letters import KafkaDeadLetters

        return KafkaDeadLetters(server.kafka_settings(), queue)
    except LookupError:
        raise _no_queue(server, queue, known) from None


def open_publisher(server: BrokerUrl) -> Publisher:
    """Return the broker, connected, for messages that are not in one of its queues."""
    if server.kind == "redis":
        from babelreg.recording.redrive.redis_dead_letters import RedisPublisher

        return RedisPublisher(server.redis())
    if server.kind == "rabbitmq":
        from babelreg.recording.redrive.rabbitmq_dead_letters import RabbitMQPublisher

        return RabbitMQPublisher(server.amqp_parameters(_NAME))
    from babelreg.recording.redrive.kafka_dead_letters import KafkaPublisher

    return KafkaPublisher(server.kafka_settings())


def announce(request: RedriveRequest, broker: Publisher, what: str) -> None:
    """Check the target, and say what the run does; ``what`` has a ``{}`` for the target.

    Raises InputError where the broker has no such queue, and closes ``broker`` then.
    """
    try:
        note = request.to and _misspelt(request.server, broker, request.to, request.queues)
    except BaseException:
        broker.close()
        raise
    if note:
        click.echo(printable(note), err=True)
    verb = "reading" if request.dry_run else "sending"
    target = f"queue {request.to}" if request.to else "the queues that they came from"
    head, _, tail = what.partition("{}")
    click.echo(printable(f"{verb} {head}{target}{tail}"), err=True)


def _misspelt(server: BrokerUrl, broker: Publisher, target: str, known: Iterable[str]) -> str | None:
    """Return a note about a ``target`` that may be misspelt. Raises InputError where the broker has no such queue."""
    known = frozenset(known)
    if broker.missing(target):
        raise _no_queue(server, target, known)
    near = closest(target, known)
    if target in known or not near:
        return None
    return f"the registry has no queue {target!r}; did you mean {near}?"


def _no_queue(server: BrokerUrl, queue: str, known: Iterable[str]) -> InputError:
    near = closest(queue, known)
    noun = "topic" if server.kind == "kafka" else "queue"
    place = "the host in the URL" if server.kind == "kafka" else "the virtual host in the URL"
    fix = f"did you mean {near}?" if near else f"check the name of the {noun}, and {place}"
    return InputError(f"{server.name} at {server.shown} has no {noun} {queue!r}", fix=fix)
