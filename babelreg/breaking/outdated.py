"""Outdated messages of a service: what changed in each since it was pinned, whether that breaks, as findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from babelreg.breaking.check.run import check
from babelreg.containment.fields import declared
from babelreg.containment.search.node import SearchNode
from babelreg.finding import Finding, Place, Severity
from babelreg.model import Message, Registry
from babelreg.model.service_repo import ROLES, Lock
from babelreg.model.service_subset import Share
from babelreg.schema.keywords import DEFINITIONS, ITEM_KEYWORDS, PROPERTY_KEYWORDS

_MAX_CHANGES = 12
_BELOW = frozenset({*PROPERTY_KEYWORDS, *ITEM_KEYWORDS, *DEFINITIONS, "required"})
_SHOWN = ("status", "sunset", "owner", "queue", "supersedes")


@dataclass(frozen=True, slots=True)
class OutdatedMessages:
    """Messages that changed in the same way, such as those that share a fragment.

    ``kind`` is new, gone or changed, for the service; ``roles`` are the latest. ``breaking`` are findings about the
    first of ``urns``, with places in the newer registry; ``harmless`` are descriptions of the other changes.
    """

    urns: tuple[str, ...]
    kind: str
    roles: tuple[str, ...]
    breaking: tuple[Finding, ...] = ()
    harmless: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """The messages in a sentence: one or two by name, else the first and their number."""
        first, *others = self.urns
        return first if not others else f"{first} and {others[0] if len(others) == 1 else f'{len(others)} more'}"


def outdated_messages(old: Share, new: Share, changed: frozenset[str]) -> list[OutdatedMessages]:
    """Return the outdated messages of a service, by first URN. ``changed`` are the URNs with any difference."""
    findings_by_urn = _breaking(old, new, changed)
    groups: dict[Any, OutdatedMessages] = {}
    for urn in sorted(changed):
        message = _outdated_message(urn, old, new, findings_by_urn.get(urn, []))
        breaks = ((finding.rule, finding.message, finding.direction) for finding in message.breaking)
        key = (message.kind, message.roles, message.harmless, *breaks)
        first = groups.get(key)
        groups[key] = replace(first, urns=(*first.urns, urn)) if first else message
    return list(groups.values())


def _breaking(old: Share, new: Share, changed: frozenset[str]) -> dict[str, list[Finding]]:
    """Return the findings of every message that the service already used, by URN."""
    wanted = changed & old.every
    by_urn: dict[str, list[Finding]] = {}
    for finding in check(_only(old.registry, wanted), _only(new.registry, wanted)):
        if finding.severity.value == "error" and not _is_table_change(finding):
            for urn in [finding.urn] if finding.urn else [use.urn for use in finding.messages]:
                by_urn.setdefault(urn, []).append(replace(finding, messages=()))
    return by_urn


def _is_table_change(finding: Finding) -> bool:
    """Return True for a changed column without a changed message, which does not concern a service."""
    return finding.rule == "spark-type-changed" and finding.direction is None


def _only(registry: Registry, urns: frozenset[str]) -> Registry:
    return replace(registry, messages=tuple(message for message in registry.messages if message.urn in urns))


def _outdated_message(urn: str, old: Share, new: Share, breaking: list[Finding]) -> OutdatedMessages:
    before, after = old.registry.by_urn.get(urn), new.registry.by_urn.get(urn)
    roles = tuple(role for role in ROLES if urn in (new if urn in new.every else old).urns.get(role, ()))
    kind = "new" if urn not in old.every else "gone" if urn not in new.every else "changed"
    harmless = tuple(_differences(before, after, _reported_text(breaking))) if before and after else ()
    harmless = (*_roles(urn, old, new), *harmless)
    if len(harmless) > _MAX_CHANGES:
        harmless = (*harmless[:_MAX_CHANGES], f"and {len(harmless) - _MAX_CHANGES} more")
    return OutdatedMessages((urn,), kind, roles, tuple(breaking), harmless)


def _reported_text(breaking: list[Finding]) -> str:
    return " ".join(f"{finding.rule} {finding.message}" for finding in breaking)


def _roles(urn: str, old: Share, new: Share) -> Iterator[str]:
    """Yield the changed roles of the service in a message that it used before and still uses."""
    if urn in old.every and urn in new.every:
        for role in ROLES:
            had, has = urn in old.urns.get(role, ()), urn in new.urns.get(role, ())
            if had != has:
                yield f"{new.service} {'now' if has else 'no longer'} {role.removesuffix('s')}s it"


def _differences(old: Message, new: Message, reported: str) -> Iterator[str]:
    """Yield descriptions of the differences between two versions, without those mentioned in ``reported``."""
    for name in _SHOWN:  # without the kind: another one always breaks
        before, after = getattr(old, name), getattr(new, name)
        if before != after and not (name == "status" and "status" in reported):
            yield f"{name}: {_spelled(before)} -> {_spelled(after)}"
    if (old.delivery and asdict(old.delivery)) != (new.delivery and asdict(new.delivery)):
        yield "the delivery policy changed"
    if list(old.upcast) != list(new.upcast):
        yield "the upcast changed"
    if old.description != new.description:
        yield "the description changed"
    if old.schema != new.schema:
        yield from _of_fields(old.schema, new.schema, reported)
    elif json.dumps(old.schema) != json.dumps(new.schema):
        yield "the order of fields changed"


def _of_fields(old: Any, new: Any, reported: str) -> Iterator[str]:
    before, after = declared(old), declared(new)
    in_both = [(path, before[path].nodes, field.nodes) for path, field in after.items() if path in before]
    changed = [(path, _changed_keywords(old_nodes, new_nodes)) for path, old_nodes, new_nodes in in_both]
    descriptions = [
        *(f"'{path}' is new" for path in after if path not in before),
        *(f"'{path}' was removed" for path in before if path not in after),
        *(f"'{path}' changed its {' and '.join(keywords)}" for path, keywords in changed if keywords),
    ]
    yield from (text for text in descriptions if text.partition("' ")[0] + "'" not in reported)
    if not descriptions and not reported:
        yield "the schema changed"


def _changed_keywords(old: Sequence[SearchNode], new: Sequence[SearchNode]) -> list[str]:
    """Return the changed keywords of a field itself, not of the fields below it."""
    sides = [[node.schema for node in nodes if isinstance(node.schema, dict)] for nodes in (old, new)]
    keywords = dict.fromkeys(
        keyword for schemas in sides for schema in schemas for keyword in schema if keyword not in _BELOW
    )
    before, after = ([[schema.get(keyword) for schema in side] for keyword in keywords] for side in sides)
    return [keyword for keyword, was, now in zip(keywords, before, after, strict=True) if was != now]


def _spelled(value: Any) -> str:
    return "nothing" if value is None else str(value)


_FIX = "run `babelreg update` and generate again"


def findings(
    lock: Lock, outdated: Sequence[OutdatedMessages] | None, changed: frozenset[str], folder: str
) -> list[Finding]:
    """Return findings at the lines of a service's lock: errors for what breaks, warnings for the rest.

    ``outdated`` is None where the pinned state of the ``changed`` URNs is not on this machine. ``folder`` is the prefix
    of places in the newer registry.
    """
    if outdated is None:
        return [_unknown(lock, urn) for urn in sorted(changed)]
    return [finding for messages in outdated for finding in _findings(lock, messages, folder)]


def _unknown(lock: Lock, urn: str) -> Finding:
    """Return an error: an unknown change fails like a break."""
    message = f"{urn} has changed since, but the pinned state is not on this machine, so the effect is unknown"
    return Finding("locked-message-unknown", Severity.ERROR, message, _place(lock, urn), urn=urn, fix=_FIX)


def _findings(lock: Lock, outdated: OutdatedMessages, folder: str) -> Iterator[Finding]:
    urn = outdated.urns[0]
    place = _place(lock, urn)
    has, is_ = ("has", "is") if len(outdated.urns) == 1 else ("have", "are")
    for breaking in outdated.breaking:
        yield replace(
            breaking,
            message=f"{outdated.named} {has} changed since: {breaking.message}",
            place=place,
            against=breaking.below(folder).place,
            pointer=None,
            fix=f"{_FIX}, then commit the code with it",
        )
    what = {"new": f"{is_} new for {lock.service}", "gone": f"{is_} no longer of {lock.service}"}.get(outdated.kind)
    details = ", ".join(outdated.harmless)
    if what or details or not outdated.breaking:
        since = f"{has} changed since, but nothing breaks"
        message = f"{outdated.named} {what}" if what else f"{outdated.named} {since}{': ' * bool(details)}{details}"
        yield Finding("locked-message-behind", Severity.WARNING, message, place, urn=urn, fix=_FIX)


def _place(lock: Lock, urn: str) -> Place:
    """Return the line of ``urn`` in the lock; its top for a new message."""
    assert lock.source is not None  # it was read
    role = lock.role(urn)
    return lock.source.place((role, urn) if role else (), key=bool(role))
