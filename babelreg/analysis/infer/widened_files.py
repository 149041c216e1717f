"""Files of a registry whose messages show more than their schemas accept: each is widened, unless that breaks somebody.

An edit of a shared fragment counts for all messages that use it. Whether an edit breaks somebody is not decided here: a
function tells it of the edited registry. What it reports is taken back, edit by edit, until nothing breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from babelreg.analysis.infer.new_files import InferenceOptions
from babelreg.analysis.infer.schema import SchemaInference
from babelreg.analysis.infer.widened_text import widened
from babelreg.analysis.infer.widening import Widening, Widenings
from babelreg.analysis.infer.written_places import WrittenPlaces
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.contract import views
from babelreg.finding import Finding
from babelreg.load.files.tree import Tree
from babelreg.load.registry.builder import from_tree
from babelreg.load.registry.format import roles
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.yaml import parser
from babelreg.model import Message, Registry
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import identify, is_valid_schema
from babelreg.schema.pointer import Pointer

if TYPE_CHECKING:
    from jsonschema_rs import Validator

Check = Callable[[Registry, Registry], Sequence[Finding]]
"""Returns what breaks between a registry and the edited one."""


@dataclass(frozen=True, slots=True)
class HeldWidening:
    """A widening that is not written: ``reason`` says why, ``breaks`` whom it would break.

    ``is_breaking`` is False for an edit that cannot be made in place.
    """

    widening: Widening
    reason: str
    breaks: tuple[str, ...] = ()
    is_breaking: bool = True


@dataclass
class WidenedFiles:
    """The edited files, the ``made`` widenings and those ``held`` back. ``exceptions`` are tolerated ones by file.

    ``invalid`` are the messages of which values were seen, and whose schemas are no valid JSON Schema.
    """

    changes: Mapping[str, FileChange] = field(default_factory=dict)
    made: list[Widening] = field(default_factory=list)
    held: list[HeldWidening] = field(default_factory=list)
    exceptions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    invalid: list[Message] = field(default_factory=list)


def is_widened(message: Message) -> bool:
    """Return True for a message whose schema may be widened: one that is not retired, and whose schema is valid."""
    return message.status != "retired" and is_valid_schema(message.schema)


def widened_files(
    registry: Registry,
    tree: Tree,
    messages: Mapping[str, MessageSketch],
    options: InferenceOptions,
    check: Check | None,
) -> WidenedFiles:
    """Return the files of ``registry``, in ``tree``, that accept what was seen of ``messages``, by URN.

    Without ``check``, widenings are written whoever they break. Nothing is written to ``tree``.
    """
    places = WrittenPlaces()
    run = _Run(registry, tree)
    for urn, sketch in sorted(messages.items()):
        message = registry.by_urn[urn]
        if is_widened(message):
            strict = registry.compatibility(message.context).reader == "strict"
            places.add(message, sketch.data, strict=strict)
        elif message.status != "retired":
            run.result.invalid.append(message)
    widenings = run.widenings(places, options)
    if widenings:
        places.freeze(registry.messages)
        widenings = run.widenings(places, options)
    if widenings:
        run.write(widenings, check)
    return run.result


class _Run:
    def __init__(self, registry: Registry, tree: Tree) -> None:
        self._registry = registry
        self._tree = tree
        self._roles = roles(registry)
        self._texts = Overlay(tree)
        self.result = WidenedFiles()

    def widenings(self, places: WrittenPlaces, options: InferenceOptions) -> list[Widening]:
        inference = SchemaInference(options.detectors, options.category_of, options.decisions)
        deciding = Widenings(inference, options.detectors, options.decisions)
        values: dict[str, object] = {}
        found: list[Widening] = []
        for place in places:
            if place.path not in values:
                values[place.path] = parser.read(self._texts.text(place.path))
            found += deciding.of(place, pointers.find(values[place.path], place.pointer))
        self.result.exceptions = {path: list(texts) for path, texts in deciding.exceptions.items()}
        return found

    def write(self, widenings: Sequence[Widening], check: Check | None) -> None:
        """Make the edits, take back those that break somebody, and keep the files."""
        remaining = list(widenings)
        while True:
            overlay, made, left = self._edited(remaining)
            edited = from_tree(overlay, self._registry.root)
            held = self._held(edited, made, check) if made else []
            if not held:
                break
            self.result.held += held
            taken_back = {id(each.widening) for each in held}
            remaining = [widening for widening in remaining if id(widening) not in taken_back]
        self.result.changes, self.result.made = overlay.changes(), made
        self.result.held += [HeldWidening(widening, reason, is_breaking=False) for widening, reason in left]

    def _edited(self, widenings: Sequence[Widening]) -> tuple[Overlay, list[Widening], list[tuple[Widening, str]]]:
        overlay = Overlay(self._tree)
        every: list[Widening] = []
        left: list[tuple[Widening, str]] = []
        for path in dict.fromkeys(widening.path for widening in widenings):
            below = [widening for widening in widenings if widening.path == path]
            if not path.endswith(".yaml"):
                left += [(widening, f"{path} is not YAML") for widening in below]
                continue
            text, made, failed = widened(overlay.text(path), self._roles[path], below)
            overlay.put(path, text)
            every += made
            left += failed
        return overlay, every, left

    def _held(self, edited: Registry, made: Sequence[Widening], check: Check | None) -> list[HeldWidening]:
        """Return the widenings to take back: for a file that cannot be read then, a counterexample, or a break."""
        defects = set(edited.defects) - set(self._registry.defects)
        held = {
            id(widening): HeldWidening(widening, f"the file could not be read then: {defect.message}")
            for defect in defects
            for widening in made
            if widening.path == defect.place.path
        }
        if defects:
            return list(held.values()) or [HeldWidening(each, "a file could not be read then") for each in made]
        for urn, because in self._contradicted(edited):
            for widening in _of_message(edited.by_urn[urn], made):
                reason = f"a counterexample of {urn} would be accepted: {because}"
                held.setdefault(id(widening), HeldWidening(widening, reason))
        if check is None or held:
            return list(held.values())
        for finding in check(self._registry, edited):
            for widening in self._blamed(finding, made, edited, check):
                held.setdefault(id(widening), HeldWidening(widening, finding.message, finding.breaks))
        return list(held.values())

    def _blamed(self, finding: Finding, made: Sequence[Widening], edited: Registry, check: Check) -> list[Widening]:
        """Return the widenings that ``finding`` is about: those at its place, else those that break alone."""
        here = _nearest(finding, made) or _of_fields(finding, made)
        if here:
            return here
        urns = [finding.urn] if finding.urn else [use.urn for use in finding.messages]
        messages = [edited.by_urn[urn] for urn in urns if urn in edited.by_urn]
        suspects = list(dict.fromkeys(each for message in messages for each in _of_message(message, made)))
        alone = [each for each in suspects if self._breaks_alone(each, check)]
        return alone or suspects or list(made)

    def _breaks_alone(self, widening: Widening, check: Check) -> bool:
        overlay, *_ = self._edited([widening])
        return bool(check(self._registry, from_tree(overlay, self._registry.root)))

    def _contradicted(self, edited: Registry) -> Iterable[tuple[str, str]]:
        """Yield the messages whose schema now accepts a counterexample that it refused, each with the reason for it."""
        for message in edited.messages:
            before = self._registry.by_urn.get(message.urn)
            if not message.counterexamples or before is None or before.schema == message.schema:
                continue
            reader = edited.compatibility(message.context).reader
            accepts = [_reader(schema, reader) for schema in (before.schema, message.schema)]
            for counterexample in message.counterexamples:
                was, now = (each.is_valid(counterexample.data) for each in accepts)
                if now and not was:
                    yield message.urn, counterexample.because


def _reader(schema: object, reader: str) -> Validator:
    return identify(schema).validator_for(views.both(schema, reader).reader)


def _of_message(message: Message, widenings: Sequence[Widening]) -> list[Widening]:
    """Return the widenings in the files of ``message``."""
    paths = {message.source.path, *(source.path for source in message.origins.values())}
    return [widening for widening in widenings if widening.path in paths]


def _nearest(finding: Finding, made: Sequence[Widening]) -> list[Widening]:
    """Return the widenings in the file of ``finding`` that are nearest to its place."""
    here = [widening for widening in made if widening.path == finding.place.path]
    if not here or finding.pointer is None:
        return here
    at = pointers.parse(finding.pointer)
    nearest = max(_common(widening.pointer, at) for widening in here)
    return [widening for widening in here if _common(widening.pointer, at) == nearest]


def _of_fields(finding: Finding, made: Sequence[Widening]) -> list[Widening]:
    """Return the widenings of the fields that refer to the shared fragment which ``finding`` is about."""
    fields = {(use.urn, f"data.{use.field}") for use in finding.messages}
    return [each for each in made if any((urn, each.shown) in fields for urn in each.messages)]


def _common(some: Pointer, other: Pointer) -> int:
    """Return the number of first steps that are equal."""
    number = 0
    for mine, theirs in zip(map(str, some), map(str, other), strict=False):
        if mine != theirs:
            break
        number += 1
    return number
