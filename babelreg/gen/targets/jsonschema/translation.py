"""Schemas in the dialect that ``gen jsonschema --dialect`` chooses."""

from __future__ import annotations

from typing import Any

from babelreg.errors import UsageError
from babelreg.model import Message
from babelreg.schema.dialects import DEFAULT, DIALECTS, identify
from babelreg.schema.downgrade import downgraded
from babelreg.schema.pointer import text
from babelreg.schema.upgrade import upgraded

_DRAFT7 = DIALECTS["draft7"]


def translated(message: Message, schema: dict[str, Any], dialect: str | None) -> tuple[dict[str, Any], str]:
    """Return ``schema``, that of ``message``, in ``dialect`` (``draft-07``, ``2020-12``, None: its own), and its URI.

    Raises UsageError for a meaning that draft-07 cannot express. A format that draft-07 does not define stays: many
    validators of draft-07 know it, and others take it for an annotation.
    """
    own = identify(schema)
    wanted = own if dialect is None else _DRAFT7 if dialect == "draft-07" else DEFAULT
    if wanted is own:
        return schema, own.uri
    if wanted is DEFAULT:
        return upgraded(schema, own).schema, DEFAULT.uri
    result = downgraded(schema)
    losses = [loss for loss in result.losses if loss.keyword != "format"]
    if losses:
        loss = losses[0]
        more = f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""
        at = f"'{loss.keyword}' at '{text(loss.pointer)}' of {message.urn}"
        raise UsageError(
            f"{at} cannot be expressed in draft-07{more}: {loss.reason}",
            place=message.place((*loss.pointer, loss.keyword), key=True),
            fix="rewrite the schema without it, or export in 2020-12: remove --dialect",
        )
    return result.schema, _DRAFT7.uri
