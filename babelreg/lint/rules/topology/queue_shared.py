"""Services that take each other's messages from a shared queue.

A queue gives each message to one of its readers. Two services that read one queue share its events, so that each
handles a part of them; where they consume different messages, what one of them does not know is returned to the queue
again and again. With separate inboxes, each service gets every event.

The queue that SDKs of other languages publish to is such a queue, too: a service that reads it takes messages meant for
others.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        queue: work
    # file: _services/storefront.yaml
    owner: team-web
    consumes:
      - urn: urn:babel:orders:created
        queue: work

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
    # file: _services/storefront.yaml
    owner: team-web
    consumes:
      - urn: urn:babel:orders:created

Fix::

    Remove `queue` below `consumes`: the service then has an inbox with its own name. A queue that is deployed already
    can be the inbox of one service; `babelreg topology` lists all queues with their readers.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Place, Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message, Registry, Source, Subscription, Topology, topology
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    registry = scope.registry
    known = topology(registry)
    for queue, subscriptions in known.queues.items():
        yield from _shared(registry, queue, subscriptions)
        yield from _taken(registry, known, queue)


def _shared(registry: Registry, queue: str, subscriptions: tuple[Subscription, ...]) -> Iterator[Problem]:
    """Yield one problem for each further service on ``queue``, at its entry."""
    urns: dict[str, dict[str, Subscription]] = {}
    for each in subscriptions:
        urns.setdefault(each.service, {})[each.urn] = each
    (first, own), *others = sorted(urns.items())
    for service, wanted in others:
        events = [urn for urn in own.keys() & wanted.keys() if registry.by_urn[urn].kind != "command"]
        if events:
            urn = min(events)
            text = f"'{first}' and '{service}' both read the event '{urn}' from queue '{queue}': each gets only some"
        elif own.keys() != wanted.keys():
            urn = min(own.keys() ^ wanted.keys())
            text = f"'{first}' and '{service}' read queue '{queue}' and consume different messages"
            urn = urn if urn in wanted else min(wanted)
        else:
            continue
        source, pointer = _entry(registry, wanted[urn])
        yield Problem(text, source, pointer, fix=_fix(service), urn=urn, against=_place(registry, own, urn))


def _taken(registry: Registry, known: Topology, queue: str) -> Iterator[Problem]:
    """Yield a problem where a service reads ``queue``, to which foreign SDKs send what others consume, too."""
    readers = {each.service for each in known.queues[queue]}
    for urn in known.sent_to.get(queue, ()):
        message, subscriptions = registry.by_urn[urn], known.of_urn(urn)
        elsewhere = [each for each in subscriptions if each.queue != queue]
        producer = next((name for name in message.producers if _is_foreign(registry, name)), None)
        if producer is None or not elsewhere:
            continue
        reader = min(readers)
        text = f"'{reader}' reads queue '{queue}', to which '{producer}' sends '{urn}' for '{elsewhere[0].service}'"
        mine = next(each for each in known.queues[queue] if each.service == reader)
        source, pointer = _entry(registry, mine)
        yield Problem(text, source, pointer, fix=_other_queue(mine, message), urn=urn)


def _is_foreign(registry: Registry, name: str) -> bool:
    service = registry.services.get(name)
    return service is not None and service.lang not in (None, "python")


def _fix(service: str) -> str:
    return f"remove 'queue': '{service}' then reads its own inbox, '{service}'"


def _other_queue(reader: Subscription, message: Message) -> str:
    if reader.named:
        return _fix(reader.service)
    return f"queue: {reader.service}-inbox, below 'consumes'; or another 'queue' in {message.source.path}"


def _entry(registry: Registry, subscription: Subscription) -> tuple[Source, Pointer]:
    """Return the place that declares the consumer: its own file, else that of the message."""
    service = registry.services.get(subscription.service)
    for index, use in enumerate(service.consumes if service is not None else ()):
        if service is not None and use.urn == subscription.urn:
            return service.source, ("consumes", index, "queue" if use.queue else "urn")
    message = registry.by_urn[subscription.urn]
    return message.source, ("consumers",)


def _place(registry: Registry, own: dict[str, Subscription], urn: str) -> Place:
    source, pointer = _entry(registry, own[urn] if urn in own else own[min(own)])
    return source.place(pointer)
