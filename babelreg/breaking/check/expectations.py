"""Findings about what consumers expect: an expectation that held and no longer holds, and one that was removed.

An expectation is judged by itself, even where the registry's rules are content with the change: a producer may add a
member to an open enumeration, and a consumer that handles the members of today is told. Only one that stands in both
registries, for the same service, message and path, can break, so that adding one never makes a change fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from babelreg.breaking.changes.abbreviation import short
from babelreg.breaking.changes.pairs import Pair, pairs
from babelreg.breaking.check import impact
from babelreg.breaking.rules import EXPECTATION_BROKEN, EXPECTATION_REMOVED, SEVERITIES
from babelreg.containment.expectation import ExpectationVerdict, expectation_verdict
from babelreg.containment.fields import declared, field_path
from babelreg.containment.second_validator import SecondValidator
from babelreg.finding import NOTHING, Finding, Place, Rollout
from babelreg.model import Expectation, Message, Registry, Service
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.values import identical


def standing_expectations(old: Registry, new: Registry) -> Counter[str]:
    """Return the number of expectations in both registries by file of the message, where the schemas differ."""
    return Counter(
        {
            pair.new.source.path: sum(1 for _ in _standing(pair))
            for pair in pairs(old, new)
            if pair.new is not None and _may_break(pair)
        }
    )


def expectation_findings(pair: Pair, shared: SecondValidator | None = None) -> Iterator[Finding]:
    """Yield an error for each expectation that ``pair`` breaks, and an info for each that was removed with it."""
    if not _may_break(pair):
        return
    for service, expectation in _standing(pair):
        after = _verdict(pair, pair.new, expectation, shared)
        if not after.holds and _verdict(pair, pair.old, expectation, shared).holds:
            yield _broken(pair, service, expectation, after)
    for service, expectation in _removed(pair):
        yield _gone(pair, service, expectation, shared)


def _may_break(pair: Pair) -> bool:
    return pair.data_changed and pair.new is not None and pair.new.status not in ("draft", "retired")


def _standing(pair: Pair) -> Iterator[tuple[Service, Expectation]]:
    return ((service, each) for service, each, stands in _published(pair) if stands)


def _removed(pair: Pair) -> Iterator[tuple[Service, Expectation]]:
    return ((service, each) for service, each, stands in _published(pair) if not stands)


def _published(pair: Pair) -> Iterator[tuple[Service, Expectation, bool]]:
    """Yield what is expected of the published message, and whether the same service expects it now."""
    present = pair.new_registry.expectations.get(pair.urn, {})
    for name, expected in pair.old_registry.expectations.get(pair.old.urn, {}).items():
        now = present.get(name, {})
        for path, expectation in expected.items():
            stands = path in now and identical(now[path].schema, expectation.schema)
            yield pair.old_registry.services[name], expectation, stands


def _verdict(
    pair: Pair, message: Message | None, expectation: Expectation, shared: SecondValidator | None
) -> ExpectationVerdict:
    assert pair.new is not None
    assert message is not None
    reader: Any = pair.new_registry.compatibility(pair.new.context).reader
    return expectation_verdict(message.schema, expectation.path, expectation.schema, reader=reader, shared=shared)


def _broken(pair: Pair, service: Service, expectation: Expectation, after: ExpectationVerdict) -> Finding:
    assert pair.new is not None
    about = _about(service, expectation)
    mint = pair.mint
    finding = replace(
        _placed(pair, expectation, EXPECTATION_BROKEN),
        fix=f"send only what it expects, or ask {service.name} to widen its 'expects' first, or {mint}",
        direction="forward",
        reason=after.verdict.reason,
    )
    if after.witness is None:
        return replace(finding, message=f"{about}, and whether producers satisfy that can no longer be decided")
    refusal, document = after.witness.refusal, after.witness.document
    instance = (*refusal.instance, *([] if refusal.missing is None else [refusal.missing]))
    missing = f"'{field_path(instance)}' may be missing"
    now = missing if refusal.missing is not None else f"it may be {short(after.value)}"
    hurts = impact.of_expectation(pair, service, document, instance)
    producers = tuple(dict.fromkeys((*pair.old.producers, *pair.new.producers)))
    return replace(
        finding,
        message=f"{about}, and {now} now",
        witness=document,
        instance=instance,
        hurts=hurts,
        breaks=impact.lines(hurts),
        rollout=Rollout("consumers", (service.name,), producers),
    )


def _gone(pair: Pair, service: Service, expectation: Expectation, shared: SecondValidator | None) -> Finding:
    after = _verdict(pair, pair.new, expectation, shared)
    if after.holds:
        holds = "it is still satisfied"
    elif not _verdict(pair, pair.old, expectation, shared).holds:
        holds = "it was not satisfied before either"
    elif after.witness is None:
        holds = "whether this change would break it cannot be decided"
    else:
        holds = "this change would break it"
    about = f"'{service.name}'{_owner(service)} no longer expects {short(expectation.schema)} of '{expectation.path}'"
    return replace(
        _placed(pair, expectation, EXPECTATION_REMOVED),
        message=f"{about}: {holds}",
        fix=f"ask {service.owner or service.name} whether the consumer can work without it",
    )


def _placed(pair: Pair, expectation: Expectation, rule: str) -> Finding:
    """Return a finding without a text, at the field that the expectation is about."""
    assert pair.new is not None
    at, before = _pointer(pair.new, expectation), _pointer(pair.old, expectation)
    places: list[Place] = [message.place(p, key=True) for message, p in ((pair.new, at), (pair.old, before))]
    pointer = text(pair.new.located(at)[1])
    return Finding(
        rule, SEVERITIES[rule], "", places[0], urn=pair.urn, pointer=pointer, against=places[1], witness=NOTHING
    )


def _pointer(message: Message, expectation: Expectation) -> Pointer:
    field = declared(message.schema).get(expectation.path)
    return () if field is None else field.pointer


def _about(service: Service, expectation: Expectation) -> str:
    return f"'{service.name}'{_owner(service)} expects {short(expectation.schema)} of '{expectation.path}'"


def _owner(service: Service) -> str:
    return f" ({service.owner})" if service.owner else ""
