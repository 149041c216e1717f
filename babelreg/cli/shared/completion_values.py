"""Completions of the command line: rules, URNs and registries, found fast and without reading a file.

Each press of TAB starts a process, so only file names are read: a rule's module has the name of the rule, and the path
of a message mirrors its URN.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click
from click.shell_completion import CompletionItem

_CONTEXT = re.compile(r"[a-z0-9-]+\Z")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*\Z")
# What no shell reads as anything but itself; other folders are completed by the shell.
_PLAIN = re.compile(r"[\w./+-]+\Z", re.ASCII)
_MOST_FOLDERS = 2_000
_SETTINGS = "babelreg.yaml"


def urns(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem[str]]:
    """Return the URNs of the registry that the command would use; short ones where the word does not begin as a URN."""
    root = _registry(ctx)
    found = sorted(_urns(root)) if root is not None else ()
    full = [urn for urn in found if urn.startswith(word)]
    short = (urn.removeprefix("urn:babel:") for urn in found)
    return [CompletionItem(urn) for urn in full or short if urn.startswith(word)]


def queues(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem[str]]:
    """Return the inboxes of services, which have their names, and the queues of their dead letters."""
    root = _registry(ctx)
    files = (entry.name.rpartition(".") for entry in (_entries(Path(root, "_services")) if root is not None else ()))
    names = sorted(name for name, _, ending in files if ending in ("yaml", "yml") and _NAME.match(name))
    candidates = [queue for name in names for queue in (name, f"{name}.dlq")]
    return [CompletionItem(queue) for queue in candidates if queue.startswith(word)]


def rules(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem[str]]:
    """Return the rules of `lint` or `drift` for ``--select`` and ``--ignore``; for `babelreg explain` all codes."""
    from babelreg.load.files.defect import DEFECTS

    package = Path(__file__).parents[2]
    own = {"lint": ("lint",), "drift": ("analysis/drift",)}
    verbs = own.get(str(ctx.info_name), ("lint", "breaking", "scan", "analysis/drift"))
    modules = {file.stem for verb in verbs for file in (package / verb / "rules").rglob("*.py")}
    codes = {module.replace("_", "-") for module in modules - {"__init__", "rule"}}
    if ctx.info_name != "drift":
        codes |= set(DEFECTS)
    if ctx.info_name == "explain":
        from babelreg.cli.manual.check_pages import CHECKS
        from babelreg.cli.manual.import_pages import IMPORT_CHECKS
        from babelreg.cli.manual.reason_pages import reasons

        codes |= {*CHECKS, *IMPORT_CHECKS, *reasons()}
    return [CompletionItem(rule) for rule in sorted(codes) if rule.startswith(word)]


def registries(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem[str]]:
    """Return the registries up to two folders below what was typed; the shell adds all other folders."""
    above, slash, _ = word.rpartition("/")
    folders = islice(_folders(f"{above}{slash}", 2), _MOST_FOLDERS)
    paths = [path for path in folders if path.startswith(word) and Path(path, _SETTINGS).is_file()]
    plain = [CompletionItem(path) for path in sorted(paths) if _PLAIN.match(path)]
    return [*plain, CompletionItem("", type="dir")]


def _registry(ctx: click.Context) -> Path | None:
    from babelreg.errors import BabelregError
    from babelreg.load.service.registry_folder import find_registry

    try:
        return Path(ctx.params.get("registry") or find_registry()[0])
    except BabelregError:
        return None


def _urns(root: Path) -> Iterator[str]:
    for context in _entries(root):
        if context.is_dir(follow_symlinks=False) and _CONTEXT.match(context.name):
            for file in _entries(context.path):
                name, _, ending = file.name.rpartition(".")
                if ending in ("yaml", "yml") and _NAME.match(name):
                    yield f"urn:babel:{context.name}:{name}"


def _folders(prefix: str, levels: int) -> Iterator[str]:
    for entry in _entries(prefix or "."):
        if not entry.name.startswith(".") and entry.is_dir():
            yield f"{prefix}{entry.name}"
            if levels > 1:
                yield from _folders(f"{prefix}{entry.name}/", levels - 1)


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
