"""Coverage of a registry by its traffic: the classes of a window, their file, and falls since an earlier window."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from babelreg.analysis.drift.message_traffic import MessageTraffic
from babelreg.model import Message
from babelreg.model.coverage import ALWAYS, CLASSES, ENOUGH, Coverage, MessageCoverage, class_of, least
from babelreg.schema.pointer import Pointer


def measured(messages: Iterable[MessageTraffic], window_days: int) -> Coverage:
    """Return the coverage of ``messages`` in a window of ``window_days``."""
    return Coverage(window_days, {each.message.urn: each.coverage() for each in messages})


def text(coverage: Coverage) -> str:
    """Return the content of a coverage file: the same for the same classes."""
    messages = {urn: _given(asdict(message)) for urn, message in coverage.messages.items()}
    whole = {"version": 1, "window_days": coverage.window_days, "messages": messages}
    return json.dumps(whole, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _given(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


@dataclass(frozen=True, slots=True)
class Fall:
    """A field or member at ``pointer`` of the bundled schema that was sent in ``sent`` of ``holders`` only."""

    message: Message
    subject: str
    pointer: Pointer
    before: str
    sent: int
    holders: int
    is_key: bool


@dataclass
class CoverageComparison:
    """The falls since an earlier coverage, and phrases on what was not judged."""

    falls: list[Fall] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


def compare_coverage(before: Coverage, messages: Iterable[MessageTraffic], window_days: int) -> CoverageComparison:
    """Return what fell since ``before`` in a window of ``window_days``."""
    result = CoverageComparison()
    if before.window_days != window_days:
        then = f"the coverage covers {before.window_days} days, this traffic {window_days}"
        result.not_judged.append(f"nothing was compared: {then}")
        return result
    for each in messages:
        earlier = before.messages.get(each.message.urn)
        if earlier is None:
            continue
        wanted = max(ENOUGH, least(earlier.messages))
        if each.count < wanted:
            result.not_judged.append(f"{each.message.urn} was not compared: {each.count:,} of {wanted:,} messages")
            continue
        result.falls += _falls(each, earlier)
    return result


def _falls(each: MessageTraffic, earlier: MessageCoverage) -> Iterator[Fall]:
    # The earlier window had fewer messages than ten times the bound of its class: a count is compared as if this
    # window had as many.
    scale = max(1, 10 * least(earlier.messages) // each.count)
    for sent in each.fields:
        before, traffic = earlier.fields.get(sent.field.path), sent.traffic
        if before is not None and traffic is not None and _is_lower(before, traffic.present, traffic.holders, scale):
            subject = f"'{sent.field.path}'"
            yield Fall(each.message, subject, sent.field.pointer, before, traffic.present, traffic.holders, True)
    for member in each.members():
        before = earlier.enums.get(member.field.path, {}).get(member.value)
        traffic = each.at(member.field.steps)
        texts = traffic.values.strings if traffic is not None and traffic.values is not None else 0
        if before is not None and _is_lower(before, member.times, texts, scale):
            subject = f"'{member.value}' of '{member.field.path}'"
            yield Fall(each.message, subject, member.pointer, before, member.times, texts, False)


def _is_lower(before: str, count: int, holders: int, scale: int) -> bool:
    """Return True where the class of ``count`` is below ``before``; without holders, another field fell."""
    if not holders:
        return False
    if before == ALWAYS:
        return count < holders
    return CLASSES.index(class_of(count * scale)) < CLASSES.index(before)
