"""What the consumer that ``gen python`` writes says of a message, without a broker."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from click.testing import CliRunner

from babelreg.cli.gen.group import command as gen

__all__ = ["consumer", "write"]


def write(files: Mapping[str, str], root: Path) -> Path:
    """A registry on disk: its files by path, below ``root``."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


@contextmanager
def consumer(registry: Path, out: Path, package: str, urns: Iterable[str]) -> Iterator[Callable[[bytes], str | None]]:
    """The reason at the head of ``dead_letter.error``, None for what is handled; there is a handler for each of ``urns``.

    ``package`` is imported, so it must be a name of its own.
    """
    arguments = ["python", "--registry", str(registry), "--out", str(out), "--package", package]
    assert CliRunner().invoke(gen, arguments).exit_code == 0
    sys.path.insert(0, str(out))
    try:
        messages = importlib.import_module(package)
        testing = importlib.import_module(f"{package}.testing")
    finally:
        sys.path.remove(str(out))
    logger = logging.getLogger("babelreg.runtime")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with closing(testing.Broker()) as broker:
            made = messages.Consumer(broker.app, on_unknown_urn="dead_letter")
            for urn in urns:
                made.on(getattr(messages, "".join(part.title() for part in urn.split(":")[2:])))(_ignore)

            def says(body: bytes) -> str | None:
                outcome = broker.deliver_raw(made, body, "q")
                return None if outcome.kind == "handled" else outcome.detail.partition(":")[0]

            yield says
    finally:
        logger.setLevel(level)


def _ignore(data: object, context: object) -> None:
    """A handler that is content with everything."""
