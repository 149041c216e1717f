"""The files that an import writes: new ones whole, those of earlier imports by a merge, all others not at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
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
from babelreg.finding import Finding, Place, shown_folder
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import MAX_BYTES, Tree
from babelreg.load.registry.document import decode
from babelreg.load.registry.written_keywords import references
from babelreg.load.yaml import parser
from babelreg.load.yaml.emitter import EditError
from babelreg.load.yaml.yaml_text import KeyComments, yaml_text
from babelreg.model import Registry, Urn
from babelreg.schema.pointer import text as pointer_text
from babelreg.schema.values import identical

_COMMON = "_common/"
_UNSURE = "the name is not in the past tense: check the kind"


class FileWriter:
    """Texts of registry files, by path. ``written`` are the paths of messages by source.

    ``record`` is that of earlier imports.
    """

    def __init__(self, tree: Tree, registry: Registry, sources: ImportSources) -> None:
        self._tree = tree
        self._registry = registry
        self._sources = sources
        self._existing = set(tree.paths())
        self.record = read_record(tree)
        self._after = dict(self.record)
        self._texts: dict[str, str] = {}
        self._owners: dict[str, Counter[str]] = {}
        self._values: dict[str, tuple[str, dict[str, Any], KeyComments]] = {}
        self._definitions: dict[str, dict[str, str]] = {}
        self._seen: set[str] = set()
        self.findings: list[Finding] = []
        self.written: dict[str, str] = {}

    def recorded(self, keys: Iterable[str], *, fragments: bool = False) -> dict[str, str]:
        """Return the paths of messages that earlier imports wrote, by those of ``keys`` that they wrote them from.

        With ``fragments``, those of fragments that are still there.
        """
        known = {
            file.source: path
            for path, file in self.record.items()
            if file.origin == self._sources.origin and path.startswith(_COMMON) == fragments
            if path in self._existing or not fragments
        }
        sources = {key: self._source(key) for key in keys}
        return {key: known[source] for key, source in matched_sources(sources, known).items()}

    def recorded_definitions(self, path: str, keys: Iterable[str]) -> dict[str, str]:
        """Return the names below ``$defs`` that a message file has for those of ``keys`` that it holds itself.

        Empty where its schema is not edited: then nothing is lost when a definition moves to a fragment.
        """
        known = self.record[path].definitions if self._is_edited(path) else {}
        sources = {key: self._source(key) for key in keys}
        return {key: known[source] for key, source in matched_sources(sources, known).items()}

    def _is_edited(self, path: str) -> bool:
        if path not in self._existing:
            return False
        try:
            return not identical(_data(parser.read(decode(self._tree.read(path)))), _data(self.record[path].value))
        except Defect:
            return True

    def taken(self, own: Iterable[str]) -> list[str]:
        """Return the paths of all files of the registry but ``own``."""
        return sorted(self._existing.difference(own))

    def _source(self, key: str) -> str:
        """Return the name of a source in the record: its path as seen from the registry."""
        path, hash_, pointer = key.partition("#")
        name = os.path.relpath(self._sources.root / path, self._registry.root or ".")
        return name.replace(os.sep, "/") + hash_ + pointer

    def message(
        self, source: SourceMessage, planned: PlannedMessage, value: dict[str, Any], definitions: Mapping[str, str]
    ) -> None:
        """Plan the file of a message, which holds ``definitions`` itself: their names by key.

        Its owner is written later: it may be that of the context.
        """
        context = Urn.parse(planned.urn).context
        self._owners.setdefault(context, Counter())
        if "owner" in value:
            self._owners[context][value["owner"]] += 1
        comments: KeyComments = {("kind",): _UNSURE} if planned.unsure else {}
        path = Urn.parse(planned.urn).path
        self._values[path] = (source.key, value, comments)
        self._definitions[path] = {self._source(key): name for key, name in definitions.items()}

    def fragment(self, name: str, key: str, value: Any) -> None:
        """Plan the file of a fragment."""
        self._put(f"{_COMMON}{name}", "schema", key, value)

    def contexts(self) -> None:
        """Plan the files of contexts that are not there, then those of messages."""
        owners = {name: context.owner for name, context in self._registry.contexts.items()}
        for context, counted in sorted(self._owners.items()):
            if owners.get(context) is not None or (context in owners and not counted):
                continue
            owner = min(counted, key=lambda name: (-counted[name], name)) if counted else None
            path = f"{context}/_context.yaml"
            if path not in self._existing:
                self._texts[path] = yaml_text({"owner": owner} if owner else {"description": context}, "context")
            elif context in owners and not self._gains_owner(path, owner):
                continue
            owners[context] = owner
        for path, (key, value, comments) in self._values.items():
            if value.get("owner") is not None and value["owner"] == owners.get(path.partition("/")[0]):
                value = {name: item for name, item in value.items() if name != "owner"}
            self._put(path, "message", key, value, comments)
            if path in self._texts or path in self._existing:
                self.written[key] = path

    def _gains_owner(self, path: str, owner: str | None) -> bool:
        """Write the owner into the file of a context that names none, as an import without one wrote it."""
        try:
            self._texts[path] = merge(decode(self._tree.read(path)), "context", {}, {"owner": owner}).text
        except (BabelregError, Defect):
            return False
        return True

    def services(self) -> None:
        """Plan the files of services that are not there."""
        for name, value in sorted(self._sources.services.items()):
            path = f"_services/{name}.yaml"
            if name not in self._registry.services and path not in self._existing:
                self._texts[path] = yaml_text(value, "service")

    def files(self) -> dict[str, str]:
        """Return the texts by path, the record last."""
        if self._after != self.record:
            return {**self._texts, RECORD: render_record(self._after)}
        return dict(self._texts)

    def gone(self) -> None:
        """Report what earlier imports wrote from sources that are not there any more."""
        folders = [str(folder) + os.sep for folder in self._sources.folders]
        files = {str(self._sources.root / path) for path in self._sources.files}
        for path, file in self.record.items():
            if path not in self._existing or path in self._seen or path.startswith(_COMMON):
                continue
            source = os.path.abspath(os.path.join(self._registry.root or ".", file.source))  # noqa: PTH100, PTH118
            read = any(source.startswith(folder) for folder in folders) or source.partition("#")[0] in files
            if file.origin == self._sources.origin and read:
                message = f"{file.source}, from which this was imported, is not among the sources; the file stays"
                self._note("import-source-gone", path, (), message, "retire the message, or remove the file")

    def _put(self, path: str, role: str, key: str, value: Any, comments: KeyComments | None = None) -> None:
        """Plan one file: whole where it is not there, merged where an import wrote it, else not."""
        self._seen.add(path)
        try:
            if path not in self._existing:
                self._texts[path] = self._whole(path, role, value, comments)
                if path in self.record:
                    message = "this file, which an import wrote, was removed; it is written again"
                    self._note("import-edit-kept", path, (), message, "leave the source out with a plan")
            elif path in self.record:
                self._merge(path, role, value)
            else:
                message = "this file was not written by an import; it stays as it is"
                self._note("import-edit-kept", path, (), message, "give the source another URN in a plan")
                return
        except (BabelregError, Defect) as err:
            fix = "simplify the schema, or split it"
            if any(defect.place.path == path for defect in self._registry.defects):
                fix = f"correct {path} in the registry first; `babelreg lint` shows the place"
            self._note("import-schema-refused", path, (), f"cannot be written: {err.message}", fix)
            return
        definitions = self._definitions.get(path, {})
        self._after[path] = RecordedFile(self._sources.origin, self._source(key), value, definitions)

    def _whole(self, path: str, role: str, value: Any, comments: KeyComments | None) -> str:
        text = yaml_text(value, role, comments=comments)
        if len(text.encode()) > MAX_BYTES:
            raise EditError(f"{path} would exceed the size limit")
        return text

    def _merge(self, path: str, role: str, value: Any) -> None:
        text = decode(self._tree.read(path))
        base = self.record[path].value
        merged = merge(text, role, base, value)
        while needed := _needed_definitions(merged.text, base, value):
            data = value["data"]
            value = {**value, "data": {**data, "$defs": {**data.get("$defs", {}), **needed}}}
            merged = merge(text, role, base, value)
        for pointer, reason in merged.kept:
            self._note("import-edit-kept", path, pointer, f"'{pointer_text(pointer)}' stays as it is: {reason}", None)
        if merged.text != text:
            self._texts[path] = merged.text

    def _note(self, code: str, path: str, pointer: Any, message: str, fix: str | None) -> None:
        prefix = shown_folder(self._registry.root)
        place = Place(f"{prefix}/{path}" if prefix else path)
        self.findings.append(import_finding(code, message, place, fix=fix, pointer=pointer_text(pointer) or None))


def _needed_definitions(text: str, base: Any, theirs: Any) -> dict[str, Any]:
    """Return the definitions of ``base`` that the source dropped and that edits in the merged ``text`` refer to."""
    dropped = _definitions(base).keys() - _definitions(theirs).keys()
    if not dropped:
        return {}
    ours = parser.read(text)
    referred = {reference.removeprefix("#/$defs/").partition("/")[0] for _, reference in references(_data(ours))}
    return {name: _definitions(base)[name] for name in sorted(dropped & referred - _definitions(ours).keys())}


def _definitions(value: Any) -> dict[str, Any]:
    definitions = _data(value).get("$defs")
    return definitions if isinstance(definitions, dict) else {}


def _data(value: Any) -> dict[str, Any]:
    data = value.get("data") if isinstance(value, dict) else None
    return data if isinstance(data, dict) else {}
