"""Findings about messages whose schema cannot be compiled, at the wrong keyword."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.finding import Finding, Place, Severity, shown_folder
from babelreg.lint.schema.metaschema import schema_faults
from babelreg.load.registry_error import RegistryError
from babelreg.model import Message, Registry
from babelreg.schema.pointer import Pointer

_RULE = "schema-invalid"


def unusable_schema(message: Message, reason: str, state: str) -> Finding:
    """Return the finding that ``message`` is in ``state``, such as "cannot be generated".

    ``reason`` is used if the schema does not violate its meta-schema.
    """
    fault = next(iter(schema_faults(message.schema)), None)
    fix, place = "correct the schema; `babelreg lint` checks it", place_in_bundle(message, ())
    if fault is not None:
        reason, fix, place = fault.message, fault.fix, place_in_bundle(message, fault.pointer)
    return Finding(_RULE, Severity.ERROR, f"{message.urn} {state}: {reason}", place, message.urn, fix=fix)


def unusable_schemas(registry: Registry, reasons: Mapping[str, str], outcome: str) -> RegistryError:
    """Return the error that names every message whose schema cannot be used. ``reasons`` are by URN."""
    folder, state = shown_folder(registry.root), "cannot be validated"
    findings = [unusable_schema(registry.by_urn[urn], reason, state).below(folder) for urn, reason in reasons.items()]
    schemas = "the schema of 1 message" if len(findings) == 1 else f"the schemas of {len(findings)} messages"
    return RegistryError(
        f"{schemas} cannot be used; {outcome}",
        sorted(findings, key=lambda finding: finding.sort_key),
        fix="correct the registry; `babelreg lint` checks it",
    )


def place_in_bundle(message: Message, pointer: Pointer, *, key: bool = False) -> Place:
    """Return the place of ``pointer`` into the bundled schema, in the file that it was written in; or of its key."""
    origin = message.origins.get(str(pointer[1])) if len(pointer) > 1 and pointer[0] == "$defs" else None
    if origin is not None:
        return origin.place(pointer[2:], key=key and len(pointer) > 2)
    return message.source.place(("data", *pointer), key=key or not pointer)
