"""A message with `headers: true` and a consumer whose SDK cannot read it on Redis.

A Redis list cannot store headers. With `headers: true`, a producer stores a frame there: an object with the headers and
the message. Consumers in Python, Node, Go, Java and .NET unpack the frame; the PHP adapters for Laravel and Symfony
mistake the frame for the message, find no URN in it, and fail.

On RabbitMQ and Kafka headers travel in the broker's own form, and no consumer has to know frames. If every broker of
the registry is one of these, switch the rule off.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    headers: true
    # file: _services/legacy-shop.yaml
    owner: team-shop
    lang: php
    consumes:
      - urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    headers: true
    # file: _services/billing-worker.yaml
    owner: team-billing
    lang: go
    consumes:
      - urn: urn:babel:orders:created

Fix::

    Remove `headers: true` from the messages of that queue, and carry what the consumer needs in `data`. Or let a
    service in another language consume the message. SDKs read frames from these versions on: Python 1.24, and of the
    adapters for Redis the releases after 1.0.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model.topology import subscriptions_of

severity = Severity.ERROR
profile = "minimal"

_WITHOUT_FRAMES = {"php": "PHP"}
"""Languages whose SDKs for Redis store and read the bare message alone."""


def check(scope: Scope) -> Iterator[Problem]:
    registry = scope.registry
    for message in registry.by_urn.values():
        if not message.headers or message.status == "retired":
            continue
        for subscription in subscriptions_of(registry, message):
            service = registry.services.get(subscription.service)
            if service is None or service.lang not in _WITHOUT_FRAMES:
                continue
            text = f"'{service.name}' ({_WITHOUT_FRAMES[service.lang]}) consumes it and cannot read headers on Redis"
            fix = "remove 'headers', here and in the other messages of its queue"
            yield Problem(text, message.source, ("headers",), fix=fix, urn=message.urn, against=service.source.place())
