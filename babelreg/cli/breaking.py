"""``babelreg breaking``: what changed since the published registry, whom it breaks, and how to fix it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from babelreg.cli.shared.common_options import (
    LocalPath,
    diff_option,
    dry_run_option,
    examples,
)
from babelreg.cli.shared.minted_files import preview
from babelreg.cli.shared.output import as_pasted
from babelreg.cli.shared.registry_options import (
    color_option,
    emit,
    exit_code,
    fail_on_option,
    format_option_with,
    note_once,
    open_tree,
    output_option,
    paths_below,
    registry_option,
    root_of,
    shown_root,
    sound,
    today_option,
)
from babelreg.finding import Finding
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.breaking.baseline.against import Baseline
    from babelreg.breaking.baseline.changed_subset import ComparedState
    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.check.recorded_impact import RecordedImpact
    from babelreg.breaking.check.report_gaps import ReportGaps
    from babelreg.cli.shared.output import Output
    from babelreg.model import Registry


_ACTIVATE = "set `status: active` in the files of messages that services use"


@click.command(
    epilog=examples(
        "babelreg breaking                          # against the default branch",
        "babelreg breaking --against v1.4           # against a tag",
        "babelreg breaking schemas --against main   # a folder of plain JSON Schemas",
        "babelreg breaking registry/orders --fix    # mint what breaks there, and report the rest",
        "babelreg breaking --format waivers         # settings entries that accept the breaks",
    )
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath())
@click.option(
    "--against",
    metavar="REV|DIR|FILE",
    help="The published state: a branch (its merge-base with HEAD), a commit, a tag, HEAD~1, "
    ".git#branch=main,subdir=registry, a folder, or a tar or zip. Default: the remote's default branch, else main or "
    "master.",
)
@click.option(
    "--fix", "mint_breaks", is_flag=True, help="Restore the published files, and mint the edits as new versions."
)
@diff_option("--fix")
@dry_run_option("the files that --fix would write")
@click.option(
    "--traffic",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    help="The count of each URN: a JSON object {URN: COUNT}, or JSON lines or CSV with urn and count; or the "
    "JSON report of `babelreg impact`, whose counts are shown with the findings. A URN in use may not be retired.",
)
@click.option("--no-cache", is_flag=True, help="Read everything again, and cache nothing for the next run.")
@registry_option
@format_option_with("waivers")
@output_option
@color_option
@fail_on_option
@today_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: Sequence[Path],
    against: str | None,
    mint_breaks: bool,
    diff: bool,
    dry_run: bool,
    traffic: Path | None,
    no_cache: bool,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    today: date | None,
) -> None:
    """Compare the registry with its published version, and report changes that break producers or consumers.

    Outside a registry, PATH is a folder or file of plain JSON Schemas or AsyncAPI documents: they are compared as they
    are. A babelreg.yaml with `schemas: .` in the folder may hold settings and waivers for them.

    `babelreg diff` lists all changes and never fails; `babelreg compare` compares two schema files.

    A draft may change freely and is not compared. Exit 0: nothing breaks. 1: something breaks or could not be decided;
    with --diff, or --fix --dry-run, also if --fix would write anything.
    """
    if registry is None and (schemas := _schema_folder(paths)) is not None:
        from babelreg.cli.shared.schema_comparison import compare_schemas

        _refuse_options(schemas, {"--fix": mint_breaks, "--diff": diff, "--dry-run": dry_run, "--traffic": traffic})
        day = today or datetime.now(UTC).date()
        ctx.exit(compare_schemas(schemas, paths, against, today=day, style=style, output=output, fail_on=fail_on))
    from babelreg.breaking.baseline import against as baseline
    from babelreg.breaking.check.grouping import merged
    from babelreg.breaking.check.recorded_impact import read as read_impact
    from babelreg.breaking.check.report_gaps import ReportGaps
    from babelreg.breaking.check.traffic_counts import read
    from babelreg.breaking.rules import EXPECTATION_BROKEN
    from babelreg.report import summary

    root = _registry_root(registry, paths, writes=mint_breaks and not (diff or dry_run))
    selected = paths_below(root, paths)
    recorded = read_impact(traffic) if traffic else None
    counts = recorded.seen if recorded is not None else read(traffic) if traffic else {}
    if traffic and not counts:
        note_once(f"--traffic: {traffic} contains no counts")
    published = baseline.of(root, against)
    day = today or datetime.now(UTC).date()
    gaps = ReportGaps()
    current, every, states, waived, expected = _compared(
        root, published, selected, counts, day, gaps, cached=not no_cache
    )
    click.echo(published.headline, err=True)
    shown_only = preview(diff, dry_run)
    if (mint_breaks or shown_only) and any(_within(finding, selected) for finding in every):
        changed = _apply_fix(root, published, selected, day, listed=style not in (None, "text"), preview=shown_only)
        if shown_only:
            ctx.exit(1 if changed else exit_code([finding for finding in every if _within(finding, selected)], fail_on))
        gaps = ReportGaps()
        current, every, states, waived, expected = _compared(
            root, published, selected, counts, day, gaps, cached=not no_cache
        )
    past = published.past.summary if published.past else ()
    notes = (*filter(None, [published.note]), *past, *gaps.summary)
    for note in notes:
        click.echo(note, err=True)
    findings = [finding for finding in every if _within(finding, selected)]
    if recorded is not None:
        findings = _with_traffic(every, findings, recorded, day)
    hidden = len(merged(finding for finding in waived if _within(finding, selected)))
    broken = sum(each.rule == EXPECTATION_BROKEN for each in (*every, *waived) if _within(each, selected))
    extent = _Extent.of(states, hidden, expected, broken)
    style, output = as_pasted(current.settings, style, output)
    report_notes = (
        published.headline,
        *notes,
        *([f"{hidden} waived"] if hidden else []),
        *extent.expectations,
        *extent.fixes,
    )
    code = emit(
        findings, style, output=output, fail_on=fail_on, notes=report_notes, prefix=shown_root(current),
        checked=extent.checked, left_out=extent.left_out, verb="compared", counts=extent.counts,
    )  # fmt: skip
    if findings:
        verdict = f"{summary(findings, waived=hidden)}: "
    else:
        nothing = "nothing breaks" + (f" ({hidden} waived)" if hidden else "")
        verdict = f"{nothing}: " if extent.counts["compared"] or hidden else ""
    click.echo("; ".join((f"{verdict}compared {extent.checked}", *extent.left_out)), err=True)
    for fix in extent.fixes:
        click.echo(f"  fix: {fix}", err=True)
    for line in extent.expectations:
        click.echo(line, err=True)
    ctx.exit(code)


def _with_traffic(
    every: Sequence[Finding], findings: Sequence[Finding], recorded: RecordedImpact, today: date
) -> list[Finding]:
    """Return ``findings``, some of ``every`` one, with the recorded messages that they would have refused."""
    from babelreg.breaking.check.recorded_impact import with_traffic
    from babelreg.report.fingerprint import fingerprints

    chosen = set(map(id, findings))
    keys = [key for each, key in zip(every, fingerprints(every), strict=True) if id(each) in chosen]
    counted_findings, unknown = with_traffic(findings, keys, recorded, today)
    if unknown:
        note_once(
            f"--traffic: the report is of another change: it does not count {unknown} of {len(findings)} findings"
        )
    return counted_findings


def _schema_folder(paths: Sequence[Path]) -> Path | None:
    from babelreg.errors import UsageError
    from babelreg.load.registry.discovery import schema_folder

    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a folder or file of schemas, or a registry")
    return schema_folder(paths)


def _registry_root(registry: Path | None, paths: Sequence[Path], *, writes: bool) -> Path:
    from babelreg.load.registry.discovery import RegistryNotFoundError

    try:
        return root_of(registry, paths, writes=writes)
    except RegistryNotFoundError as err:
        fix = "name a folder of plain schemas: babelreg breaking DIR; or start a registry: babelreg init registry"
        raise RegistryNotFoundError(err.message, fix=fix) from err


def _refuse_options(folder: Path, given: Mapping[str, object]) -> None:
    """Raise UsageError where an option is ``given`` that needs a registry."""
    names = [name for name, value in given.items() if value]
    if names:
        from babelreg.errors import UsageError

        message = f"{names[0]} needs a registry, and {folder} is a folder of plain schemas"
        command = f"babelreg import jsonschema {shlex.quote(str(folder))}"
        raise UsageError(message, fix=f"remove it; or import the schemas: {command}")


class _Extent(NamedTuple):
    """Numbers of messages that were compared and that were not, as phrases and for programs.

    ``expectations`` says how many of what consumers expect of changed messages hold.
    """

    checked: str
    left_out: tuple[str, ...]
    fixes: tuple[str, ...]
    expectations: tuple[str, ...]
    counts: Mapping[str, int]

    @classmethod
    def of(cls, states: Sequence[ComparedState], waived: int, expected: int, broken: int) -> _Extent:
        numbers = Counter(state.state for state in states)
        compared, drafts, new, unreadable = (numbers[name] for name in ("compared", "drafts", "new", "unreadable"))
        checked = f"{compared} of {counted(len(states), 'message')}" + (f" ({new} new)" if new else "")
        left_out = []
        if drafts:
            left_out.append("1 draft is not compared" if drafts == 1 else f"{drafts} drafts are not compared")
        if unreadable:
            left_out.append(f"{unreadable} cannot be read in the published version")
        fixes = (_ACTIVATE,) if drafts else ()
        counts = {"messages": len(states), "compared": compared, "drafts": drafts, "new": new}
        counts.update(unreadable=unreadable, waived=waived)
        held: tuple[str, ...] = ()
        if expected:
            counts.update(expectations=expected, expectations_broken=broken)
            every = counted(expected, "expectation")
            number = f"all {every}" if not broken and expected > 1 else f"{expected - broken} of {every}"
            held = (f"{number} of consumers hold{'s' if expected == 1 else ''}",)
        return cls(checked, tuple(left_out), fixes, held, counts)


def _compared(
    root: Path,
    published: Baseline,
    selected: Sequence[str],
    counts: Mapping[str, int],
    today: date,
    gaps: ReportGaps,
    *,
    cached: bool,
) -> tuple[Registry, list[Finding], Sequence[ComparedState], list[Finding], int]:
    """Return the changed part of the registry, its findings, the messages below ``selected``, and waived findings.

    The last is the number of expectations that stand in both registries of the changed messages below ``selected``.
    """
    from babelreg import load
    from babelreg.breaking.baseline.changed_subset import changed_subset
    from babelreg.breaking.baseline.registry_cache import RegistryCache, cache_for
    from babelreg.breaking.check.expectations import standing_expectations
    from babelreg.breaking.check.run import check
    from babelreg.breaking.check.traffic_counts import refused, unknown_urns
    from babelreg.load.registry.path_arguments import check_members

    cache = cache_for(root) if cached else RegistryCache()
    parts = changed_subset(published.tree, published.hashed(load.folder(root)), str(root), cache)
    current = sound(parts.new)
    check_members(current, selected, parts.files)
    waivers = _waivers(current, today)
    findings = check(parts.old, current, past=published.past, waivers=waivers, gaps=gaps)
    if counts:
        names = {*parts.old.by_name, *parts.new.aliases}
        declared = {*names, *(state.urn for state in parts.messages)}
        if unknown := unknown_urns(counts, declared):
            note_once(f"--traffic: {len(unknown)} of {len(counts)} URNs are not declared, such as {unknown[0]}")
        findings = refused(findings, parts.old, current, counts)
    earlier = published.past.compared if published.past else ()
    states = [
        state._replace(state="compared") if state.urn in earlier and state.state != "unreadable" else state
        for state in parts.messages
        if _is_below(state.path, selected)
    ]
    standing = standing_expectations(parts.old, current)
    expected = sum(number for path, number in standing.items() if _is_below(path, selected))
    return current, findings, states, waivers.hidden, expected


def _waivers(registry: Registry, today: date) -> BreakingWaivers:
    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.rules import WAIVABLE

    return BreakingWaivers.of(registry.settings, WAIVABLE, today)


def _apply_fix(
    root: Path, published: Baseline, selected: Sequence[str], today: date, *, listed: bool, preview: str | None
) -> bool:
    """Mint what breaks below ``selected``; return True where that gives files.

    ``listed``: stdout is a report for programs, so files are named on stderr. ``preview`` as for ``minted.write``.
    """
    from babelreg.breaking.check.run import check
    from babelreg.breaking.mint.fix import fix
    from babelreg.cli.shared.minted_files import write
    from babelreg.load.files.tree import Folder

    def remaining(now: Registry) -> list[Finding]:
        every = check(published.registry, now, past=published.past, waivers=_waivers(now, today))
        return [finding for finding in every if _within(finding, selected)]

    current = sound(open_tree(root))
    done = fix(current, Folder(root), published, remaining)
    write(root, shown_root(current), done.files, done.notes, quiet=listed, preview=preview)
    return bool(done.files)


def _within(finding: Finding, paths: Sequence[str]) -> bool:
    return _is_below(finding.place.path, paths)


def _is_below(location: str, paths: Sequence[str]) -> bool:
    return not paths or any(path in ("", location) or location.startswith(path + "/") for path in paths)
