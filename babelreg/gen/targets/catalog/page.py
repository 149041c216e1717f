"""The files of the catalog: the document as JSON, and the page that holds the same JSON.

The page has one style sheet and one script, both inline and named by their hashes in its Content-Security-Policy.
Nothing else in it can run, and it can load nothing. Each message's details are a block of their own, which the script
parses when the message is opened.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator
from functools import cache

from babelreg.gen.render import folder, render
from babelreg.gen.target import File, header
from babelreg.gen.targets.catalog.document import CatalogDocument, text_of

PAGE_PATH = "index.html"
JSON_PATH = "catalog.json"


def files(document: CatalogDocument) -> Iterator[File]:
    """Yield ``catalog.json`` and ``index.html``."""
    head = {name: text_of(value) for name, value in document.head.items()}
    entries = {urn: text_of(entry) for urn, entry in document.entries.items()}
    details = {urn: text_of(members) for urn, members in document.details.items()}
    sum_of = hashlib.blake2b("\n".join([*head.values(), *entries.values(), *details.values()]).encode()).hexdigest()
    about = header("catalog", "the registry", sum_of, sign="")
    yield File(JSON_PATH, _json(about, head, {urn: _joined(entries[urn], details[urn]) for urn in entries}))
    blocks = [
        f'<script type="application/json" id="d{i}">{_inert(text)}</script>' for i, text in enumerate(details.values())
    ]
    style, script = _source("catalog.css"), _source("catalog.min.js")
    view = {
        "header": html.escape(about, quote=False).replace("--", "&#45;&#45;"),
        "policy": policy(script, style),
        "title": html.escape(document.title),
        "style": style,
        "script": script,
        "catalog": _inert(_json(about, head, entries)),
        "details": "\n".join(blocks),
        "messages": "\n".join(_listed(urn, entry.get("description", "")) for urn, entry in document.entries.items()),
    }
    yield File(PAGE_PATH, render("catalog", "index.html.jinja", view))


def policy(script: str, style: str) -> str:
    """Return the Content-Security-Policy that lets ``script`` and the style sheet ``style`` work, and nothing else."""
    return (
        f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def source_hash(source: str) -> str:
    """Return the source expression of an inline script or style sheet. Source: CSP 3, 2.3.1."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


@cache
def _source(name: str) -> str:
    return (folder() / "catalog" / name).read_text("utf-8")


def _json(about: str, head: dict[str, str], messages: dict[str, str]) -> str:
    """Return the document with a line per member and per message."""
    lines = ",\n".join(f"{text_of(urn)}:{text}" for urn, text in messages.items())
    members = {**head, "$comment": text_of(about), "messages": f"{{\n{lines}\n}}"}
    return "{\n" + ",\n".join(f'"{name}":{members[name]}' for name in sorted(members)) + "\n}\n"


def _joined(entry: str, details: str) -> str:
    """Return two JSON objects as one; the second may be empty."""
    return entry if details == "{}" else f"{entry[:-1]},{details[1:]}"


def _inert(text: str) -> str:
    """Return JSON without the characters that HTML could take for the end of the block, or scripts for a line end."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _listed(urn: str, description: str) -> str:
    return f"<li><code>{html.escape(urn)}</code> {html.escape(description)}</li>"
