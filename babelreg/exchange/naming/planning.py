"""Making of a plan: names of messages and fragments as recorded by earlier imports, else guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.naming.plan import STATES, ImportPlan, PlannedMessage
from babelreg.exchange.schemas.units import SchemaUnit
from babelreg.exchange.urn_guess import RESERVED, KindOf, UrnGuess, slug, without_suffix
from babelreg.finding import Finding, Place
from babelreg.model import Message, Urn

_MOST_NAMED = 3


def make_plan(
    sources: ImportSources,
    messages: Sequence[SourceMessage],
    shared: Iterable[SchemaUnit],
    *,
    kind_of: KindOf,
    status: str | None,
    present: Mapping[str, Message],
    given: ImportPlan | None,
    recorded: Mapping[str, str],
    recorded_fragments: Mapping[str, str],
    taken: Iterable[str],
) -> ImportPlan:
    """Return the plan for ``messages`` and the units that they share; ``given`` decides where it names a source.

    ``status`` is that of messages whose source states none; without it, messages in use are active. Messages that are
    ``present`` in the registry keep theirs.
    ``recorded`` are the paths of messages that an earlier import of the same sources wrote, by source, and
    ``recorded_fragments`` those of fragments; ``taken`` are the paths of all files but the former.
    """
    plan = ImportPlan()
    others = [*taken]
    guess = UrnGuess(urn for path in others if (urn := _urn_of(path)) is not None)
    planner = _MessagePlanner(kind_of, status, present)
    known = {message.key: _known(message, recorded, given, planner) for message in messages}
    for entry in known.values():
        if entry is not None:
            guess.take(entry.urn)
    for message in messages:
        plan.messages[message.key] = known[message.key] or planner.guessed(message, guess)
    names = _FragmentNames(others, given.fragments if given else {}, recorded_fragments)
    for unit in shared:
        key = sources.key_of(unit.target)
        plan.fragments[key] = names.name(unit, key)
    return plan


def plan_findings(sources: ImportSources, plan: ImportPlan) -> Iterator[Finding]:
    """Yield a finding for each source that ``plan`` does not name, and for each that it names in vain."""
    present = {message.key for message in sources.messages}
    for message in sources.messages:
        if message.key not in plan.messages:
            place = sources.index.files[message.target[0]].document.place()
            text = f"the plan does not list {message.key}, so it is left out"
            fix = f"add it below 'messages:' of the plan, as {message.key}: {{urn: urn:babel:…}}"
            yield import_finding("import-source-unplanned", text, place, fix=fix)
    for key in plan.messages:
        if key not in present:
            text = f"the plan lists {key}, which is not among the sources"
            yield import_finding("import-source-unplanned", text, Place(key.partition("#")[0]), fix="remove its line")


def kind_finding(sources: ImportSources, plan: ImportPlan) -> Iterator[Finding]:
    """Yield one finding about all messages of ``plan`` whose kind nothing tells."""
    unsure = {key: message.urn for key, message in plan.messages.items() if message.unsure}
    if unsure:
        first = next(message for message in sources.messages if message.key in unsure)
        place = sources.index.files[first.target[0]].document.place()
        urns = list(unsure.values())
        more = f" and {len(urns) - _MOST_NAMED} more" if len(urns) > _MOST_NAMED else ""
        imported = "they are imported as events" if len(urns) > 1 else "it is imported as an event"
        text = f"the kind is unclear for {', '.join(urns[:_MOST_NAMED])}{more}; {imported}"
        fix = "set kind: command where a message asks for something to be done, in its file or in a plan"
        yield import_finding("import-kind-unknown", text, place, fix=fix)


def _known(
    message: SourceMessage, recorded: Mapping[str, str], given: ImportPlan | None, planner: _MessagePlanner
) -> PlannedMessage | None:
    """Return what is said of a message, by the plan, its source or the registry; None where nothing is."""
    if given is not None and message.key in given.messages:
        return given.messages[message.key]
    urn = message.urn or _urn_of(recorded.get(message.key, ""))
    return None if urn is None else planner.planned(message, urn)


@dataclass(frozen=True, slots=True)
class _MessagePlanner:
    kind_of: KindOf
    status: str | None
    present: Mapping[str, Message]

    def guessed(self, message: SourceMessage, guess: UrnGuess) -> PlannedMessage:
        urn, told = guess.guess(message.context, message.words)
        return self.planned(message, str(urn), told)

    def planned(self, message: SourceMessage, urn: str, told: str | None = None) -> PlannedMessage:
        present = self.present.get(urn)
        kind = message.kind or (present.kind if present else None) or told or self.kind_of(Urn.parse(urn).name)
        kept = present.status if present and present.status in STATES else None
        status = message.status or kept or self.status or ("active" if message.certain else "draft")
        return PlannedMessage(urn, kind or "event", status, unsure=kind is None)


def _urn_of(path: str) -> str | None:
    """Return the URN of a message file by its path; None for other files."""
    context, _, name = path.partition("/")
    if not name.endswith(".yaml") or name.startswith("_") or context.startswith("_"):
        return None
    urn = f"urn:babel:{context}:{name.removesuffix('.yaml')}"
    try:
        return str(Urn.parse(urn))
    except ValueError:
        return None


class _FragmentNames:
    def __init__(self, taken: Iterable[str], given: Mapping[str, str], recorded: Mapping[str, str]) -> None:
        self.given = given
        self.recorded = recorded
        self.taken = {path.removeprefix("_common/").lower() for path in taken if path.startswith("_common/")}
        self.taken |= set(given.values())

    def name(self, unit: SchemaUnit, key: str) -> str:
        if key in self.given:
            return self.given[key]
        if key in self.recorded:
            return self.recorded[key].removeprefix("_common/")
        own = slug(unit.name) or "schema"
        if own in RESERVED:
            own = f"{own}-schema"
        file = slug(without_suffix(key.partition("#")[0].rpartition("/")[2]))
        candidates = [own, f"{file}-{own}" if file and file != own else own]
        number = 2
        while f"{candidates[0]}.yaml" in self.taken:
            candidates.pop(0)
            if not candidates:
                candidates.append(f"{own}-n{number}")
                number += 1
        self.taken.add(f"{candidates[0]}.yaml")
        return f"{candidates[0]}.yaml"
