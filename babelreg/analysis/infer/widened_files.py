"""Files of a registry whose messages show more than their schemas accept: each is widened, unless that breaks somebody.

An edit of a shared fragment counts for all messages that use it. Whether an edit breaks somebody is not decided here: a
function tells it of the edited registry. What it reports is taken back, edit by edit, until nothing breaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from babelreg.analysis.infer.narrowing import Narrowing, narrowings
from babelreg.analysis.infer.new_files import InferenceOptions
from babelreg.analysis.infer.schema import SchemaInference
from babelreg.analysis.infer.widened_text import with_narrowings
from babelreg.analysis.infer.widening import Widening, Widenings
from babelreg.analysis.infer.widening_trials import Check, HeldWidening, Trial, WideningTrials
from babelreg.analysis.infer.written_places import WrittenPlace, WrittenPlaces
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.load.files.tree import Tree
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.yaml import parser
from babelreg.model import Message, Registry
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import is_valid_schema


@dataclass
class WidenedFiles:
    """The edited files, the ``made`` widenings and those ``held`` back. ``exceptions`` are tolerated ones by file.

    ``narrower`` is the number of comments that were added or changed on what a schema could say more narrowly.
    ``invalid`` are the messages of which values were seen, and whose schemas are no valid JSON Schema.
    """

    changes: Mapping[str, FileChange] = field(default_factory=dict)
    made: list[Widening] = field(default_factory=list)
    held: list[HeldWidening] = field(default_factory=list)
    exceptions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    narrower: int = 0
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
    if run.widenings(places, options) or run.narrowings(places, options):
        places.freeze(registry.messages)
        run.write(run.widenings(places, options), run.narrowings(places, options), check)
    return run.result


class _Run:
    def __init__(self, registry: Registry, tree: Tree) -> None:
        self._registry = registry
        self._texts = Overlay(tree)
        self._values: dict[str, Any] = {}
        self.result = WidenedFiles()

    def widenings(self, places: WrittenPlaces, options: InferenceOptions) -> list[Widening]:
        inference = SchemaInference(options.detectors, options.category_of, options.decisions)
        deciding = Widenings(inference, options.detectors, options.decisions)
        found = [each for place in places for each in deciding.of(place, self._written(place))]
        self.result.exceptions = {path: list(texts) for path, texts in deciding.exceptions.items()}
        return found

    def narrowings(self, places: WrittenPlaces, options: InferenceOptions) -> list[Narrowing]:
        return [each for place in places for each in narrowings(place, self._written(place), options.decisions)]

    def _written(self, place: WrittenPlace) -> Any:
        """Return the subschema at ``place`` as the file has it."""
        if place.path not in self._values:
            self._values[place.path] = parser.read(self._texts.text(place.path))
        return pointers.find(self._values[place.path], place.pointer)

    def write(self, widenings: Sequence[Widening], narrower: Sequence[Narrowing], check: Check | None) -> None:
        """Make the edits, take back those that break somebody, and keep the files.

        A reason that is about several edits holds all of them back; those that are not its cause are made at the end.
        """
        trials = WideningTrials(self._registry, self._texts, check)
        remaining, held = list(widenings), list[HeldWidening]()
        trial = trials.run(remaining)
        while trial.held:
            held += trial.held
            taken_back = {id(each.widening) for each in held}
            remaining = [widening for widening in remaining if id(widening) not in taken_back]
            trial = trials.run(remaining)
        uncertain = [each.widening for each in held if not each.is_certain]
        if uncertain:
            retry = _Retry(trials, widenings, trial)
            retry.add(uncertain)
            trial = retry.trial
            held = [each for each in held if each.is_certain] + retry.held
        self._comment(trial.files, narrower)
        self.result.changes, self.result.made = trial.files.changes(), trial.made
        self.result.held += [*held, *trial.left]

    def _comment(self, files: Overlay, narrower: Sequence[Narrowing]) -> None:
        by_path: dict[str, list[Narrowing]] = {}
        for narrowing in narrower:
            by_path.setdefault(narrowing.path, []).append(narrowing)
        for path, group in by_path.items():
            if path.endswith(".yaml"):
                text, count = with_narrowings(files.text(path), group)
                files.put(path, text)
                self.result.narrower += count


class _Retry:
    """The addition of widenings to those of a ``trial``, as many as nobody objects to."""

    def __init__(self, trials: WideningTrials, order: Sequence[Widening], trial: Trial) -> None:
        self._trials = trials
        self._order = {id(widening): number for number, widening in enumerate(order)}
        self.trial = trial
        self.held: list[HeldWidening] = []

    def add(self, group: Sequence[Widening]) -> None:
        """Add ``group``, or as much of each half as possible."""
        every = [*self.trial.made, *(each.widening for each in self.trial.left), *group]
        trial = self._trials.run(sorted(every, key=lambda each: self._order[id(each)]))
        if not trial.held:
            self.trial = trial
        elif len(group) == 1:
            own = next((each for each in trial.held if each.widening is group[0]), trial.held[0])
            self.held.append(replace(own, widening=group[0]))
        else:
            middle = len(group) // 2
            self.add(group[:middle])
            self.add(group[middle:])
