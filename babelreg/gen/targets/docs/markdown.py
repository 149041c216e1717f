"""Text of a registry as Markdown: displayed as it was written, and inert.

GitHub's Markdown, which CommonMark renderers understand too. Every text of a registry is escaped here: no HTML, no link
that was not created here, no invisible character.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from babelreg.typemap.names import visible

_SPECIAL = re.compile(r"[\\`*\[\]~$|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#+=-]|^(\d+)(?=[.)])")
_ODD = re.compile(r"[`|\\]|^\s|\s$|^$|\s\s")
_WEB = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?([/?#].*)?\Z", re.IGNORECASE | re.DOTALL)
_BACKTICKS = re.compile(r"`{3,}")


def inline(text: str) -> str:
    """Return ``text`` on one line, for a paragraph or a table cell."""
    line = " ".join(visible(text).split())
    line = _SPECIAL.sub(lambda match: f"{match[1]}\\" if match[1] else f"\\{match[0]}", line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def block(text: str) -> str:
    """Return ``text`` as paragraphs, which empty lines separate."""
    parts = re.split(r"\n[ \t]*\n", visible(text).strip())
    return "\n\n".join(inline(part) for part in parts if part.strip())


def code(text: str) -> str:
    """Return ``text`` as inline code, for a paragraph or a table cell."""
    shown = visible(text).replace("\n", "\\n")
    if not _ODD.search(shown):
        return f"`{shown}`"
    # A pipe ends a table cell even inside backticks: as entities nothing in it means anything.
    entities = "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
    return f"<code>{entities}</code>"


def fence(text: str, language: str) -> str:
    """Return ``text`` as a fenced code block."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def strong(text: str) -> str:
    """Return ``text``, which has no special characters, in bold."""
    return f"**{text}**"


def comment(text: str) -> str:
    """Return ``text`` as an HTML comment, which a reader of the page does not see."""
    safe = re.sub(r"-{2,}", "-", html.escape(" ".join(visible(text).split()), quote=False)).rstrip("-")
    return f"<!-- {safe} -->"


def link(shown: str, target: str) -> str:
    """Return a link to ``target``, a path or a safe address. ``shown`` is its Markdown text."""
    return f"[{shown}]({target})"


def web(address: str, shown: str | None = None) -> str:
    """Return a web address of the registry as a link; anything but an http(s) address as inline code."""
    if not _WEB.match(address) or visible(address) != address:
        return code(address)
    target = quote(address, safe="/:?#@!$&'*+,;=%~-._")
    return link(inline(shown or re.sub(r"^https?://", "", address, flags=re.IGNORECASE)), target)


def relative(page: str, other: str) -> str:
    """Return the path of ``other`` relative to ``page``; both are paths below the folder of all pages."""
    source, target = page.split("/")[:-1], other.split("/")
    while source and len(target) > 1 and source[0] == target[0]:
        source, target = source[1:], target[1:]
    return "/".join([*[".."] * len(source), *target])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown cells, without the columns that are empty in all rows; '' without rows."""
    cells = list(rows)
    used = [i for i in range(len(head)) if any(row[i] for row in cells)]
    if not cells or not used:
        return ""
    lines = [[head[i] for i in used], ["---"] * len(used), *([row[i] for i in used] for row in cells)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
