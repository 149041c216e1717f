"""Text of a registry as Markdown: it shows as it was written, and does nothing.

GitHub's Markdown, which CommonMark renderers understand too. Every text of a registry goes through here: no HTML, no
link that was not made here, no character that a reader would not see.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from babelreg.typemap.python.names import visible

__all__ = ["block", "code", "comment", "fence", "inline", "json_text", "link", "relative", "table", "web"]

_SPECIAL = re.compile(r"[\\`*\[\]~$|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#+=-]|^(\d+)(?=[.)])")
_ODD = re.compile(r"[`|\\]|^\s|\s$|^$|\s\s")
_WEB = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?([/?#].*)?\Z", re.IGNORECASE | re.DOTALL)
_BACKTICKS = re.compile(r"`{3,}")


def inline(text: str) -> str:
    """``text`` on one line, for a paragraph or a table cell."""
    line = " ".join(visible(text).split())
    line = _SPECIAL.sub(lambda found: f"{found[1]}\\" if found[1] else f"\\{found[0]}", line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def block(text: str) -> str:
    """``text`` as paragraphs; an empty line parts them."""
    parts = re.split(r"\n[ \t]*\n", visible(text).strip())
    return "\n\n".join(inline(part) for part in parts if part.strip())


def code(text: str) -> str:
    """``text`` in code type, in a paragraph or a table cell."""
    shown = visible(text).replace("\n", "\\n")
    if not _ODD.search(shown):
        return f"`{shown}`"
    # A pipe ends a table cell even inside backticks: as entities nothing in it means anything.
    entities = "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
    return f"<code>{entities}</code>"


def fence(text: str, language: str) -> str:
    """``text`` as a block of code."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def json_text(value: Any) -> str:
    """``value`` as JSON that a person can read: short parts stay on one line, nothing in it is invisible."""
    return "".join(_json_character(character) for character in _laid_out(value, 0))


def _laid_out(value: Any, indent: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(flat) + indent <= 72:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, list):
        lines = [_laid_out(item, indent + 2) for item in value]
        opening, closing = "[", "]"
    else:
        lines = [f"{json.dumps(k, ensure_ascii=False)}: {_laid_out(item, indent + 2)}" for k, item in value.items()]
        opening, closing = "{", "}"
    return f"{opening}\n" + ",\n".join(pad + line for line in lines) + f"\n{' ' * indent}{closing}"


def _json_character(character: str) -> str:
    if character == "\n" or visible(character) == character:
        return character
    encoded = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{encoded[i]:02x}{encoded[i + 1]:02x}" for i in range(0, len(encoded), 2))


def comment(text: str) -> str:
    """``text`` as an HTML comment, which a reader of the page does not see."""
    safe = re.sub(r"-{2,}", "-", html.escape(" ".join(visible(text).split()), quote=False)).rstrip("-")
    return f"<!-- {safe} -->"


def link(shown: str, target: str) -> str:
    """A link to ``target``, a path or address made here. ``shown`` is Markdown already."""
    return f"[{shown}]({target})"


def web(address: str, shown: str | None = None) -> str:
    """A registry's web address as a link; what is no http(s) address is shown and leads nowhere."""
    if not _WEB.match(address) or visible(address) != address:
        return code(address)
    target = quote(address, safe="/:?#@!$&'*+,;=%~-._")
    return link(inline(shown or re.sub(r"^https?://", "", address, flags=re.IGNORECASE)), target)


def relative(page: str, other: str) -> str:
    """How ``page`` refers to ``other``; both are paths below the folder of all pages."""
    here, there = page.split("/")[:-1], other.split("/")
    while here and len(there) > 1 and here[0] == there[0]:
        here, there = here[1:], there[1:]
    return "/".join([*[".."] * len(here), *there])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already. A column that is empty in all rows is left out; '' without rows."""
    kept = list(rows)
    used = [i for i in range(len(head)) if any(row[i] for row in kept)]
    if not kept or not used:
        return ""
    lines = [[head[i] for i in used], ["---"] * len(used), *([row[i] for i in used] for row in kept)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
