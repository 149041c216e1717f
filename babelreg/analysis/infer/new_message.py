"""The files of a new message: its own, and those of a context and of services that do not exist yet."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Any

from babelreg.analysis.infer.examples import kept_examples, synthesised_example
from babelreg.analysis.infer.new_files import InferenceOptions
from babelreg.analysis.infer.schema import InferredSchema, SchemaInference
from babelreg.analysis.sketch.value_sketch import inferable
from babelreg.errors import UsageError
from babelreg.load.yaml.yaml_text import yaml_text
from babelreg.model import Registry, Urn

_DATA = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string", "format": "uuid"}},
}
_EXAMPLE = {"id": "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11"}


@dataclass(frozen=True, slots=True)
class NewMessage:
    """What the user says about a new message. ``owner`` is None where the context has one.

    ``keep_values`` takes values of the samples into the examples; otherwise no value of them is written anywhere.
    """

    urn: Urn
    kind: str
    owner: str | None
    producers: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    queue: str | None = None
    samples: tuple[dict[str, Any], ...] = ()
    keep_values: bool = False


def new_message_files(registry: Registry, message: NewMessage, options: InferenceOptions) -> dict[str, str]:
    """Return the texts of the new files by path.

    Raises UsageError if the message exists, or if nobody owns it.
    """
    urn = message.urn
    if str(urn) in registry.by_urn or urn.path in registry.files:
        raise UsageError(
            f"{urn} already exists", fix=f"`babelreg mint {shlex.quote(str(urn))}` writes its next version"
        )
    context = registry.contexts.get(urn.context)
    owner = message.owner or (context.owner if context else None)
    if owner is None:
        raise UsageError(f"the context '{urn.context}' has no owner", fix="name the team with --owner")
    inferred = _inferred(message, options)
    value = _value(registry, message, owner, inferred, options)
    files = {urn.path: yaml_text(value, "message", comments=inferred.evidence if inferred else None)}
    if context is None:
        files[f"{urn.context}/_context.yaml"] = yaml_text({"owner": owner}, "context")
    for name in dict.fromkeys((*message.producers, *message.consumers)):
        if name not in registry.services:
            files[f"_services/{name}.yaml"] = yaml_text({"owner": owner}, "service")
    return files


def _inferred(message: NewMessage, options: InferenceOptions) -> InferredSchema | None:
    """Return the schema of the samples; None without any."""
    if not message.samples:
        return None
    sketch = inferable(options.detectors)
    for sample in message.samples:
        sketch.add(sample)
    decisions = replace(options.decisions, format_from=1)  # a person chose the samples
    return SchemaInference(options.detectors, options.category_of, decisions).of(sketch, ("data",))


def _value(
    registry: Registry,
    message: NewMessage,
    owner: str,
    inferred: InferredSchema | None,
    options: InferenceOptions,
) -> dict[str, Any]:
    value: dict[str, Any] = {"urn": str(message.urn), "kind": message.kind, "status": "draft"}
    value["owner"] = owner
    previous = message.urn.previous
    if previous is not None and str(previous) in registry.by_urn:
        value["supersedes"] = str(previous)
    if message.queue:
        value["queue"] = message.queue
    if message.producers:
        value["producers"] = list(message.producers)
    if message.consumers:
        value["consumers"] = list(message.consumers)
    if inferred is None:
        return {**value, "data": _DATA, "examples": [_EXAMPLE]}
    schema = inferred.schema
    kept = kept_examples(message.samples, schema, options.detectors) if message.keep_values else []
    return {**value, "data": schema, "examples": kept or [synthesised_example(schema)]}
