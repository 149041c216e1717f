"""Findings about source schemas: references that lead nowhere, parts that were dropped, meanings that changed."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from babelreg.exchange.findings import import_finding
from babelreg.exchange.schemas.adjustment import SchemaAdjustment
from babelreg.exchange.schemas.identifiers import IdentifierIndex, Target
from babelreg.exchange.schemas.resolution import ResolvedReferences, UnresolvedReference
from babelreg.exchange.schemas.units import UnitGraph
from babelreg.finding import Finding, Place
from babelreg.plural import counted
from babelreg.schema.pointer import parse, text

Entry = TypeVar("Entry")


def place_of(index: IdentifierIndex, target: Target) -> Place:
    """Return the position of a place in the sources."""
    return index.files[target[0]].document.place(parse(target[1]))


def adjustment_findings(index: IdentifierIndex, adjustments: Sequence[SchemaAdjustment]) -> list[Finding]:
    """Return a finding for each kind of adjustment of a file, at its first place."""
    return [
        import_finding(
            "import-meaning-changed" if first.changes_meaning else "import-schema-adjusted",
            f"'{first.keyword}': {first.reason}{_others(len(group))}",
            place_of(index, first.place),
            fix=first.fix,
            pointer=first.place[1],
        )
        for group in _grouped((entry, (entry.place[0], entry.keyword, entry.reason)) for entry in adjustments)
        for first in group[:1]
    ]


def loss_findings(
    index: IdentifierIndex, graph: UnitGraph, reached: Collection[Target], *, by_file: bool
) -> list[Finding]:
    """Return a finding for each kind of meaning that 2020-12 cannot express, at its first place, in each file or once.

    Only places in or below those in ``reached`` count.
    """
    losses = (
        ((number, loss), (number if by_file else None, loss.keyword, loss.reason))
        for number, loss in graph.losses
        if any((number, text(loss.pointer[:steps])) in reached for steps in range(len(loss.pointer) + 1))
    )
    return [
        import_finding(
            "import-meaning-changed",
            f"'{loss.keyword}': {loss.reason}{_others(len(group), len({file for file, _ in group}))}",
            index.files[number].document.place(loss.pointer),
            pointer=text(loss.pointer),
        )
        for group in _grouped(losses)
        for number, loss in group[:1]
    ]


def _grouped(entries: Iterable[tuple[Entry, object]]) -> list[list[Entry]]:
    """Return the entries of each key."""
    groups: dict[object, list[Entry]] = {}
    for entry, key in entries:
        groups.setdefault(key, []).append(entry)
    return list(groups.values())


def _others(places: int, files: int = 1) -> str:
    if places == 1:
        return ""
    where = "of this file" if files == 1 else f"in {files} files"
    return f" (here and at {counted(places - 1, 'other place')} {where})"


def reference_findings(
    index: IdentifierIndex, resolved: ResolvedReferences, command: str = "jsonschema"
) -> list[Finding]:
    """Return a finding for each document that a file needs and that is not there, then for other dangling references.

    ``command`` is the one of ``babelreg import`` to which the document could be passed.
    """
    remote: dict[tuple[int, str], list[UnresolvedReference]] = {}
    findings = []
    for fault in resolved.faults.values():
        if fault.remote is not None:
            remote.setdefault((fault.site.file, fault.remote), []).append(fault)
            continue
        findings.append(_unresolved(index, fault, f"{fault.site.keyword} '{fault.reference}': {fault.reason}", None))
    for (number, uri), faults in remote.items():
        name = uri if "://" in uri else _shown_path(index, number, uri)
        message = (
            f"$ref '{faults[0].reference}' points to {name}, which is not in the source folder{_others(len(faults))}"
        )
        file = name if "://" not in name else name.rpartition("/")[2]
        example = f"babelreg import {shlex.quote(command)} … {shlex.quote(file or 'FILE')}"
        fix = f"also pass the file that declares it: {example}"
        findings.append(_unresolved(index, faults[0], message, fix))
    for site, reference, shown in resolved.guessed:
        message = f"$ref '{reference}' is taken for {shown}, the only file of that name"
        target = (site.file, text(site.pointer))
        findings.append(import_finding("import-schema-adjusted", message, place_of(index, target), pointer=target[1]))
    return findings


def _shown_path(index: IdentifierIndex, number: int, path: str) -> str:
    """Return ``path``, relative to the folder of the sources, as a person opens it."""
    document = index.files[number].document
    prefix = document.shown.removesuffix(document.path)
    return posixpath.normpath(f"{prefix}{path}")


def _unresolved(index: IdentifierIndex, fault: UnresolvedReference, message: str, fix: str | None) -> Finding:
    place = place_of(index, (fault.site.file, text(fault.site.pointer)))
    pointer = text((*fault.site.pointer, fault.site.keyword))
    return import_finding("import-reference-unresolved", message, place, fix=fix, pointer=pointer)
