"""Text from files in Markdown: without effect, whatever it holds.

Markup, HTML, mentions (``@team``), references (``#1``), emoji (``:key:``) and links in it have no effect.
"""

from __future__ import annotations

import re

from babelreg.report.printable import printable

_MAX_TEXT = 1_000

# Numeric references are not markup in any dialect: they do not start a tag or a link, and do not end a cell.
_CODE = {ord(character): f"&#{ord(character)};" for character in "&<>|`\\*[]~!$^@"}
# GitHub finds mentions and references in rendered text; a zero-width space after the sign prevents it.
_TEXT = {**_CODE, ord("@"): "@&#8203;", ord("#"): "#&#8203;"}
_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
# `:key:` in `urn:babel:key:sent` would become an emoji, except in code.
_EMOJI = re.compile(r":[\w+-]+:")


def escape(text: str) -> str:
    """Return ``text`` for a line or a cell of a table; text between two backticks becomes code."""
    clean = printable(text)
    if len(clean) > _MAX_TEXT:
        clean = f"{clean[:_MAX_TEXT]}…"
    parts = clean.split("`")
    if len(parts) % 2 == 0:  # a backtick without its pair
        return _words(clean)
    return "".join(escape_code(part) if at % 2 else _words(part) for at, part in enumerate(parts))


def _words(text: str) -> str:
    return " ".join(escape_code(word) if _EMOJI.search(word) else _escaped(word, _TEXT) for word in text.split(" "))


def escape_code(text: str) -> str:
    """Return ``text`` as code."""
    return f"<code>{_escaped(text, _CODE)}</code>" if text else ""


def _escaped(text: str, table: dict[int, str]) -> str:
    # In this order: the table must not escape what the last two steps insert.
    without = _LINK.sub(lambda match: "\0" if match[0] == ":" else "\1", text)
    escaped = _UNDERSCORE.sub("&#95;", without.translate(table))
    return escaped.replace("\0", "&#58;").replace("\1", "&#46;")
