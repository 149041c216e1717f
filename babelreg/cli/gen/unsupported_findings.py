"""Findings about messages that ``babelreg gen`` cannot generate files from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from babelreg.cli.shared.registry_options import shown_root
from babelreg.finding import Finding, Severity
from babelreg.typemap.names import visible

if TYPE_CHECKING:
    from babelreg.model import Message, Registry
    from babelreg.schema.pointer import Pointer

_VARIABLE = "property-name-variable"


def findings(registry: Registry, reasons: Mapping[str, str], *, partial: bool) -> list[Finding]:
    """Return one finding per message, at the defect. ``reasons`` are the reasons by URN.

    ``partial`` is True if the files of all other messages are written.
    """
    root = shown_root(registry)
    relative = [_finding(registry.by_urn[urn], reason, partial) for urn, reason in reasons.items()]
    return sorted((finding.below(root) for finding in relative), key=lambda finding: finding.sort_key)


def _finding(message: Message, reason: str, partial: bool) -> Finding:
    from babelreg.lint.schema.metaschema import schema_faults
    from babelreg.lint.schema.unusable_schema import place_in_bundle, unusable_schema

    state = "is left out" if partial else "cannot be generated"
    if "${" not in reason or schema_faults(message.schema):
        finding = unusable_schema(message, reason, state)
        return replace(finding, message=visible(finding.message))
    place = place_in_bundle(message, _variable(message), key=True)
    fix = "give the property a name without '${'"
    return Finding(_VARIABLE, Severity.ERROR, f"{message.urn} {state}: {visible(reason)}", place, message.urn, fix=fix)


def _variable(message: Message) -> Pointer:
    """Return the pointer to the first property with a variable in its name."""
    from babelreg.schema.simplify import without_ref_siblings
    from babelreg.schema.walk import walk

    for node in walk(without_ref_siblings(message.schema)):
        properties = node.schema.get("properties") if isinstance(node.schema, dict) else None
        for name in properties if isinstance(properties, dict) else ():
            if "${" in name:
                return (*node.pointer, "properties", name)
    return ()
