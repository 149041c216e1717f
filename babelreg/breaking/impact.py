"""Whom a break hurts: the services on either side of it, by what they are and who owns them."""

from __future__ import annotations

import json
from typing import Any

from babelreg.breaking.pairs import Pair
from babelreg.model import Message, Service

__all__ = ["of_containment", "of_contract"]

_LONGEST = 200


def of_containment(pair: Pair, direction: str, document: Any, fields: tuple[str, ...]) -> tuple[str, ...]:
    """Lines for a break that ``document`` shows.

    Backward: producers that run with the published schema send it, and it may be queued; new readers refuse it.
    Forward: producers send it as soon as they run with the new schema; consumers with the published one refuse it.
    """
    shown = _shown(document)
    consumers = [_consumer(pair, name, fields) for name in _consumers(pair)]
    producers = [_titled(pair, name, "producer") for name in _producers(pair)]
    if direction == "backward":
        said = [f"{producer} may still send {shown}" for producer in producers]
        said = said or [f"messages sent or queued so far may be {shown}"]
        return tuple(said + [f"{consumer} refuses it once it reads with the new schema" for consumer in consumers])
    said = [f"{consumer} still reads with the published schema and refuses {shown}" for consumer in consumers]
    said = said or [f"a consumer that reads with the published schema refuses {shown}"]
    return tuple(said + [f"{producer} sends it once it runs with the new schema" for producer in producers])


def of_contract(pair: Pair, fields: tuple[str, ...]) -> tuple[str, ...]:
    """Lines for a break of contract, which no single document shows: everyone who uses the message."""
    users = [_consumer(pair, name, fields) + " relies on it" for name in _consumers(pair)]
    if not fields:
        users += [_titled(pair, name, "producer") + " sends it" for name in _producers(pair)]
    return tuple(users)


def _shown(document: Any) -> str:
    spelled = json.dumps(document, ensure_ascii=False)
    return spelled if len(spelled) <= _LONGEST else f"{spelled[: _LONGEST - 1]}…"


def _consumers(pair: Pair) -> list[str]:
    both = {*pair.old_registry.consumers(pair.urn), *pair.new_registry.consumers(pair.urn)}
    return sorted(both)


def _producers(pair: Pair) -> list[str]:
    versions: list[Message] = [pair.old] + ([pair.new] if pair.new else [])
    return list(dict.fromkeys(name for message in versions for name in message.producers))


def _service(pair: Pair, name: str) -> Service | None:
    return pair.new_registry.services.get(name) or pair.old_registry.services.get(name)


def _titled(pair: Pair, name: str, role: str) -> str:
    service = _service(pair, name)
    about = [role] + [part for part in (service.lang, service.owner) if part] if service else [role]
    return f"{name} ({', '.join(about)})"


def _consumer(pair: Pair, name: str, fields: tuple[str, ...]) -> str:
    """The consumer, and whether it says that it reads one of ``fields``."""
    titled = _titled(pair, name, "consumer")
    service = _service(pair, name)
    reads = [path for use in service.consumes if use.urn == pair.urn for path in use.reads] if service else []
    hit = [path for path in reads for field in fields if field and _touches(path, field)]
    return f"{titled}, which reads {', '.join(dict.fromkeys(hit))}," if hit else titled


def _touches(path: str, field: str) -> bool:
    return path == field or path.startswith((field + ".", field + "[")) or field.startswith((path + ".", path + "["))
