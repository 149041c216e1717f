"""Text of a registry as plain text: every character visible, code between backticks.

The page's script puts these texts into the document as text, never as HTML.
"""

from __future__ import annotations

import re

from babelreg.typemap.names import visible

_WEB = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?([/?#][!-~]*)?\Z", re.IGNORECASE)


def inline(text: str) -> str:
    """Return ``text`` on one line."""
    return " ".join(visible(text).split())


def block(text: str | None) -> str:
    """Return ``text`` as paragraphs, which empty lines separate; "" for None."""
    parts = re.split(r"\n[ \t]*\n", visible(text or "").strip())
    return "\n\n".join(" ".join(part.split()) for part in parts)


def code(text: str) -> str:
    """Return ``text`` between backticks."""
    shown = visible(text).replace("\n", "\\n")
    return f"`{shown}`"


def strong(text: str) -> str:
    """Return ``text``: plain text has no bold."""
    return text


def address(text: str | None) -> list[str]:
    """Return the text, and once more as a web address where it is one; [] for None."""
    if not text:
        return []
    shown = inline(text)
    return [shown, text] if _WEB.match(text) and shown == text else [shown]
