"""One import: sources become messages and fragments of a registry, as texts to write. Nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babelreg import load
from babelreg.exchange.findings import import_finding
from babelreg.exchange.importable import Importable, refusals
from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.naming.plan import ImportPlan, PlannedMessage
from babelreg.exchange.naming.planning import kind_finding, make_plan, plan_findings
from babelreg.exchange.registry_files.edit_check import disabled_edits, lost_marks
from babelreg.exchange.registry_files.message_values import ExampleCheck, LeakOf, message_value
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.registry_files.write_plan import FileWriter
from babelreg.exchange.schemas.assembly import Layout, assemble, shared_units
from babelreg.exchange.schemas.identifiers import Target
from babelreg.exchange.schemas.reports import loss_findings, place_of
from babelreg.exchange.schemas.units import SchemaUnit, UnitGraph
from babelreg.exchange.urn_guess import KindOf
from babelreg.finding import Finding, Place, Severity, shown_folder
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import Tree
from babelreg.load.registry.overlay import Overlay
from babelreg.model import Registry, Urn
from babelreg.schema.dialects import DEFAULT
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.values import mappings
from babelreg.schema.walk import walk


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Answers to what the sources do not say. Without ``plan`` one is made and applied.

    ``leak_of`` says what in an example must not be published; see :class:`ExampleCheck`.
    ``status`` is that of new messages; without it, those that are in use are active.
    """

    kind_of: KindOf
    owners: Owners
    plan: ImportPlan | None = None
    leak_of: LeakOf = lambda document: None
    status: str | None = None


@dataclass
class ImportResult:
    """The ``files`` to write, text by path, and what could not be kept. ``messages`` are the paths by URN.

    ``closed`` are the URNs of those whose source closes an object. There are no files where marks of personal data
    would be lost.
    """

    plan: ImportPlan
    files: Mapping[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    messages: dict[str, str] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()


def import_sources(sources: ImportSources, registry: Registry, tree: Tree, options: ImportOptions) -> ImportResult:
    """Return the files of ``registry``, which is in ``tree``, after an import of ``sources``."""
    run = _Import(sources, registry, tree, options)
    return run.result()


class _Import:
    def __init__(self, sources: ImportSources, registry: Registry, tree: Tree, options: ImportOptions) -> None:
        self.sources = sources
        self.registry = registry
        self.tree = tree
        self.options = options
        self.writer = FileWriter(tree, registry, sources)
        self.findings = list(sources.findings)

    def result(self) -> ImportResult:
        planned = self._planned()
        importable = Importable(self.sources, planned)
        graph, sound = importable.graph, importable.roots
        self.findings += importable.findings
        planned = [message for message in planned if message.target in set(sound)]
        recorded = self._recorded(planned)
        layout, fragments = self._layout(graph, planned, recorded)
        shared = shared_units(graph, sound, layout)
        plan = make_plan(
            self.sources,
            planned,
            shared,
            kind_of=self.options.kind_of,
            status=self.options.status,
            present=self.registry.by_urn,
            given=self.options.plan,
            recorded=recorded,
            recorded_fragments=fragments,
            taken=self.writer.taken(recorded.values()),
        )
        planned = self._of_one_urn(planned, plan)
        self.findings += kind_finding(self.sources, plan)
        self._write(graph, plan, planned, [message.target for message in planned], shared, layout)
        reached = {unit.target for root in sound for unit in graph.reachable(graph.units[root])}
        self.findings += loss_findings(self.sources.index, graph, reached, by_file=False)
        self.findings += self.writer.findings
        files = self.writer.files()
        if self.writer.record and files:
            after = load.from_tree(Overlay(self.tree, files), self.registry.root)
            lost = list(lost_marks(self.registry, after))
            if lost:
                return ImportResult(plan, {}, self.findings + lost)
            self.findings += disabled_edits(self.tree, self.writer.record, self.registry, after)
        messages = {
            message.urn: self.writer.written[key]
            for key, message in plan.messages.items()
            if key in self.writer.written
        }
        self.findings += self.sources.leftovers(self.writer.written)
        if not messages and all(finding.severity is not Severity.ERROR for finding in self.findings):
            place = Place(shown_folder(self.sources.root) or ".")
            self.findings.append(import_finding("import-no-message", "no message is imported", place))
        closed = {plan.messages[message.key].urn for message in planned if _is_closed(graph, message.target)}
        return ImportResult(plan, files, self.findings, messages, frozenset(closed & messages.keys()))

    def _recorded(self, planned: Sequence[SourceMessage]) -> dict[str, str]:
        """Return the paths of messages that earlier imports wrote, by key: from it or an older revision."""
        recorded = self.writer.recorded([message.key for message in planned])
        former = {key: message.key for message in planned for key in message.former_keys}
        return {**{former[key]: path for key, path in self.writer.recorded(former).items()}, **recorded}

    def _layout(
        self, graph: UnitGraph, planned: Sequence[SourceMessage], recorded: Mapping[str, str]
    ) -> tuple[Layout, dict[str, str]]:
        """Return where the registry has the units of ``planned``, and the paths of fragments by key."""
        reached: dict[str, SchemaUnit] = {}
        held = {}
        for message in planned:
            units = {self.sources.key_of(unit.target): unit for unit in graph.reachable(graph.units[message.target])}
            reached |= units
            if message.key in recorded:
                names = self.writer.recorded_definitions(recorded[message.key], units)
                held[message.target] = {units[key]: name for key, name in names.items()}
        fragments = self.writer.recorded(reached, fragments=True)
        return Layout(frozenset(reached[key] for key in fragments), held), fragments

    def _planned(self) -> list[SourceMessage]:
        given = self.options.plan
        if given is None:
            return self.sources.messages
        self.findings += plan_findings(self.sources, given)
        return [message for message in self.sources.messages if message.key in given.messages]

    def _of_one_urn(self, planned: Sequence[SourceMessage], plan: ImportPlan) -> list[SourceMessage]:
        """Return ``planned`` without those whose URN another one names, too."""
        first: dict[str, SourceMessage] = {}
        for message in planned:
            urn = plan.messages[message.key].urn
            if first.setdefault(urn, message) is not message:
                reason = f"{first[urn].key} names {urn}, too"
                self.findings += refusals(self.sources, [message], message.target, reason)
                del plan.messages[message.key]
        return list(first.values())

    def _with_recorded_status(
        self, source: SourceMessage, entry: PlannedMessage, value: dict[str, Any]
    ) -> dict[str, Any]:
        """Return ``value`` with the status that the last import wrote, so that a merge leaves that of the file alone.

        A status that the source or the given plan states is not replaced.
        """
        given = self.options.plan
        recorded = self.writer.record.get(Urn.parse(entry.urn).path)
        if source.status is not None or (given and source.key in given.messages) or recorded is None:
            return value
        rest = {key: item for key, item in value.items() if key != "status"}
        return {**rest, "status": recorded.value["status"]} if "status" in recorded.value else rest

    def _write(
        self,
        graph: UnitGraph,
        plan: ImportPlan,
        planned: list[SourceMessage],
        sound: list[Target],
        shared: Mapping[SchemaUnit, None],
        layout: Layout,
    ) -> None:
        index = self.sources.index
        names = {unit: plan.fragments[self.sources.key_of(unit.target)] for unit in shared}
        assembly = assemble(graph, sound, names, layout)
        for target in assembly.adjusted:
            message = "'type: object' is added: the data of a message is always an object"
            finding = import_finding("import-schema-adjusted", message, place_of(index, target), pointer=target[1])
            self.findings.append(finding)
        check = ExampleCheck(graph, self.registry, self.options.leak_of)
        urns = {*self.registry.by_urn, *(message.urn for message in plan.messages.values())}
        for source in planned:
            if source.target not in assembly.data or source.key not in plan.messages:
                continue
            entry = plan.messages[source.key]
            owner = self.options.owners.of(self.sources, source)
            examples = check.valid(source, entry, self.findings)
            value = message_value(source, entry, assembly.data[source.target], graph, owner, examples, urns)
            value = self._with_recorded_status(source, entry, value)
            held = {self.sources.key_of(unit.target): name for unit, name in assembly.held[source.target].items()}
            self.writer.message(source, entry, value, held)
        for unit, name in names.items():
            self.writer.fragment(name, self.sources.key_of(unit.target), assembly.fragments[name])
        self.writer.contexts()
        self.writer.services()
        self.writer.gone()
        self._propose_lenient(graph, [source for source in planned if source.target in assembly.data], plan)

    def _propose_lenient(self, graph: UnitGraph, sources: Sequence[SourceMessage], plan: ImportPlan) -> None:
        """Report that most schemas are open: each property that they gain breaks, unless that is accepted."""
        of_open = [source for source in sources if _is_open(graph, source)]
        contexts = {
            Urn.parse(plan.messages[source.key].urn).context for source in of_open if source.key in plan.messages
        }
        strict = any(self.registry.compatibility(name).open_objects == "strict" for name in contexts)
        if len(of_open) < 2 or 2 * len(of_open) <= len(sources) or not strict:
            return
        number = f"{len(of_open)} of {len(sources)} schemas set 'additionalProperties: true'"
        message = f"{number}: each property that they declare later breaks [property-declared]"
        fix = f"accept that with `compatibility: {{open_objects: lenient}}` in {SETTINGS}"
        place = Place("/".join(filter(None, (shown_folder(self.registry.root), SETTINGS))))
        self.findings.append(import_finding("import-open-objects", message, place, fix=fix))


def _is_open(graph: UnitGraph, source: SourceMessage) -> bool:
    """Return True where an object of the schema takes any other property, explicitly."""
    schemas = (unit.schema for unit in graph.reachable(graph.units[source.target]))
    return any(
        isinstance(node.schema, dict) and node.schema.get("additionalProperties") is True
        for schema in schemas
        for node in walk(schema, DEFAULT)
    )


def _is_closed(graph: UnitGraph, root: Target) -> bool:
    """Return True where an object of the schema at ``root`` admits no undeclared properties."""
    units = graph.reachable(graph.units[root])
    return any(
        node.get(keyword) is False
        for unit in units
        for node in mappings(unit.schema)
        for keyword in ADDITIONAL_PROPERTIES
    )
