"""One HTML file that opens from a disk or a mail, without a server or a network, and its data as JSON.

index.html      every message, field, service, context and owner, with search
catalog.json    the data in it, for other programs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import RunPlace, TargetHooks
from babelreg.gen.option import Option

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "One HTML file that works offline, with search, version differences and personal data"
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


def inputs(registry: Registry, options: Mapping[str, Any], place: RunPlace) -> Mapping[str, Any]:
    """Return ``comparisons`` with superseded messages, ``commits`` of messages, and ``note``, as ``options`` ask."""
    from babelreg.gen.targets.catalog.inputs import comparisons, history

    return {
        **({"comparisons": comparisons(registry)} if VERDICTS.value(options, "catalog") == "yes" else {}),
        **(history(registry, place) if HISTORY.value(options, "catalog") else {}),
    }


def outside_state(root: Path) -> str:
    """Return the position of the clone: its history may be in the files."""
    from babelreg.git.log import position

    return repr(position(root))


def serve(texts: Callable[[], Mapping[str, str]], place: RunPlace, port: int) -> None:
    """Show the catalog on this machine until the process ends. Raises UsageError where the port is taken."""
    from babelreg.gen.targets.catalog.server import CatalogServer

    server = CatalogServer(place, texts, port)
    place.note(f"{server.address} serves the catalog and follows changes of the registry; press Ctrl-C to stop")
    server.serve()


hooks = TargetHooks(inputs=inputs, outside_state=outside_state, serve=serve)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield ``catalog.json`` and ``index.html``.

    ``options`` may have ``comparisons``, ``{urn: Comparison}`` of the superseded message with it; ``commits``,
    ``{urn: [Commit, ...]}``; ``note``, a sentence about what is left out.
    """
    from babelreg.gen.targets.catalog import document, page

    return page.files(document.of(registry, options, str(TITLE.value(options, "catalog"))))
