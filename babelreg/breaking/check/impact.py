"""Impact of a break: the affected producers and consumers with their owners, and the order of rollout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.check.witness_format import abbreviated
from babelreg.finding import Hurt, Rollout
from babelreg.model import Message, Service
from babelreg.schema.pointer import Pointer

_UNDECLARED = ""
SPARED = "can work without it"
"""Effect on a consumer that does not read the changed fields."""


def of_containment(
    pair: Pair, direction: str, document: Any, fields: tuple[str, ...], at: Pointer = ()
) -> tuple[Hurt, ...]:
    """Return the services affected by a break that ``document`` shows with its value ``at``.

    Backward: producers with the published schema send it, or it is still queued; new readers refuse it.
    Forward: producers send it once they run with the new schema; consumers with the published one refuse it.
    Where no service is declared on the side that is named first, an entry without a service represents it.
    """
    spelled = abbreviated(document, at)
    if direction == "backward":
        senders = [_hurt(pair, name, "producer", f"may still send {spelled}") for name in _producers(pair)]
        senders = senders or [Hurt(_UNDECLARED, "producer", f"messages sent or queued so far may be {spelled}")]
        return (*senders, *(_hurt(pair, name, "consumer", "refuses it", fields) for name in _consumers(pair)))
    readers = [_hurt(pair, name, "consumer", f"refuses {spelled}", fields) for name in _consumers(pair)]
    undeclared = f"a consumer that reads with the published schema refuses {spelled}"
    readers = readers or [Hurt(_UNDECLARED, "consumer", undeclared)]
    return (*readers, *(_hurt(pair, name, "producer", "will send it") for name in _producers(pair)))


def of_contract(pair: Pair, fields: tuple[str, ...]) -> tuple[Hurt, ...]:
    """Return the services affected by a break of contract, without a witness: all users of the message."""
    users = [_marked_if_unaffected(_hurt(pair, name, "consumer", "relies on it", fields)) for name in _consumers(pair)]
    if not fields:
        users += [_hurt(pair, name, "producer", "sends it") for name in _producers(pair)]
    return tuple(users)


def of_expectation(pair: Pair, service: Service, document: Any, at: Pointer) -> tuple[Hurt, ...]:
    """Return the service that did not expect ``document``, with its value ``at``, and the producers that send it."""
    hurt = _hurt(pair, service.name, "consumer", f"does not expect {abbreviated(document, at)}")
    return (hurt, *(_hurt(pair, name, "producer", "will send it") for name in _producers(pair)))


def of_effects(pair: Pair, effects: Iterable[str]) -> tuple[Hurt, ...]:
    """Return an entry without a service for each side effect of a break: what it changes beside messages.

    Plain schemas have none, as no tables are made of them.
    """
    if pair.new_registry.plain is not None:
        return ()
    return tuple(Hurt(_UNDECLARED, "table", effect, urn=pair.urn) for effect in effects)


def rollout(pair: Pair, sides: Iterable[str]) -> Rollout | None:
    """Return the rollout order of ``pair`` where its findings allow ``sides`` to go first, None without findings."""
    requested = set(sides)
    if not requested:
        return None
    consumers, producers = tuple(_consumers(pair)), tuple(_producers(pair))
    if requested == {"consumers"}:
        return Rollout("consumers", consumers, producers)
    if requested == {"producers"}:
        return Rollout("producers", producers, consumers)
    return Rollout("none")


def lines(hurts: Iterable[Hurt]) -> tuple[str, ...]:
    """Return a line for each of ``hurts``, and one for all services that read other fields."""
    all_hurts = list(hurts)
    spared = dict.fromkeys(hurt.service for hurt in all_hurts if hurt.does == SPARED)
    hit = list(dict.fromkeys(_line(hurt) for hurt in all_hurts if hurt.does != SPARED))
    if not spared:
        return tuple(hit)
    read = f"{', '.join(spared)} read{'s' if len(spared) == 1 else ''} other fields"
    return (*hit, f"nobody else: {read}" if hit else f"no declared consumer: {read}")


def _line(hurt: Hurt) -> str:
    """Return a line such as ``billing-worker (consumer, go, team-billing; reads total) refuses it``."""
    if hurt.service == _UNDECLARED:
        return hurt.does
    about = ", ".join([hurt.role, *(part for part in (hurt.lang, hurt.owner) if part)])
    if hurt.reads:
        about += f"; reads {', '.join(hurt.reads)}"
    elif hurt.reads is not None:
        about += "; reads other fields"
    return f"{hurt.service} ({about}) {hurt.does}"


def _consumers(pair: Pair) -> list[str]:
    both = {*pair.old_registry.consumers(pair.urn), *pair.new_registry.consumers(pair.urn)}
    return sorted(both)


def _producers(pair: Pair) -> list[str]:
    versions: list[Message] = [pair.old] + ([pair.new] if pair.new else [])
    return list(dict.fromkeys(name for message in versions for name in message.producers))


def _marked_if_unaffected(hurt: Hurt) -> Hurt:
    return hurt._replace(does=SPARED) if hurt.reads == () else hurt


def _service(pair: Pair, name: str) -> Service | None:
    return pair.new_registry.services.get(name) or pair.old_registry.services.get(name)


def _hurt(pair: Pair, name: str, role: str, does: str, fields: tuple[str, ...] = ()) -> Hurt:
    service = _service(pair, name)
    lang, owner = (service.lang, service.owner) if service else (None, None)
    reads = _reads(pair, service, fields) if role == "consumer" and service and any(fields) else None
    return Hurt(name, role, does, lang, owner, reads, pair.urn)


def _reads(pair: Pair, service: Service, fields: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return its declared reads that overlap with ``fields``; None where it declares none for this message."""
    reads = [path for use in service.consumes if use.urn == pair.urn for path in use.reads]
    if not reads:
        return None
    return tuple(dict.fromkeys(path for path in reads if any(_overlaps(path, field) for field in fields if field)))


def _overlaps(path: str, field: str) -> bool:
    return path == field or path.startswith((field + ".", field + "[")) or field.startswith((path + ".", path + "["))
