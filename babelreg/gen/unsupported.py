"""Messages that a target cannot generate files from, with the reasons.

No code is generated from a schema without a validator: a producer could not check its data, and a consumer could
neither accept nor refuse a message.
"""

from __future__ import annotations

from babelreg.contract.schema_problem import schema_problem
from babelreg.gen.cache.function_cache import ANSWERS
from babelreg.gen.target import Target, digest, generated_messages
from babelreg.model import Message, Registry


def unsupported_messages(registry: Registry, target: Target) -> dict[str, str]:
    """Return the reason by URN for each message that ``target`` cannot generate files from."""
    reasons: dict[str, str] = {}
    for message in generated_messages(registry):
        reason = unusable_schema(registry, message) or (
            target.hooks.unsupported(message) if target.hooks.unsupported else None
        )
        if reason is not None:
            reasons[message.urn] = reason
    return reasons


def unusable_schema(registry: Registry, message: Message) -> str | None:
    """Return the reason why no validator can be built from the schema of ``message``, or None."""
    strict = registry.compatibility(message.context).reader == "strict"
    question = f"usable {digest(message.schema, strict)}"
    if question in ANSWERS:
        return None
    reason = schema_problem(message.schema, strict=strict)
    if reason is None:
        ANSWERS[question] = ""
    return reason
