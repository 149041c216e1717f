"""The files that an import writes: new ones whole, those of earlier imports by a merge, all others not at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from babelreg.errors import BabelregError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.naming.plan import PlannedMessage
from babelreg.exchange.registry_files.import_record import (
    RECORD,
    RecordedFile,
    matched_sources,
    read_record,
    render_record,
)
from babelreg.exchange.registry_files.three_way import merge
from babelreg.exchange.registry_files.yaml_text import yaml_text
from babelreg.finding import Finding, Place, shown_folder
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import MAX_BYTES, Tree
from babelreg.load.registry.document import decode
from babelreg.load.yaml.emitter import EditError
from babelreg.model import Registry, Urn
from babelreg.schema.pointer import text as pointer_text

__all__ = ["FileWriter"]

_UNSURE = "neither past nor imperative: check the kind"


class FileWriter:
    """Texts of registry files, by path. ``written`` are the paths of messages by source."""

    def __init__(self, tree: Tree, registry: Registry, sources: ImportSources) -> None:
        self._tree = tree
        self._registry = registry
        self._sources = sources
        self._existing = set(tree.paths())
        self._record = read_record(tree)
        self._after = dict(self._record)
        self._texts: dict[str, str] = {}
        self._owners: dict[str, Counter[str]] = {}
        self._values: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {}
        self._seen: set[str] = set()
        self.findings: list[Finding] = []
        self.written: dict[str, str] = {}

    def recorded(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the paths that earlier imports wrote, by those of ``keys`` that they wrote them from."""
        origin = self._sources.origin
        known = {file.source: path for path, file in self._record.items() if file.origin == origin}
        sources = {key: self._source(key) for key in keys}
        return {key: known[source] for key, source in matched_sources(sources, known).items()}

    def taken(self, own: Iterable[str]) -> list[str]:
        """Return the paths of all files of the registry but ``own``."""
        return sorted(self._existing.difference(own))

    def _source(self, key: str) -> str:
        """Return the name of a source in the record: its path as seen from the registry."""
        path, hash_, pointer = key.partition("#")
        name = os.path.relpath(self._sources.root / path, self._registry.root or ".")
        return name.replace(os.sep, "/") + hash_ + pointer

    def message(self, source: SourceMessage, planned: PlannedMessage, value: dict[str, Any]) -> None:
        """Plan the file of a message. Its owner is written later: it may be that of the context."""
        context = Urn.parse(planned.urn).context
        self._owners.setdefault(context, Counter())
        if "owner" in value:
            self._owners[context][value["owner"]] += 1
        comments = {"kind": _UNSURE} if planned.unsure else {}
        self._values[Urn.parse(planned.urn).path] = (source.key, value, comments)

    def fragment(self, name: str, key: str, value: Any) -> None:
        """Plan the file of a fragment."""
        self._put(f"_common/{name}", "schema", key, value)

    def contexts(self) -> None:
        """Plan the files of contexts that are not there, then those of messages."""
        owners = {name: context.owner for name, context in self._registry.contexts.items()}
        for context, counted in sorted(self._owners.items()):
            if context in owners:
                continue
            owners[context] = min(counted, key=lambda name: (-counted[name], name)) if counted else None
            path = f"{context}/_context.yaml"
            if path not in self._existing:
                value = {"owner": owners[context]} if owners[context] else {"description": context}
                self._texts[path] = yaml_text(value, "context")
        for path, (key, value, comments) in self._values.items():
            if value.get("owner") is not None and value["owner"] == owners.get(path.partition("/")[0]):
                value = {name: item for name, item in value.items() if name != "owner"}
            self._put(path, "message", key, value, comments)
            if path in self._texts or path in self._existing:
                self.written[key] = path

    def services(self) -> None:
        """Plan the files of services that are not there."""
        for name, value in sorted(self._sources.services.items()):
            path = f"_services/{name}.yaml"
            if name not in self._registry.services and path not in self._existing:
                self._texts[path] = yaml_text(value, "service")

    def files(self) -> dict[str, str]:
        """Return the texts by path, the record last."""
        if self._after != self._record:
            return {**self._texts, RECORD: render_record(self._after)}
        return dict(self._texts)

    def gone(self) -> None:
        """Report what earlier imports wrote from sources that are not there any more."""
        folders = [str(folder) + os.sep for folder in self._sources.folders]
        for path, file in self._record.items():
            if path not in self._existing or path in self._seen or path.startswith("_common/"):
                continue
            source = os.path.abspath(os.path.join(self._registry.root or ".", file.source))  # noqa: PTH100, PTH118
            if file.origin == self._sources.origin and any(source.startswith(folder) for folder in folders):
                message = f"{file.source}, from which this was imported, is not among the sources; the file stays"
                self._note("import-source-gone", path, (), message, "retire the message, or remove the file")

    def _put(self, path: str, role: str, key: str, value: Any, comments: dict[str, str] | None = None) -> None:
        """Plan one file: whole where it is not there, merged where an import wrote it, else not."""
        self._seen.add(path)
        try:
            if path not in self._existing:
                self._texts[path] = self._whole(path, role, value, comments)
            elif path in self._record:
                self._merge(path, role, value)
            else:
                message = "this file was not written by an import; it stays as it is"
                self._note("import-edit-kept", path, (), message, "give the source another URN by a plan")
                return
        except (BabelregError, Defect) as err:
            message = f"cannot be written: {err.message}"
            self._note("import-schema-refused", path, (), message, "simplify the schema, or split it")
            return
        self._after[path] = RecordedFile(self._sources.origin, self._source(key), value)

    def _whole(self, path: str, role: str, value: Any, comments: dict[str, str] | None) -> str:
        text = yaml_text(value, role, comments=comments)
        if len(text.encode()) > MAX_BYTES:
            raise EditError(f"{path} would be larger than babelreg reads")
        return text

    def _merge(self, path: str, role: str, value: Any) -> None:
        text = decode(self._tree.read(path))
        merged = merge(text, role, self._record[path].value, value)
        for pointer, reason in merged.kept:
            self._note("import-edit-kept", path, pointer, f"'{pointer_text(pointer)}' stays as it is: {reason}", None)
        if merged.text != text:
            self._texts[path] = merged.text

    def _note(self, code: str, path: str, pointer: Any, message: str, fix: str | None) -> None:
        prefix = shown_folder(self._registry.root)
        place = Place(f"{prefix}/{path}" if prefix else path)
        self.findings.append(import_finding(code, message, place, fix=fix, pointer=pointer_text(pointer) or None))
