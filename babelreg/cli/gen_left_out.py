"""Findings about messages that ``babelreg gen`` makes no files from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from babelreg.cli.common import shown_root
from babelreg.finding import Finding, Place, Severity
from babelreg.typemap.python_names import visible

if TYPE_CHECKING:
    from babelreg.model import Message, Registry
    from babelreg.schema.pointer import Pointer

__all__ = ["findings"]

_INVALID, _VARIABLE = "schema-invalid", "spark-variable-in-name"


def findings(registry: Registry, reasons: Mapping[str, str], *, partial: bool) -> list[Finding]:
    """One finding per message, at the place that is wrong. ``reasons`` are those of the messages, by URN.

    ``partial`` says that the files of all other messages are written.
    """
    root = shown_root(registry)
    found = [_finding(registry.by_urn[urn], reason, partial) for urn, reason in reasons.items()]
    return sorted((one.below(root) for one in found), key=lambda finding: finding.sort_key)


def _finding(message: Message, reason: str, partial: bool) -> Finding:
    from babelreg.lint.metaschema import faults

    state = "is left out" if partial else "cannot be generated"
    fault = next(iter(faults(message.schema)), None)
    if fault is not None:
        rule, fix, place, reason = _INVALID, fault.fix, _place(message, fault.pointer), fault.message
    elif "${" in reason:
        place = _place(message, _variable(message), key=True)
        rule, fix = _VARIABLE, "give the property a name without '${'"
    else:
        rule, fix, place = _INVALID, "correct the schema; `babelreg lint` checks it", _place(message, ())
    return Finding(rule, Severity.ERROR, f"{message.urn} {state}: {visible(reason)}", place, message.urn, fix=fix)


def _place(message: Message, pointer: Pointer, *, key: bool = False) -> Place:
    """The place of ``pointer`` into the bundled schema, in the file that it was written in; of its key with ``key``."""
    origin = message.origins.get(str(pointer[1])) if len(pointer) > 1 and pointer[0] == "$defs" else None
    if origin is not None:
        return origin.place(pointer[2:], key=key and len(pointer) > 2)
    return message.source.place(("data", *pointer), key=key or not pointer)


def _variable(message: Message) -> Pointer:
    """The pointer to the first property that has a variable in its name."""
    from babelreg.schema.walk import walk

    for node in walk(message.schema):
        properties = node.schema.get("properties") if isinstance(node.schema, dict) else None
        for name in properties if isinstance(properties, dict) else ():
            if "${" in name:
                return (*node.pointer, "properties", name)
    return ()
