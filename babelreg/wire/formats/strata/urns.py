"""URNs of Strata messages: from context and operation, or command, and back.

The mechanical default is ``urn:babel:<context>:<operation>``, with ``.response`` for a response, and
``urn:babel:strata:command.<command>``. A name that does not fit, or whose URN would be that of another message, needs
an entry in ``wires.strata``. Source: facts 5.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from babelreg.wire.bridge import name_fits
from babelreg.wire.format import WireError
from babelreg.wire.formats.strata.schema import COMMANDS
from babelreg.wire.mapping import UrnMapping

_CONTEXT = re.compile(r"[a-z0-9-]+\Z")
_COMMAND = "urn:babel:strata:command."
_ANSWER = "urn:babel:strata:command.info.response"
_RESPONSE = ".response"


class Address(NamedTuple):
    """The kind, context and operation of a URN, and the ``meta.ext.strata`` that belongs to them."""

    kind: str
    context: str
    operation: str
    ext: dict[str, Any]


def urn_of(kind: str, value: dict[str, Any], mapping: UrnMapping) -> str:
    """Return the URN of a message without defects.

    Raises WireError for a name that neither mapping nor default makes a URN of.
    """
    if kind in COMMANDS:
        return _COMMAND + kind
    if kind == "command-response":
        return _ANSWER
    context, operation = value["context"], value["operation"]
    for name in (kind, "request") if kind == "post" else (kind,):
        mapped = mapping.urns.get((context, operation, name))
        if mapped is not None:
            return mapped
    if not _CONTEXT.match(context) or not name_fits(operation):
        text = "context and operation cannot be part of a URN, and wires.strata does not map them"
        raise WireError("unmapped_name", text, pointer="/operation" if _CONTEXT.match(context) else "/context")
    if operation.endswith(_RESPONSE) or (context == "strata" and operation.startswith("command.")):
        text = "the URN of this operation would be that of another message, and wires.strata does not map it"
        raise WireError("unmapped_name", text, pointer="/operation")
    return f"urn:babel:{context}:{operation}" + (_RESPONSE if kind == "response" else "")


def address_of(urn: str, mapping: UrnMapping, ext: dict[str, Any]) -> Address:
    """Return the address of a URN. ``ext`` belongs to it only where it gives the same URN.

    Raises WireError for a URN without context and operation.
    """
    known = _from_extension(urn, mapping, ext)
    if known is not None:
        return known
    key = mapping.keys.get(urn)
    if key is not None and len(key) == 3:
        return Address("response" if key[2] == "response" else "post", key[0], key[1], {})
    if urn == _ANSWER:
        raise WireError("unmapped_urn", "a command response needs the id of its command", pointer="/meta")
    if urn.startswith(_COMMAND) and urn.removeprefix(_COMMAND) in COMMANDS:
        return Address(urn.removeprefix(_COMMAND), "", "", {})
    context, colon, operation = urn.removeprefix("urn:babel:").partition(":")
    if not urn.startswith("urn:babel:") or not colon or not _CONTEXT.match(context) or not name_fits(operation):
        text = "the URN has no context and operation; map some to it: wires: {strata: ...} in babelreg.yaml"
        raise WireError("unmapped_urn", text, pointer="/job")
    if operation.endswith(_RESPONSE) and operation != _RESPONSE:
        raise WireError("unmapped_urn", "a response needs the id of its request in meta.ext.strata", pointer="/meta")
    return Address("post", context, operation, {})


def _from_extension(urn: str, mapping: UrnMapping, ext: dict[str, Any]) -> Address | None:
    kind = ext.get("message_type") or ext.get("command") or ("command-response" if "id" in ext else None)
    context, operation = ext.get("context", ""), ext.get("operation", "")
    if not all(isinstance(name, str) for name in (kind, context, operation, ext.get("id"))):
        return None
    try:
        same = urn_of(str(kind), {"context": context, "operation": operation}, mapping) == urn
    except WireError:
        return None
    return Address(str(kind), context, operation, ext) if same else None
