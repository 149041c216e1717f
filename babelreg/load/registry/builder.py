"""Construction of a :class:`Registry` from the files of a tree.

A file that cannot be read becomes a defect, and the rest is read. Values that are wrong in meaning only (a misspelt
URN, an unknown service) stay as written, for the rules.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from babelreg.finding import Finding, Place
from babelreg.load.files.defect import Defect, finding
from babelreg.load.files.registry_paths import COMMON, CONTEXT, SERVICES, SETTINGS, well_placed
from babelreg.load.files.tree import Tree
from babelreg.load.registry import file_validation, pyproject
from babelreg.load.registry.bundle import Bundler, RefDefect
from babelreg.load.registry.comment_directives import remarks
from babelreg.load.registry.document import Document
from babelreg.load.registry.examples import examples_of, file_of
from babelreg.load.registry.message_file_heuristic import declares_urn, like_a_message
from babelreg.load.registry.misplaced import misplaced
from babelreg.load.registry.pyproject import Pyproject
from babelreg.model import (
    BoundedContext,
    Compatibility,
    Consumption,
    Counterexample,
    Delivery,
    Fragment,
    Message,
    Registry,
    Service,
    Settings,
    Source,
    SparkSettings,
    Thresholds,
    Urn,
    UrnError,
    Wires,
)
from babelreg.schema.pointer import text

if TYPE_CHECKING:
    from babelreg.model.coverage import Coverage

_RESERVED = frozenset({"con", "aux", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


def from_tree(tree: Tree, root: str = "") -> Registry:
    """Return the registry in ``tree``. Never raises for what the files contain."""
    return from_documents(tree, root, {})


def from_documents(tree: Tree, root: str, read: dict[str, Document]) -> Registry:
    """Return the registry in ``tree``, of which ``read`` has the files that were read before; others are added."""
    return _Builder(tree, root, read).build()


def schema_settings(tree: Tree, root: str) -> tuple[Settings, list[Finding]]:
    """Return the settings of a folder of plain schemas, and their defects. It needs none."""
    builder = _Builder(tree, root, {})
    return builder.schema_settings(), builder.defects


class _DeclaringFiles:
    """The paths of a tree, by what they declare."""

    def __init__(self) -> None:
        self.contexts: dict[str, str] = {}
        self.services: list[str] = []
        self.messages: list[str] = []
        self.fragments: list[str] = []


class _Builder:
    def __init__(self, tree: Tree, root: str, read: dict[str, Document]) -> None:
        self.tree = tree
        self.root = root
        self.read = read
        self.defects: list[Finding] = []
        self.documents: dict[str, Document | None] = {}
        self.paths = tree.paths()
        self.bundler = Bundler(self.open_fragment, self.paths)

    def build(self) -> Registry:
        settings = self.settings(self.paths)
        files = self.sorted_files(self.paths)
        contexts = {name: context for name, path in files.contexts.items() if (context := self.context(name, path))}
        services = {service.name: service for path in files.services if (service := self.service(path))}
        fragments = {path: Fragment(doc, doc.value) for path in files.fragments if (doc := self.document(path))}
        messages = [message for path in files.messages if (message := self.message(path, contexts))]
        coverage: Coverage | None = None
        if settings.traffic is not None:
            from babelreg.load.registry import coverage_file

            coverage, defects = coverage_file.in_tree(self.tree, settings.traffic, self.root)
            self.defects.extend(defects)
        used = self.used()
        self.defects.extend(misplaced(self.tree, self.root, settings, used))
        return Registry(
            root=self.root,
            settings=settings,
            contexts=contexts,
            services=services,
            fragments=fragments,
            messages=tuple(messages),
            defects=tuple(sorted(_distinct(self.defects), key=lambda f: f.sort_key)),
            remarks=tuple(remark for document in self.documents.values() if document for remark in remarks(document)),
            files=used,
            coverage=coverage,
        )

    def used(self) -> frozenset[str]:
        """Return the paths of all files that were read or are referred to."""
        examples = (file_of(document) for document in self.documents.values() if document)
        return frozenset(self.documents).union(path for path in examples if path is not None)

    def sorted_files(self, paths: Any) -> _DeclaringFiles:
        files = _DeclaringFiles()
        declared = {path.partition("/")[0] for path in paths if path.endswith(f"/{CONTEXT}")}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if not folder or not well_placed(path):
                continue
            self.check_name(path, name)
            if folder == SERVICES:
                files.services.append(path)
            elif folder == COMMON:
                files.fragments.append(path)
            elif name == CONTEXT:
                files.contexts[folder] = path
            elif folder in declared or self.may_be_a_message(path):
                files.messages.append(path)
        return files

    def may_be_a_message(self, path: str) -> bool:
        """Return True unless the folder has no _context.yaml and the file does not look like a message."""
        try:
            body = self.tree.read(path)
            return like_a_message(body) or declares_urn(body)
        except (Defect, FileNotFoundError):
            return False

    def check_name(self, path: str, name: str) -> None:
        for part in (path.partition("/")[0], name.partition(".")[0]):
            if part.lower() in _RESERVED:
                message = f"'{part}' is a device name on Windows, where the registry could not be checked out"
                self.defect(finding("file-name-reserved", message, Place(path), fix="choose another name"))

    def document(self, path: str) -> Document | None:
        if path not in self.documents:
            self.documents[path] = self.opened(path)
        return self.documents[path]

    def opened(self, path: str) -> Document | None:
        try:
            return self.loaded(path)
        except Defect as defect:
            self.defect(defect.at(path, self.root))
        except FileNotFoundError:
            self.defect(Defect("file-unreadable", "the link points to no file", fix="rm FILE").at(path, self.root))
        return None

    def loaded(self, path: str) -> Document:
        """Return the file, read once. Raises Defect, FileNotFoundError."""
        if path not in self.read:
            self.read[path] = Document.load(self.tree, path)
        return self.read[path]

    def open_fragment(self, path: str) -> tuple[Source, Any]:
        if path in self.documents:
            document = self.documents[path]
        else:
            try:
                document = self.documents[path] = self.loaded(path)
            except FileNotFoundError as err:
                raise KeyError(path) from err
            except Defect as defect:
                self.defect(defect.at(path, self.root))
                document = self.documents[path] = None
        if document is None:
            raise KeyError(path)
        return document, document.value

    def settings(self, paths: Any) -> Settings:
        if SETTINGS not in paths:
            fix = f"printf 'version: 1\\n' > {shlex.quote(posixpath.join(self.root or '.', SETTINGS))}"
            self.defect(finding("settings-missing", f"the registry has no {SETTINGS}", Place(SETTINGS), fix=fix))
            return Settings()
        document = self.document(SETTINGS)
        if document is None or not self.shaped(document, "settings"):
            return Settings(source=document)
        value = document.value
        if "schemas" in value:
            message = "`schemas:` marks a folder of plain schemas, which is not a registry"
            fix = "remove it; or compare the schemas with `babelreg breaking FOLDER`"
            self.defect(finding("value-invalid", message, document.place(("schemas",), key=True), fix=fix))
        compatibility = _compatibility(value.get("compatibility")) or Compatibility()
        said = Settings(
            document, value["version"], compatibility, value.get("lint", {}), value.get("gen", {}), document,
            ignore_files=tuple(value.get("ignore_files", ())), wires=Wires(value.get("wires", {})),
            spark=_spark(value.get("spark", {})),
            owners={name: tuple(accounts) for name, accounts in value.get("owners", {}).items()},
            traffic=value.get("traffic"),
        )  # fmt: skip
        own: list[tuple[Source, Any]] = [(document, value["breaking"])] if "breaking" in value else []
        other = self.pyproject()
        if other is None or "schemas" in other.value or ("lint" in value and "breaking" not in other.value):
            return said._replace(breaking=tuple(own), lint_ignored=other)
        more = other.value if self.shaped(other, "settings") else {}
        said = said._replace(breaking=(*own, *([(other, more["breaking"])] if "breaking" in more else ())))
        if "lint" not in other.value:
            return said
        if "lint" in value:
            return said._replace(lint_ignored=other)
        return said._replace(lint=more.get("lint", {}), lint_source=other)

    def schema_settings(self) -> Settings:
        """Return the settings of a folder of plain schemas, which ``pyproject.toml`` may hold, too."""
        own = self.document(SETTINGS) if SETTINGS in self.paths else None
        other = self.pyproject()
        files = [own, other if other is not None and "schemas" in other.value else None]
        sound = [file for file in files if file is not None and self.shaped(file, "settings")]
        chosen = [file.value["compatibility"] for file in sound if "compatibility" in file.value]
        return Settings(
            source=own,
            compatibility=(_compatibility(chosen[0]) if chosen else None) or Compatibility(),
            lint_source=next(iter(sound), None),
            breaking=tuple((file, file.value["breaking"]) for file in sound if "breaking" in file.value),
        )

    def pyproject(self) -> Pyproject | None:
        found, defects = pyproject.nearest(self.tree)
        self.defects.extend(defects)
        return found

    def context(self, name: str, path: str) -> BoundedContext | None:
        document = self.document(path)
        if document is None:
            return None
        if not self.shaped(document, "context"):
            return BoundedContext(name, document)
        value = document.value
        compatibility = _compatibility(value.get("compatibility"))
        said = {key: value.get(key) for key in ("owner", "description", "contact")}
        return BoundedContext(name, document, compatibility=compatibility, **said)

    def service(self, path: str) -> Service | None:
        document = self.document(path)
        if document is None:
            return None
        name = posixpath.basename(path).removesuffix(".yaml")
        if not self.shaped(document, "service"):
            return Service(name, document)
        value = document.value
        said = {key: value.get(key) for key in ("owner", "lang", "repo", "contact", "description")}
        consumes = tuple(map(Consumption.of, value.get("consumes", ())))
        return Service(name, document, consumes=consumes, **said)

    def message(self, path: str, contexts: dict[str, BoundedContext]) -> Message | None:
        document = self.document(path)
        if document is None or not self.shaped(document, "message"):
            return None
        value = document.value
        urn = value["urn"]
        parsed = _parsed(urn)
        context = contexts.get(parsed.context if parsed else path.partition("/")[0])
        delivery = value.get("delivery")
        schema, origins = self.bundled(document, urn)
        return Message(
            urn=urn,
            parsed=parsed,
            source=document,
            kind=value.get("kind"),
            status=value.get("status", "active"),
            description=value.get("description"),
            owner=value.get("owner") or (context.owner if context else None),
            queue=value.get("queue"),
            headers=value.get("headers", False),
            supersedes=value.get("supersedes"),
            producers=tuple(value.get("producers", ())),
            declared_consumers=tuple(value.get("consumers", ())),
            aliases=tuple(value.get("aliases", ())),
            delivery=Delivery.of(delivery) if delivery is not None else None,
            sunset=value.get("sunset"),
            retired_on=value.get("retired_on"),
            data=value.get("data"),
            schema=schema,
            origins=origins,
            examples=tuple(examples_of(document, self.tree, self.defect)),
            counterexamples=tuple(_counterexamples(document)),
            upcast=tuple(value.get("upcast", ())),
        )

    def bundled(self, document: Document, urn: str) -> tuple[dict[str, Any] | None, dict[str, Source]]:
        data = document.value.get("data")
        if not isinstance(data, dict):
            return (None if data is None else {} if data else {"not": {}}), {}
        try:
            bundle = self.bundler.bundle(data, document, ("data",))
        except RefDefect as err:
            found = finding(err.rule, err.message, err.source.place(err.at), fix=err.fix, urn=urn, pointer=text(err.at))
            self.defect(found)
            return None, {}
        return bundle.schema, dict(bundle.origins)

    def shaped(self, document: Document | Pyproject, name: str) -> bool:
        defects = file_validation.check(document, name)
        self.defects.extend(defects)
        return not defects

    def defect(self, found: Finding) -> None:
        self.defects.append(found)


def _distinct(findings: list[Finding]) -> Iterator[Finding]:
    """Yield the findings without repetition: a broken fragment is reported once for all messages that refer to it."""
    seen: set[tuple[str, Place, str]] = set()
    for found in findings:
        key = (found.rule, found.place, found.message)
        if key not in seen:
            seen.add(key)
            yield found


def _parsed(urn: str) -> Urn | None:
    try:
        return Urn.parse(urn)
    except UrnError:
        return None


def _compatibility(value: Any) -> Compatibility | None:
    return None if value is None else Compatibility(**value)


def _spark(value: dict[str, Any]) -> SparkSettings:
    limits = {key: Thresholds.of(value.get(key)) for key in ("fail_above", "hold_above")}
    return SparkSettings(**limits, engine=value.get("engine"))


def _counterexamples(document: Document) -> Iterator[Counterexample]:
    for i, item in enumerate(document.value.get("counterexamples", ())):
        yield Counterexample(item["data"], item["because"], document, ("counterexamples", i, "data"))
