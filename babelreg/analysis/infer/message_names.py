"""Recorded names of messages, sorted: those that the registry declares, new URNs, and names that are not good URNs.

For a name that is not a URN, or whose version is misspelt, a URN is proposed, and the name becomes an alias:
``urn:babel:Web.Clicked``, ``com.shop.web.clicked`` and ``App\\Events\\Web\\Clicked`` are all ``urn:babel:web:clicked``.
Names with the same proposal are one message, and so are a name and a recorded URN that is proposed for it. A name whose
proposal the registry declares is not written but reported: an alias of a message that others use is for people to add.
Neither is a name that holds data, such as an id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.model import Registry, Urn, UrnError

_SCHEME = re.compile(r"urn:(?:[a-z0-9-]+:)?(?=.)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\\/:.$#\s]+")
_VERSION = re.compile(
    r"(?:(?<=.)[-_ .])?(?<![A-Za-z])(?:v|ver|version)[-_.]?(?P<number>[1-9][0-9]{0,2})\Z", re.IGNORECASE
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
# Reverse domain names, and folders of code, which say nothing about a message.
_DOMAINS = frozenset({"com", "org", "net", "io", "dev", "de", "eu", "uk", "fr", "nl"})
_FOLDERS = frozenset({"app", "apps", "application", "contracts", "domain", "dto", "event", "events", "job", "jobs"})
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class NameRules:
    """Rules for names. ``propose`` makes a URN of a context and of words that dots separate.

    ``holds_data`` tells whether a name may hold data. ``misspelt`` returns those of some URNs whose version is spelled
    otherwise than ``.vN``.
    """

    propose: Callable[[str, str], Urn]
    holds_data: Callable[[str], bool]
    misspelt: Callable[[Collection[Urn]], frozenset[Urn]]


@dataclass
class RecordedMessages:
    """Sketches of recorded messages: ``declared`` by URN, and ``new`` ones with the ``aliases`` that they are to get.

    ``likely`` has the declared URN by each name that is probably an alias of it; ``unusable`` are all other names.
    """

    declared: dict[str, MessageSketch] = field(default_factory=dict)
    new: dict[Urn, MessageSketch] = field(default_factory=dict)
    aliases: dict[Urn, list[str]] = field(default_factory=dict)
    likely: dict[str, str] = field(default_factory=dict)
    unusable: dict[str, MessageSketch] = field(default_factory=dict)


def recorded_messages(registry: Registry, sketches: Mapping[str, MessageSketch], rules: NameRules) -> RecordedMessages:
    """Return the messages of ``sketches``, which are by the name that was sent and stay as they are."""
    result = RecordedMessages()
    foreign: dict[str, MessageSketch] = {}
    for name, sketch in sorted(sketches.items()):
        urn = registry.resolve(name)
        if urn in registry.by_urn:
            result.declared[urn] = _merged(result.declared.get(urn), sketch)
            continue
        try:
            result.new[Urn.parse(name)] = sketch
        except UrnError:
            foreign[name] = sketch
    for urn_misspelt in sorted(rules.misspelt([*result.new, *_declared(registry)])):
        if urn_misspelt in result.new:
            foreign[str(urn_misspelt)] = result.new.pop(urn_misspelt)
    proposals: list[tuple[int, str, _Proposal]] = []
    for name, sketch in foreign.items():
        if (proposal := _proposal(name, sketch, rules)) is None:
            result.unusable[name] = sketch
        else:
            proposals.append((proposal.version, name, proposal))
    for _, name, proposal in sorted(proposals):  # a version after the one before it
        urn_proposed = proposal.urn(lambda other: other in result.new or str(other) in registry.by_urn)
        if str(urn_proposed) in registry.by_urn:
            result.likely[name] = str(urn_proposed)
            continue
        result.new[urn_proposed] = _merged(result.new.get(urn_proposed), foreign[name])
        result.aliases.setdefault(urn_proposed, []).append(name)
    return result


def _declared(registry: Registry) -> list[Urn]:
    return [message.parsed for message in registry.messages if message.parsed is not None]


def _merged(one: MessageSketch | None, other: MessageSketch) -> MessageSketch:
    """Return a sketch of the messages of both, neither of which is changed."""
    if one is None:
        return other
    both = deepcopy(one)
    both.merge(deepcopy(other))
    return both


class _Proposal(NamedTuple):
    """A proposed URN, the first of its versions, and the version that the name says."""

    first: Urn
    version: int

    def urn(self, is_known: Callable[[Urn], bool]) -> Urn:
        """Return the URN with its version where the one before ``is_known``, else the first."""
        versioned = Urn(self.first.context, self.first.name, self.version)
        previous = versioned.previous
        return versioned if previous is not None and is_known(previous) else self.first


def _proposal(name: str, sketch: MessageSketch, rules: NameRules) -> _Proposal | None:
    """Return the URN that is proposed for ``name``; None for a name that may hold data, or that has no letter."""
    if len(name) > _LONGEST or rules.holds_data(name):
        return None
    text = _SCHEME.sub("", name, count=1)
    version = _VERSION.search(text)
    if version is not None and version.start():
        text = text[: version.start()]
    parts = [part for part in _SEPARATORS.split(text) if part.strip("-_")]
    if len(parts) > 2 and parts[0].lower() in _DOMAINS:
        parts = parts[2:] if len(parts) > 3 else parts[1:]
    parts = [part for part in parts[:-1] if part.lower() not in _FOLDERS] + parts[-1:]
    if len(parts) == 1:
        words = _WORDS.findall(parts[0])
        queue = next(iter(sketch.queues)) if sketch.queues is not None and len(sketch.queues) == 1 else "messages"
        parts = [words[0], "-".join(words[1:])] if len(words) > 1 else [queue, *words]
    if len(parts) < 2:
        return None
    context, *rest = parts
    return _Proposal(rules.propose(context, ".".join(rest)), int(version["number"]) if version is not None else 1)
