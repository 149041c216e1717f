"""Markdown pages: an index of messages, and for each what a developer needs to send, handle or change it.

    README.md              the index, by context
    orders/README.md       a context
    orders/created.md      a message
    _services/crm.md       a service: what it sends and receives
    _personal-data.md      the inventory of personal data, also as _personal-data.json
    llms.txt               the pages as a list for language models

GitHub, GitLab and Markdown sites display them without further processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.option import Option

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "Markdown: a page per message, context and service, and an index"
TITLE = Option("title", "The heading of the index.", "Messages")
options = (TITLE,)
hooks = TargetHooks()


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the pages, one by one."""
    from babelreg.gen.targets.docs import pages

    return pages.files(registry, options, str(TITLE.value(options, "docs")))
