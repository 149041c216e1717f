"""MkDocs hooks: every page of the site is also there as Markdown, and llms.txt lists the pages for language models."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_navigation: list[Any] = []


def on_nav(nav: Any, **_: Any) -> None:
    """Remember the sections and pages; the titles of pages are known when they have been read."""
    _navigation[:] = nav.items


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Return the page with a link to its Markdown."""
    source = Path(page.file.src_uri).name
    return output.replace("</head>", f'<link rel="alternate" type="text/markdown" href="{source}"></head>', 1)


def on_post_build(*, config: Any) -> None:
    """Copy the Markdown beside the HTML, and write llms.txt. Source: llmstxt.org."""
    site = Path(config["site_dir"])
    for page in Path(config["docs_dir"]).rglob("*.md"):
        shutil.copyfile(page, site / page.relative_to(config["docs_dir"]))
    head = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    (site / "llms.txt").write_text("\n".join([*head, *_entries(_navigation)]) + "\n", encoding="utf-8")


def _entries(items: list[Any]) -> Iterator[str]:
    """Yield a line per page and a heading per section."""
    for item in items:
        if item.children:
            yield from ("", f"## {item.title}", "", *_entries(item.children))
        else:
            yield f"- [{item.title}]({item.file.src_uri})"
