"""Comparison of plain schemas: both revisions are imported in memory, and compared as registries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.output import as_pasted, emit
from babelreg.errors import UsageError
from babelreg.finding import Finding, shown_folder
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.exchange.schema_registry import ComparedSchemas
    from babelreg.model import Registry


def compare_schemas(
    root: Path,
    paths: Sequence[Path],
    against: str | None,
    *,
    today: date,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> int:
    """Compare the plain schemas in ``root`` with those that ``against`` names; return the exit code.

    Findings about schemas outside ``paths`` are left out. Raises UsageError.
    """
    from babelreg.breaking.baseline.schema_files import published_files
    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.check.grouping import merged
    from babelreg.breaking.check.report_gaps import ReportGaps
    from babelreg.breaking.check.run import check
    from babelreg.breaking.rules import WAIVABLE
    from babelreg.cli.shared.registry_options import paths_below
    from babelreg.exchange.schema_registry import SchemaRevision, compared_schemas
    from babelreg.exchange.sources.source_folder import is_source, listed_sources
    from babelreg.load.files.tree import Folder
    from babelreg.load.registry.root import schema_settings

    selected = paths_below(root, paths)
    named = {below for path, below in zip(paths, selected, strict=True) if path.is_file()}
    settings = schema_settings(root)
    published = published_files(root, against, lambda path: is_source(path) or path in named, listed_sources)
    click.echo(published.headline, err=True)
    new = SchemaRevision(root, Folder(root), {*listed_sources(root), *named}, named)
    old = SchemaRevision(root, published.tree, published.paths, named)
    compared = compared_schemas(old, new, settings, str(root))
    if not (compared.old.messages or compared.new.messages or compared.findings):
        raise UsageError(f"there is no JSON Schema in {root}", fix="name the folder that contains the schemas")
    waivers = BreakingWaivers.of(settings, WAIVABLE, today)
    gaps = ReportGaps()
    findings = [*compared.findings, *check(compared.old, compared.new, waivers=waivers, gaps=gaps)]
    for note in gaps.summary:
        click.echo(note, err=True)
    chosen = sorted(_about(findings, selected), key=lambda finding: (finding.severity.rank, finding.sort_key))
    checked, counts = _extent(compared, selected)
    waived = len(merged(_about(waivers.hidden, selected)))
    others = {"not_schemas": _count(compared.not_schemas, selected), "unreadable": _count(compared.unread, selected)}
    left_out = _phrases(**others)
    style, output = as_pasted(settings, style, output)
    code = emit(
        chosen, style, output=output, fail_on=fail_on, prefix=shown_folder(root), checked=checked, verb="compared",
        left_out=left_out, notes=(published.headline, *gaps.summary), counts={**counts, **others, "waived": waived},
    )  # fmt: skip
    click.echo("; ".join((_verdict(chosen, waived) + f"compared {checked}", *left_out)), err=True)
    return code


def _verdict(findings: Sequence[Finding], waived: int) -> str:
    from babelreg.report import summary

    if findings:
        return f"{summary(findings, waived=waived)}: "
    return "nothing breaks" + (f" ({waived} waived)" if waived else "") + ": "


def _about(findings: Sequence[Finding], selected: Sequence[str]) -> list[Finding]:
    """Return the findings that are in one of the paths ``selected``, or about a schema there."""
    return [
        finding
        for finding in findings
        if any(_is_below(path, selected) for path in (finding.place.path, *_schemas(finding)))
    ]


def _schemas(finding: Finding) -> list[str]:
    names = [use.urn for use in finding.messages] or ([finding.urn] if finding.urn is not None else [])
    return [name.partition("#")[0] for name in names]


def _count(paths: Collection[str], selected: Sequence[str]) -> int:
    return sum(_is_below(path, selected) for path in paths)


def _phrases(not_schemas: int, unreadable: int) -> list[str]:
    """Return how many files were not compared, each number that is not 0 as a phrase."""
    phrases = []
    if not_schemas:
        phrases.append("1 file is not a schema" if not_schemas == 1 else f"{not_schemas} files are not schemas")
    if unreadable:
        phrases.append("1 file was not read" if unreadable == 1 else f"{unreadable} files were not read")
    return phrases


def _is_below(path: str, selected: Sequence[str]) -> bool:
    return not selected or any(top in ("", path) or path.startswith(f"{top}/") for top in selected)


def _extent(compared: ComparedSchemas, selected: Sequence[str]) -> tuple[str, dict[str, int]]:
    """Return how many schemas were compared, as a phrase and for programs."""
    present = [name for name in _names(compared.new) if _is_below(name.partition("#")[0], selected)]
    published = _names(compared.old)
    renamed = compared.new.plain.renamed.values() if compared.new.plain else ()
    new = [name for name in present if name not in published and name not in renamed]
    phrase = f"{len(present) - len(new)} of {counted(len(present), 'schema')}"
    counts = {"schemas": len(present), "compared": len(present) - len(new), "new": len(new)}
    return phrase + (f" ({len(new)} new)" if new else ""), counts


def _names(registry: Registry) -> set[str]:
    return {message.urn for message in registry.messages if message.published and message.schema is not None}
