"""A message that is sent in a language that none of its producers has, or to a queue other than its own.

The author of a change asks only the declared producers, and `breaking` lists no others. The language and the queue are
those in `meta` of the envelope. A producer without a declared language matches any.

Bad::

    # file: _services/orders-api.yaml
    lang: php
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, lang: php, times: 5}
    - {urn: "urn:babel:orders:created", data: {}, lang: go}

Good::

    # file: _services/orders-api.yaml
    lang: php
    # file: _services/backoffice.yaml
    lang: go
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [backoffice, orders-api]
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, lang: php, times: 5}
    - {urn: "urn:babel:orders:created", data: {}, lang: go}

Fix::

    Declare the producer: run `babelreg scan --write --service NAME` in its code. Or correct the `queue` of the message,
    or that of the producer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from babelreg.analysis.drift.message_traffic import MessageTraffic
from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_message
from babelreg.analysis.drift.senders import shown
from babelreg.finding import Severity
from babelreg.model.topology import subscriptions_of

severity = Severity.WARNING


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.messages:
        if each.sketch is not None:
            yield from _languages(scope, each, each.sketch.languages)
            yield from _queues(scope, each, each.sketch.queues)


def _languages(scope: DriftScope, each: MessageTraffic, seen: Mapping[str, int] | None) -> Iterator[Drift]:
    message = each.message
    producers = [scope.registry.services.get(name) for name in message.producers]
    declared = {service.lang for service in producers if service is not None}
    if not message.producers or None in producers or None in declared:
        return
    others = {lang: count for lang, count in (seen or {}).items() if lang not in declared}
    if others:
        known = ", ".join(f"{s.name} ({s.lang})" for s in producers if s is not None)
        said = f"{sum(others.values()):,} of {each.count:,} are sent{_by(' by', others, scope)}; declared: {known}"
        fix = "declare the producer: run `babelreg scan --write --service NAME` in its code"
        yield in_message(message, ("producers",), said, fix)


def _queues(scope: DriftScope, each: MessageTraffic, seen: Mapping[str, int] | None) -> Iterator[Drift]:
    message = each.message
    if message.queue is None:
        return
    declared = {message.queue, *(each.queue for each in subscriptions_of(scope.registry, message))}
    others = {queue: count for queue, count in (seen or {}).items() if queue not in declared}
    if others:
        sent = f"{sum(others.values()):,} of {each.count:,} are sent{_by(' to', others, scope)}"
        said = f"{sent}; declared: '{message.queue}'"
        yield in_message(message, ("queue",), said, "correct the queue of the producer, or `queue` here")


def _by(word: str, labels: Mapping[str, int], scope: DriftScope) -> str:
    public = shown(labels, scope.is_public)
    return f"{word} {', '.join(public)}" if public else f"{word} others, whose names may contain data"
