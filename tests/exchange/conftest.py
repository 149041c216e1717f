"""Imports of small folders into an empty registry, in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from babelreg import load
from babelreg.exchange.formats import jsonschema
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, ImportResult, import_sources
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import parser
from babelreg.model import Registry


class Imported(NamedTuple):
    """The result of an import, and the registry after it."""

    result: ImportResult
    registry: Registry
    files: dict[str, bytes]

    @property
    def codes(self) -> list[str]:
        """The codes of the findings, sorted, without that of unknown kinds: ``kind_of`` knows few names."""
        codes = (finding.rule for finding in self.result.findings)
        return sorted(code for code in codes if code != "import-kind-unknown")

    def value(self, path: str) -> Any:
        """The value of a file that was written."""
        return parser.read(self.files[path].decode())


def kind_of(name: str) -> str | None:
    """The kind of a name, without a lexicon."""
    return "event" if name.endswith("ed") else None


@pytest.fixture
def import_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Imported]:
    """A function that imports files, values or texts by path, into ``registry`` (files by path)."""

    def importing(files: dict[str, Any], registry: dict[str, bytes] | None = None, **options: Any) -> Imported:
        folder = tmp_path_factory.mktemp("sources") / "orders"
        folder.mkdir()
        write(folder, files)
        tree = Memory({"babelreg.yaml": b"version: 1\n", **(registry or {})})
        given = {name: options.pop(name) for name in ("plan", "leak_of", "status") if name in options}
        sources = jsonschema.read([folder], **options)
        owners = Owners(default="team-orders")
        result = import_sources(sources, load.from_tree(tree), tree, ImportOptions(kind_of, owners, **given))
        after = {**tree._files, **{path: text.encode() for path, text in result.files.items()}}
        return Imported(result, load.from_tree(Memory(after)), after)

    return importing


def write(folder: Path, files: dict[str, Any]) -> None:
    """Write values as JSON, texts and bytes as they are."""
    for path, value in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        body = value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else None
        target.write_bytes(json.dumps(value).encode() if body is None else body)
