"""Messages that no files can be made from, and the reasons.

Nothing is generated from a schema that no validator can be built from: what a producer sent by it could not be
checked, and a consumer could neither handle nor refuse what it received.
"""

from __future__ import annotations

from babelreg.contract.usable import unusable
from babelreg.gen.cache.answer_cache import ANSWERS
from babelreg.gen.target import Target, digest, living
from babelreg.model import Message, Registry

__all__ = ["unsupported_messages", "unusable_schema"]


def unsupported_messages(registry: Registry, target: Target) -> dict[str, str]:
    """The reason why no files can be made from a message, by URN; empty where they can be made from all."""
    found: dict[str, str] = {}
    for message in living(registry):
        reason = unusable_schema(registry, message) or (target.unsupported(message) if target.unsupported else None)
        if reason is not None:
            found[message.urn] = reason
    return found


def unusable_schema(registry: Registry, message: Message) -> str | None:
    """The reason why no validator can be built from the schema of ``message``; None where one can."""
    strict = registry.compatibility(message.context).reader == "strict"
    question = f"usable {digest(message.schema, strict)}"
    if question in ANSWERS:
        return None
    reason = unusable(message.schema, strict=strict)
    if reason is None:
        ANSWERS[question] = ""
    return reason
