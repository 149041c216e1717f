"""The validator that the target writes beside the types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.gen.option import Option

VALIDATE = Option(
    "validate",
    "Write schemas and validators for this library, too.",
    choices=("ajv",),
    command_line=True,
)


def validates(options: Mapping[str, Any]) -> bool:
    """Return whether validators are wanted. Raises UsageError for an unknown library."""
    return options.get("validate") is not None and bool(VALIDATE.value(options, "typescript"))
