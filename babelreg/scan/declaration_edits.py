"""Declarations of a service's messages, added to the registry: `babelreg scan --write`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from babelreg.errors import BabelregError
from babelreg.load.files.tree import Tree
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.yaml.edits import append, insert
from babelreg.model import Registry
from babelreg.scan.rules.rule import ServiceDeclarations
from babelreg.scan.urn_use import UrnUse

_LANGUAGES = {
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    **dict.fromkeys(("php", "phtml"), "php"),
    "go": "go",
    **dict.fromkeys(("java", "kt", "kts", "scala", "groovy"), "java"),
    **dict.fromkeys(("cs", "csx", "fs", "vb"), "dotnet"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"), "node"),
}
"""The ``lang`` of a service by the end of the names of its files."""


@dataclass(frozen=True, slots=True, order=True)
class Declaration:
    """A service ``produces`` or ``consumes`` (``role``) the message ``urn``."""

    urn: str
    role: str


def missing_declarations(uses: Iterable[UrnUse], declared: ServiceDeclarations) -> list[Declaration]:
    """Return the declarations that the registry lacks, sorted: of messages in use, where the code shows the role."""
    missing = set()
    for use in uses:
        message = declared.message(use)
        applies = use.role and "used-urn-undeclared" not in use.allowed and message and message.status != "retired"
        if applies and use.role and use.role not in declared.roles(use.urn):
            missing.add(Declaration(use.urn, use.role))
    return sorted(missing)


def language_of_service(uses: Iterable[UrnUse]) -> str | None:
    """Return the ``lang`` of the service in whose code the URNs are used, by most of its files."""
    files = {use.place.path for use in uses}
    counts = Counter(_LANGUAGES.get(path.rpartition(".")[2]) for path in files)
    del counts[None]
    return min(counts, key=lambda name: (-counts[name], str(name)), default=None)


def file_changes(
    declarations: Iterable[Declaration], registry: Registry, service: str, tree: Tree
) -> tuple[Mapping[str, FileChange], list[str]]:
    """Return the changed files of the registry, and a sentence for each declaration that could not be added."""
    overlay, refused = Overlay(tree), []
    for declaration in declarations:
        urn, produces = declaration.urn, declaration.role == "produces"
        path = registry.by_urn[urn].source.path if produces else f"_services/{service}.yaml"
        try:
            text = overlay.text(path)
            overlay.put(path, _with_producer(text, service) if produces else _with_consumed(text, urn))
        except FileNotFoundError:
            refused.append(f"{service} has no file {path} that could declare {urn} under consumes: create it first")
        except BabelregError as err:
            refused.append(f"{path}: {urn} could not be declared: {err.message}; edit it by hand")
    return overlay.changes(), refused


def _with_producer(text: str, service: str) -> str:
    from babelreg.load.yaml import parser

    value = parser.read(text)
    if "producers" in value:
        return append(text, ("producers",), service)
    after = next((key for key in ("queue", "owner", "description", "kind", "urn") if key in value), None)
    return insert(text, ("producers",), [service], after=after)


def _with_consumed(text: str, urn: str) -> str:
    from babelreg.load.yaml import parser

    value = parser.read(text)
    if isinstance(value, dict) and "consumes" in value:
        return append(text, ("consumes",), {"urn": urn})
    return insert(text, ("consumes",), [{"urn": urn}], block=True)
