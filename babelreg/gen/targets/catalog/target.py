"""One HTML file that opens from a disk or a mail, without a server or a network, and its data as JSON.

index.html      every message, field, service, context and owner, with search
catalog.json    the data in it, for other programs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.option import Option

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

__all__ = ["HISTORY", "VERDICTS", "files", "options", "own_folder", "summary", "unsupported"]

summary = "one HTML file that works offline, with search, version differences and personal data"
TITLE = Option("title", "The heading of the first page.", "Messages")
VERDICTS = Option(
    "verdicts",
    "Compare each message with the one that it supersedes, as `babelreg breaking` does.",
    "yes",
    ("yes", "no"),
    command_line=True,
)
HISTORY = Option(
    "history",
    "Show the commits that changed each message. The files then depend on the commit, not only on the registry.",
    False,
    command_line=True,
)
options = (TITLE, VERDICTS, HISTORY)
unsupported = None


def own_folder(options: Mapping[str, Any]) -> str:
    """Return "": the files lie in the output folder itself."""
    return ""


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield ``catalog.json`` and ``index.html``.

    The caller may add to ``options``: ``comparisons``, ``{urn: Comparison}`` of the superseded message with it;
    ``commits``, ``{urn: [Commit, ...]}``; ``note``, a sentence about what is left out.
    """
    from babelreg.gen.targets.catalog import document, page

    return page.files(document.of(registry, options, str(TITLE.value(options, "catalog"))))
