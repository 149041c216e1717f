"""Paths of the pages. The page of a folder is its README, which code hosts display."""

from __future__ import annotations

import re

from babelreg.model import Message

INDEX = "README.md"
LLMS = "llms.txt"
PERSONAL = "_personal-data.md"
PERSONAL_JSON = "_personal-data.json"


def context_page(name: str) -> str:
    """Return ``orders/README.md``."""
    return f"{_safe(name)}/README.md"


def message_page(message: Message) -> str:
    """Return ``orders/created.v2.md``, after the path in the registry."""
    assert message.parsed is not None
    return message.parsed.path.removesuffix(".yaml") + ".md"


def service_page(name: str) -> str:
    """Return ``_services/orders-api.md``: no context begins with an underscore."""
    return f"_services/{_safe(name)}.md"


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", lambda match: f".{ord(match[0]):x}.", name)
