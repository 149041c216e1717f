"""Declarations written back: a service is added to what the registry says of the messages that its code uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from babelreg.errors import BabelregError
from babelreg.load.files.tree import Tree
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.yaml.edits import insert
from babelreg.load.yaml.list_append import append
from babelreg.model import Registry
from babelreg.scan.rules.rule import Declared
from babelreg.scan.use import UrnUse

__all__ = ["Declaration", "changes", "missing"]


@dataclass(frozen=True, slots=True, order=True)
class Declaration:
    """That the service ``produces`` or ``consumes`` (``role``) the message ``urn``."""

    urn: str
    role: str


def missing(uses: Iterable[UrnUse], declared: Declared) -> list[Declaration]:
    """What the registry is to be told: of living messages, where the code shows the role; sorted."""
    found = set()
    for use in uses:
        message = declared.message(use)
        wanted = use.role and "used-urn-undeclared" not in use.allowed and message and message.status != "retired"
        if wanted and use.role and use.role not in declared.roles(use.urn):
            found.add(Declaration(use.urn, use.role))
    return sorted(found)


def changes(
    every: Iterable[Declaration], registry: Registry, service: str, tree: Tree
) -> tuple[Mapping[str, FileChange], list[str]]:
    """The files of the registry with ``every`` added, and a sentence for each that could not be."""
    overlay, refused = Overlay(tree), []
    for one in every:
        path = registry.by_urn[one.urn].source.path if one.role == "produces" else f"_services/{service}.yaml"
        try:
            text = overlay.text(path)
            told = _produced(text, service) if one.role == "produces" else _consumed(text, one.urn)
            overlay.put(path, told)
        except FileNotFoundError:
            refused.append(f"{service} has no file {path} to declare in that it consumes {one.urn}: create it first")
        except BabelregError as err:
            refused.append(f"{path}: {one.urn} could not be declared: {err.message}; edit it by hand")
    return overlay.changes(), refused


def _produced(text: str, service: str) -> str:
    from babelreg.load.yaml import parser

    value = parser.read(text)
    if "producers" in value:
        return append(text, ("producers",), service)
    after = next((key for key in ("queue", "owner", "description", "kind", "urn") if key in value), None)
    return insert(text, ("producers",), [service], after=after)


def _consumed(text: str, urn: str) -> str:
    from babelreg.load.yaml import parser

    value = parser.read(text)
    if isinstance(value, dict) and "consumes" in value:
        return append(text, ("consumes",), {"urn": urn})
    return insert(text, ("consumes",), [{"urn": urn}], block=True)
