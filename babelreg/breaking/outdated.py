"""How far a service is behind its registry: of each message it uses, what changed, and whether that breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from babelreg.breaking.check.run import check
from babelreg.breaking.containment.fields import declared
from babelreg.breaking.containment.search.node import SearchNode
from babelreg.finding import Finding, Place, Severity
from babelreg.model import Message, Registry
from babelreg.model.service_repo import ROLES, Lock
from babelreg.model.share import Share
from babelreg.schema.keywords import DEFINITIONS, ITEM_KEYWORDS, PROPERTY_KEYWORDS

__all__ = ["OutdatedMessages", "behind", "findings"]

_MOST = 12
_BELOW = frozenset({*PROPERTY_KEYWORDS, *ITEM_KEYWORDS, *DEFINITIONS, "required"})
_SHOWN = ("status", "sunset", "owner", "queue", "supersedes")


@dataclass(frozen=True, slots=True)
class OutdatedMessages:
    """Messages that are not as they were, all in the same way, such as those that share a fragment.

    ``kind`` is new, gone or changed, for the service; ``roles`` are the latest. ``breaking`` are findings
    about the first of ``urns``, placed in the newer registry; ``harmless`` says, in words, what else has changed.
    """

    urns: tuple[str, ...]
    kind: str
    roles: tuple[str, ...]
    breaking: tuple[Finding, ...] = ()
    harmless: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """The messages in a sentence: one or two by name, of more the first."""
        first, *others = self.urns
        return first if not others else f"{first} and {others[0] if len(others) == 1 else f'{len(others)} more'}"


def behind(old: Share, new: Share, changed: frozenset[str]) -> list[OutdatedMessages]:
    """What the service of both has to catch up with, by the first URN. ``changed`` are the URNs that differ at all."""
    found = _breaking(old, new, changed)
    alike: dict[Any, OutdatedMessages] = {}
    for urn in sorted(changed):
        one = _one(urn, old, new, found.get(urn, []))
        key = (one.kind, one.roles, one.harmless, *((f.rule, f.message, f.direction) for f in one.breaking))
        first = alike.get(key)
        alike[key] = replace(first, urns=(*first.urns, urn)) if first else one
    return list(alike.values())


def _breaking(old: Share, new: Share, changed: frozenset[str]) -> dict[str, list[Finding]]:
    """The findings of every message that the service used before, by URN."""
    wanted = changed & old.every
    found: dict[str, list[Finding]] = {}
    for finding in check(_only(old.registry, wanted), _only(new.registry, wanted)):
        if finding.severity.value == "error" and not _of_tables(finding):
            for urn in [finding.urn] if finding.urn else [use.urn for use in finding.messages]:
                found.setdefault(urn, []).append(replace(finding, messages=()))
    return found


def _of_tables(finding: Finding) -> bool:
    """True for what changes a column and no message: that is no matter of a service."""
    return finding.rule == "spark-type-changed" and finding.direction is None


def _only(registry: Registry, urns: frozenset[str]) -> Registry:
    return replace(registry, messages=tuple(message for message in registry.messages if message.urn in urns))


def _one(urn: str, old: Share, new: Share, breaking: list[Finding]) -> OutdatedMessages:
    before, now = old.registry.by_urn.get(urn), new.registry.by_urn.get(urn)
    roles = tuple(role for role in ROLES if urn in (new if urn in new.every else old).urns.get(role, ()))
    kind = "new" if urn not in old.every else "gone" if urn not in new.every else "changed"
    both = before is not None and now is not None
    harmless = tuple(_differences(before, now, _told(breaking))) if both and before and now else ()
    harmless = (*_roles(urn, old, new), *harmless)
    if len(harmless) > _MOST:
        harmless = (*harmless[:_MOST], f"and {len(harmless) - _MOST} more")
    return OutdatedMessages((urn,), kind, roles, tuple(breaking), harmless)


def _told(breaking: list[Finding]) -> str:
    return " ".join(f"{finding.rule} {finding.message}" for finding in breaking)


def _roles(urn: str, old: Share, new: Share) -> Iterator[str]:
    """How the part of the service in the message has changed, where it had one before and has one now."""
    if urn in old.every and urn in new.every:
        for role in ROLES:
            had, has = urn in old.urns.get(role, ()), urn in new.urns.get(role, ())
            if had != has:
                yield f"{new.service} {'now' if has else 'no longer'} {role.removesuffix('s')}s it"


def _differences(old: Message, new: Message, told: str) -> Iterator[str]:
    """What differs between two versions, in words, without what ``told`` speaks of already."""
    for name in _SHOWN:  # without the kind: another one always breaks
        before, now = getattr(old, name), getattr(new, name)
        if before != now and not (name == "status" and "status" in told):
            yield f"{name}: {_said(before)} -> {_said(now)}"
    if (old.delivery and asdict(old.delivery)) != (new.delivery and asdict(new.delivery)):
        yield "the delivery policy changed"
    if list(old.upcast) != list(new.upcast):
        yield "the upcast changed"
    if old.description != new.description:
        yield "the description changed"
    if old.schema != new.schema:
        yield from _of_fields(old.schema, new.schema, told)
    elif json.dumps(old.schema) != json.dumps(new.schema):
        yield "the order of fields changed"


def _of_fields(old: Any, new: Any, told: str) -> Iterator[str]:
    before, now = declared(old), declared(new)
    both = [(path, before[path].nodes, field.nodes) for path, field in now.items() if path in before]
    changed = [(path, _changed(was, here)) for path, was, here in both]
    names = [
        *(f"'{path}' is new" for path in now if path not in before),
        *(f"'{path}' is gone" for path in before if path not in now),
        *(f"'{path}' changed its {' and '.join(words)}" for path, words in changed if words),
    ]
    left = [said for said in names if said.partition("' ")[0] + "'" not in told]
    yield from left
    if not names and not told:
        yield "the schema changed"


def _changed(old: Sequence[SearchNode], new: Sequence[SearchNode]) -> list[str]:
    """The keywords that say something else of a field itself, not of the fields below it."""
    said = [[node.schema for node in nodes if isinstance(node.schema, dict)] for nodes in (old, new)]
    words = dict.fromkeys(word for schemas in said for schema in schemas for word in schema if word not in _BELOW)
    before, now = ([[schema.get(word) for schema in said[i]] for word in words] for i in (0, 1))
    return [word for word, was, here in zip(words, before, now, strict=True) if was != here]


def _said(value: Any) -> str:
    return "nothing" if value is None else str(value)


_FIX = "run `babelreg update` and generate anew"


def findings(
    lock: Lock, every: Sequence[OutdatedMessages] | None, changed: frozenset[str], folder: str
) -> list[Finding]:
    """What to say of ``every``; None where the pinned state of the ``changed`` URNs is not on this machine.

    ``folder`` is put before the places in the newer registry.
    """
    if every is None:
        return [_unknown(lock, urn) for urn in sorted(changed)]
    return [finding for one in every for finding in _findings(lock, one, folder)]


def _unknown(lock: Lock, urn: str) -> Finding:
    """An error, since it fails like what breaks."""
    said = f"{urn} has changed since; what was pinned is not on this machine, so whether it breaks is unknown"
    return Finding("locked-message-unknown", Severity.ERROR, said, _place(lock, urn), urn=urn, fix=_FIX)


def _findings(lock: Lock, one: OutdatedMessages, folder: str) -> Iterator[Finding]:
    urn = one.urns[0]
    place = _place(lock, urn)
    has, is_ = ("has", "is") if len(one.urns) == 1 else ("have", "are")
    for breaking in one.breaking:
        yield replace(
            breaking,
            message=f"{one.named} {has} changed since: {breaking.message}",
            place=place,
            against=breaking.below(folder).place,
            pointer=None,
            fix=f"{_FIX}, then let the code go with it",
        )
    what = {"new": f"{is_} new for {lock.service}", "gone": f"{is_} no longer of {lock.service}"}.get(one.kind)
    details = ", ".join(one.harmless)
    if what or details or not one.breaking:
        since = f"{has} changed since, and this breaks nothing"
        said = f"{one.named} {what}" if what else f"{one.named} {since}{': ' * bool(details)}{details}"
        yield Finding("locked-message-behind", Severity.WARNING, said, place, urn=urn, fix=_FIX)


def _place(lock: Lock, urn: str) -> Place:
    """The line of ``urn``; of a message that is new, the top."""
    assert lock.source is not None  # it was read
    role = lock.role(urn)
    return lock.source.place((role, urn) if role else (), key=bool(role))
