"""``babelreg.lock``: which state of the registry a service's code was made from, one line a message.

The hash of a message is over its bundled schema and over every fact that generated code or a reader's verdict depends
on, such as the queues of its consumers and what this service expects of it: the same hash, the same code. The order of
keys counts, since it is the order of fields in the code.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from babelreg.atomic_write import write_whole
from babelreg.errors import UsageError
from babelreg.finding import Finding
from babelreg.load.files.tree import Folder
from babelreg.load.registry_error import RegistryError
from babelreg.load.service.service_repo import LOCK
from babelreg.model import Message, Registry
from babelreg.model.message import Delivery
from babelreg.model.service_repo import ROLES, Lock, RegistryAt, ServiceRepo
from babelreg.model.service_subset import Share
from babelreg.model.topology import subscriptions_of

_HEAD = """\
# What this service's code was made from. `babelreg update` writes it; check it in.
version: 1
"""
_DIGITS = 32
_LATER = frozenset({"time_limit_seconds"})
_UPDATE = "babelreg update"
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")


def hashed(registry: Registry, message: Message, service: str = "") -> str:
    """Return 32 hex digits that change with everything the registry says of ``message`` to ``service``, its user."""
    facts: dict[str, Any] = {
        "urn": message.urn,
        "kind": message.kind,
        "status": message.status,
        "description": message.description,
        "owner": message.owner,
        "queue": message.queue,
        "supersedes": message.supersedes,
        "sunset": message.sunset,
        "delivery": _delivery(message.delivery) if message.delivery else None,
        "upcast": list(message.upcast),
        "reader": registry.compatibility(message.context).reader,
        "schema": message.schema,
    }
    if message.headers:  # keys that came later: the hashes of messages without them stay
        facts["headers"] = True
    if message.aliases:
        facts["aliases"] = list(message.aliases)
    if consumers := [
        [each.service, each.queue, _lang(registry, each.service)] for each in subscriptions_of(registry, message)
    ]:
        facts["consumers"] = consumers
    if message.status == "deprecated" and (successor := registry.successor(message.urn)):
        facts["successor"] = successor.urn
    if expected := _expected(registry, message, service):
        facts["expects"] = expected
    spelled = json.dumps(facts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(spelled.encode("ascii")).hexdigest()[:_DIGITS]


def _lang(registry: Registry, service: str) -> str | None:
    declared = registry.services.get(service)
    return declared.lang if declared else None


def _expected(registry: Registry, message: Message, service: str) -> list[Any]:
    """Return what ``service`` expects of the message, with what its consumers do with any other."""
    declared = registry.services.get(service)
    uses = [use for use in declared.consumes if use.urn == message.urn and use.expects] if declared else []
    return [[use.on_unexpected, *([each.path, each.schema] for each in use.expects)] for use in uses]


def _delivery(policy: Delivery) -> dict[str, Any]:
    """Return the facts of a policy. Those that the format got later are left out where a message does not state them.

    So a new version of babelreg leaves the hashes of messages as they were.
    """
    facts = asdict(policy)
    return {name: value for name, value in facts.items() if value is not None or name not in _LATER}


def lock_of(share: Share, at: RegistryAt, commit: str | None) -> Lock:
    """Return the lock that pins ``share`` as it is now."""
    known = share.registry.by_urn
    messages = {
        role: {
            urn: hashed(share.registry, known[urn], share.service if role == "consumes" else "")
            for urn in share.urns[role]
        }
        for role in ROLES
        if share.urns.get(role)
    }
    return Lock(share.service, at, messages, commit)


def fits(share: Share, lock: Lock) -> bool:
    """Return True where ``share`` is what ``lock`` pins."""
    return lock_of(share, lock.registry, None).messages == lock.messages


def differing(lock: Lock, share: Share) -> frozenset[str]:
    """Return the URNs that are not in ``share`` as they are in ``lock``."""
    other = lock_of(share, lock.registry, None).messages
    pairs = [(lock.messages.get(role, {}), other.get(role, {})) for role in ROLES]
    return frozenset(urn for a, b in pairs for urn in {*a, *b} if a.get(urn) != b.get(urn))


def text(lock: Lock) -> str:
    """Return the text of the file: sorted, one line per message, no date."""
    return _HEAD + "".join(f"{line}\n" for line in _lines(lock))


def _lines(lock: Lock) -> Iterator[str]:
    from babelreg.load.yaml.emitter import spell

    yield f"service: {spell(lock.service)}"
    yield f"registry: {spell(lock.registry.as_json())}"
    if lock.commit is not None:
        yield f'commit: "{lock.commit}"'
    for role in ROLES:
        if lock.messages.get(role):
            yield f"{role}:"
            yield from (f'  {spell(urn)}: "{pinned}"' for urn, pinned in sorted(lock.messages[role].items()))


def write(repo: ServiceRepo, lock: Lock) -> None:
    """Put ``lock`` beside ``babelreg.service.yaml``, whole or not at all. Raises UsageError where that cannot be."""
    path = Path(repo.folder) / LOCK
    try:
        write_whole(path, text(lock).encode())
    except OSError as err:
        raise UsageError(f"cannot write {path}: {err.strerror}", fix="make its folder writable") from err


def read(repo: ServiceRepo) -> Lock | None:
    """Return the lock beside ``babelreg.service.yaml``; None where there is none.

    Raises RegistryError where it cannot be read, UsageError where it was written for another registry or service.
    """
    from babelreg.load.files.defect import Defect
    from babelreg.load.registry import file_validation
    from babelreg.load.registry.document import Document, decode

    shown = (Path(repo.folder) / LOCK).as_posix()
    try:
        document = Document(shown, decode(Folder(repo.folder).read(LOCK)))
    except FileNotFoundError:
        return None
    except Defect as defect:
        raise RegistryError(f"{shown} cannot be read", [defect.at(shown)], fix=_UPDATE) from defect
    defects = file_validation.check(document, "lock") or _no_commit(document)
    if defects:
        raise RegistryError(f"{shown} cannot be read", defects, fix=_UPDATE)
    value: dict[str, Any] = document.value
    declared = value["registry"]
    if declared != repo.registry.as_json() or value["service"] != repo.service:
        what = "registry" if declared != repo.registry.as_json() else "service"
        raise UsageError(f"{shown} was written for another {what}", place=document.place((what,)), fix=_UPDATE)
    messages = {role: dict(value[role]) for role in ROLES if role in value}
    return Lock(repo.service, repo.registry, messages, value.get("commit"), document)


def _no_commit(document: Any) -> list[Finding]:
    """Return the defect of a text that is not a commit: as a path it would lead elsewhere in the cache."""
    if _COMMIT.match(document.value.get("commit", "0" * 40)):
        return []
    from babelreg.load.files.defect import finding

    return [finding("value-invalid", "'commit' is not a commit of git", document.place(("commit",)), fix=_UPDATE)]
