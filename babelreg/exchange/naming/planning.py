"""Making of a plan: names of messages and fragments as recorded by earlier imports, else guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.naming.plan import ImportPlan, PlannedMessage
from babelreg.exchange.naming.urn_guess import RESERVED, KindOf, UrnGuess, slug, without_suffix
from babelreg.exchange.schemas.units import SchemaUnit
from babelreg.finding import Finding, Place
from babelreg.model import Urn

__all__ = ["make_plan", "plan_findings"]


def make_plan(
    sources: ImportSources,
    messages: Sequence[SourceMessage],
    shared: Iterable[SchemaUnit],
    *,
    kind_of: KindOf,
    given: ImportPlan | None,
    recorded: Mapping[str, str],
    recorded_fragments: Mapping[str, str],
    taken: Iterable[str],
) -> ImportPlan:
    """Return the plan for ``messages`` and the units that they share; ``given`` decides where it names a source.

    ``recorded`` are the paths of messages that an earlier import of the same sources wrote, by source, and
    ``recorded_fragments`` those of fragments; ``taken`` are the paths of all files but the former.
    """
    plan = ImportPlan()
    others = [*taken]
    guess = UrnGuess(urn for path in others if (urn := _urn_of(path)) is not None)
    known = {message.key: _known(message, recorded, given, kind_of) for message in messages}
    for entry in known.values():
        if entry is not None:
            guess.take(entry.urn)
    for message in messages:
        plan.messages[message.key] = known[message.key] or _guessed(message, guess, kind_of)
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
            text = f"the plan does not name {message.key}, which is left out"
            fix = f"add it below 'messages:' of the plan, as {message.key}: {{urn: urn:babel:…}}"
            yield import_finding("import-source-unplanned", text, place, fix=fix)
    for key in plan.messages:
        if key not in present:
            text = f"the plan names {key}, which is not among the sources"
            yield import_finding("import-source-unplanned", text, Place(key.partition("#")[0]), fix="remove its line")


def _known(
    message: SourceMessage, recorded: Mapping[str, str], given: ImportPlan | None, kind_of: KindOf
) -> PlannedMessage | None:
    """Return what is said of a message, by the plan, its source or the registry; None where nothing is."""
    if given is not None and message.key in given.messages:
        return given.messages[message.key]
    urn = message.urn or _urn_of(recorded.get(message.key, ""))
    return None if urn is None else _planned(message, urn, kind_of(Urn.parse(urn).name))


def _guessed(message: SourceMessage, guess: UrnGuess, kind_of: KindOf) -> PlannedMessage:
    urn, told = guess.guess(message.context, message.words)
    return _planned(message, str(urn), told or kind_of(urn.name))


def _planned(message: SourceMessage, urn: str, told: str | None) -> PlannedMessage:
    kind = message.kind or told
    status = message.status or ("active" if kind is not None and message.certain else "draft")
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
