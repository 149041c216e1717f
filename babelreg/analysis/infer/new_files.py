"""Files of a registry for recorded messages that it does not declare yet: messages, fragments and contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from babelreg.analysis.infer.examples import synthesised_example
from babelreg.analysis.infer.fragments import Fragments, SharedFragment, find_fragments
from babelreg.analysis.infer.mixed_types import mixed_types
from babelreg.analysis.infer.renames import renames
from babelreg.analysis.infer.schema import Decisions, InferredSchema, SchemaInference
from babelreg.analysis.sketch.text_detection import Detectors
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.analysis.sketch.value_sketch import ObjectSketch
from babelreg.errors import BabelregError, UsageError
from babelreg.load.files.registry_paths import COMMON, CONTEXT
from babelreg.load.yaml.yaml_text import yaml_text
from babelreg.model import Registry, Urn
from babelreg.plural import counted

_DEFINITIONS = "#/$defs/"


@dataclass(frozen=True, slots=True)
class InferenceOptions:
    """Settings of an inference.

    ``category_of`` returns the category of personal data that the name of a field tells, ``kind_of`` the kind that the
    name of a message tells; both return None where it tells nothing. ``owner`` is that of contexts without one.
    """

    detectors: Detectors
    category_of: Callable[[str], str | None]
    kind_of: Callable[[str], str | None]
    owner: str | None = None
    status: str = "draft"
    decisions: Decisions = field(default_factory=Decisions)


@dataclass
class NewFiles:
    """The texts of new files by path, in the order in which they are to be listed, and the ``messages`` in them.

    ``unsure`` are URNs whose kind their names do not tell. ``exceptions`` are the tolerated ones, ``notes`` what the
    messages show that no schema says, and ``refused`` why a file cannot be written; each by URN or path.
    """

    files: dict[str, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    exceptions: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def new_files(
    registry: Registry,
    messages: Mapping[Urn, MessageSketch],
    options: InferenceOptions,
    aliases: Mapping[Urn, Sequence[str]] = MappingProxyType({}),
) -> NewFiles:
    """Return the files of ``messages``, none of which the registry declares. ``aliases`` are their other names.

    Raises UsageError where nobody would own a message.
    """
    run = _Inference(registry, messages, options, aliases)
    run.write()
    return run.result


class _Inference:
    def __init__(
        self,
        registry: Registry,
        messages: Mapping[Urn, MessageSketch],
        options: InferenceOptions,
        aliases: Mapping[Urn, Sequence[str]],
    ) -> None:
        self._registry = registry
        self._aliases = aliases
        self._messages = dict(sorted(messages.items()))
        self._options = options
        taken = [path.rpartition("/")[2].removesuffix(".yaml") for path in registry.fragments]
        sketches = {str(urn): sketch.data for urn, sketch in self._messages.items()}
        self._fragments: Fragments = find_fragments(sketches, taken)
        self._inference = SchemaInference(options.detectors, options.category_of, options.decisions, self._reference_of)
        self._schemas = {
            name: self._inference.of(fragment.sketch) for name, fragment in self._fragments.by_name.items()
        }
        self._definitions = {name: inferred.schema for name, inferred in self._schemas.items()}
        self.result = NewFiles()

    def _reference_of(self, members: ObjectSketch) -> str | None:
        fragment = self._fragments.of(members)
        return None if fragment is None else _DEFINITIONS + fragment.name

    def write(self) -> None:
        self._contexts()
        used: set[str] = set()
        for urn, sketch in self._messages.items():
            inferred = self._inference.of(sketch.data, ("data",))
            value = self._message(urn, sketch, inferred.schema)
            comments = {("urn",): _seen(sketch), **inferred.evidence}
            if self._put(urn.path, str(urn), value, "message", comments, "../_common/"):
                self.result.messages.append(str(urn))
                used |= self._used(inferred.schema)
                self._note(str(urn), sketch, inferred)
        for name in sorted(used):
            fragment = self._fragments.by_name[name]
            path = f"{COMMON}/{name}.yaml"
            comments = {("type",): _places(fragment), **self._schemas[name].evidence}
            if self._put(path, path, self._definitions[name], "schema", comments, ""):
                self._exceptions(path, self._schemas[name])

    def _used(self, schema: dict[str, Any]) -> set[str]:
        """Return the names of all fragments that ``schema`` leads to."""
        used = set(_references(schema))
        waiting = list(used)
        while waiting:
            inner = set(_references(self._definitions[waiting.pop()])) - used
            used |= inner
            waiting += inner
        return used

    def _contexts(self) -> None:
        """Add the files of contexts that do not exist. Raises UsageError where nobody would own a message."""
        needed = sorted({urn.context for urn in self._messages})
        unowned = [name for name in needed if not self._is_owned(name)]
        if unowned and self._options.owner is None:
            named = ", ".join(f"'{name}'" for name in unowned[:3]) + (", ..." if len(unowned) > 3 else "")
            raise UsageError(
                f"nobody owns the context{'s' * (len(unowned) > 1)} {named}",
                fix="name the team with --owner; each context can get a different one later, in its _context.yaml",
            )
        for name in needed:
            if name not in self._registry.contexts:
                text = yaml_text({"owner": self._options.owner}, "context")
                self.result.files[f"{name}/{CONTEXT}"] = text

    def _is_owned(self, context: str) -> bool:
        declared = self._registry.contexts.get(context)
        return declared is not None and declared.owner is not None

    def _message(self, urn: Urn, sketch: MessageSketch, schema: dict[str, Any]) -> dict[str, Any]:
        kind = self._options.kind_of(urn.name)
        if kind is None:
            self.result.unsure.append(str(urn))
        value: dict[str, Any] = {"urn": str(urn)}
        if self._aliases.get(urn):
            value["aliases"] = list(self._aliases[urn])
        value["kind"] = kind or "event"
        if self._options.status != "active":
            value["status"] = self._options.status
        if not self._is_owned(urn.context) and urn.context in self._registry.contexts:
            value["owner"] = self._options.owner
        if sketch.queues and len(sketch.queues) == 1:
            value["queue"] = next(iter(sketch.queues))
        previous = urn.previous
        if previous is not None and (str(previous) in self._registry.by_urn or previous in self._messages):
            value["supersedes"] = str(previous)
        return {**value, "data": schema, "examples": [synthesised_example(schema, self._definitions)]}

    def _put(
        self,
        path: str,
        subject: str,
        value: dict[str, Any],
        role: str,
        comments: Mapping[tuple[str, ...], str],
        folder: str,
    ) -> bool:
        """Add a file. Return False where its value cannot be written, which is then reported."""
        try:
            self.result.files[path] = yaml_text(_with_files(value, folder), role, comments=comments)
        except BabelregError as err:
            self.result.refused[subject] = err.message
            return False
        return True

    def _note(self, subject: str, sketch: MessageSketch, inferred: InferredSchema) -> None:
        self._exceptions(subject, inferred)
        found = [*map(str, renames(sketch.data)), *mixed_types(sketch.data, self._options.decisions.tolerance)]
        if found:
            self.result.notes[subject] = found

    def _exceptions(self, subject: str, inferred: InferredSchema) -> None:
        if inferred.exceptions:
            self.result.exceptions[subject] = inferred.exceptions


def _references(schema: Any) -> Iterator[str]:
    """Yield the names of the fragments that ``schema`` refers to."""
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str):
                yield value.removeprefix(_DEFINITIONS)
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _with_files(schema: Any, folder: str) -> Any:
    """Return ``schema`` with references to the files of fragments, which are in ``folder``."""
    if isinstance(schema, dict):
        return {
            keyword: f"{folder}{value.removeprefix(_DEFINITIONS)}.yaml"
            if keyword == "$ref" and isinstance(value, str)
            else _with_files(value, folder)
            for keyword, value in schema.items()
        }
    return [_with_files(item, folder) for item in schema] if isinstance(schema, list) else schema


def _places(fragment: SharedFragment) -> str:
    messages = len({place.message for place in fragment.places})
    plural = "s" * (messages != 1)
    return f"{fragment.sketch.count:,} values at {len(fragment.places)} places of {messages} message{plural}"


def _seen(sketch: MessageSketch) -> str:
    """Return how often, when and by whom a message was sent."""
    seen = counted(sketch.count, "message")
    if sketch.first_ms is not None and sketch.last_ms is not None:
        first, last = _day(sketch.first_ms), _day(sketch.last_ms)
        seen += f" of {first}" if first == last else f" from {first} to {last}"
    if sketch.languages:
        seen += ", sent by " + ", ".join(f"{name} ({count:,})" for name, count in _most(sketch.languages))
    return seen


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return [
        (name, count)
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if name.isascii() and name.isalnum()
    ][:6]


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()
