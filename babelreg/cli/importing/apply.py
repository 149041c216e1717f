"""The second half of every import: plan, files, findings, and what lint says about the result."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import diagnostics
from babelreg.cli.shared.registry_options import emit, exit_code, shown_folder
from babelreg.errors import UsageError
from babelreg.finding import Finding, Severity
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.exchange.message_sources import ImportSources
    from babelreg.exchange.naming.plan import ImportPlan
    from babelreg.exchange.run import ImportResult
    from babelreg.load.files.tree import Folder
    from babelreg.model import Registry


def run_import(
    root: Path,
    sources: ImportSources,
    *,
    none_fix: str,
    plan: Path | None,
    owner: str | None,
    status: str | None,
    dry_run: bool,
    diff: bool,
    today: date | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> int:
    """Import ``sources`` into the registry ``root``; return the exit code.

    ``none_fix`` is the fix where nothing in them could become a message.
    """
    from babelreg import load
    from babelreg.exchange.registry_files.owners import Owners
    from babelreg.exchange.run import ImportOptions, import_sources
    from babelreg.exchange.sources.codeowners import find_codeowners

    if not sources.messages and all(finding.severity is Severity.INFO for finding in sources.findings):
        raise UsageError("there is no schema that could become a message", fix=none_fix)
    registry, tree = load.registry(root), load.folder(root)
    given = _given_plan(plan)
    owners = Owners(find_codeowners(sources.root), registry.settings.owners, owner)
    result = import_sources(sources, registry, tree, ImportOptions(_kind_of, owners, given, _leak_of, status))
    if plan is not None and given is None:
        _write_plan(plan, result.plan, preview=dry_run or diff)
        return max(_report(result.findings, style, output, fail_on), not result.messages)
    findings = [*result.findings, *_lint_errors(tree, registry, result, today or datetime.now(UTC).date())]
    if diff:
        return max(_show_diff(root, result, findings, fail_on), not result.messages)
    if plan is None and style in (None, "text"):
        _print_plan(result.plan)
    changed = _changed(root, result.files)
    if not dry_run:
        _write(root, changed)
    prefix = shown_folder(root)
    for path in changed if dry_run else ():
        _note(f"would write {prefix}/{path}" if prefix else f"would write {path}")
    code = _report(findings, style, output, fail_on)
    if result.closed:
        _note(_closed_note(result, registry))
    _note(_summary(result, changed, dry_run))
    return max(code, not result.messages)  # also with `--fail-on never`: nothing was imported


def _kind_of(name: str) -> str | None:
    """Return ``event`` for a name in the past. A verb makes no command: ``scan-metrics`` may be what scans measured."""
    from babelreg.lint.english import VerbForm, form

    return "event" if form(name) is VerbForm.PAST else None


def _leak_of(document: Any) -> str | None:
    """Return a description of the secret or personal value in an example, None where none is found."""
    from babelreg.lint.privacy.example_values import leak

    return leak(document)


def _given_plan(path: Path | None) -> ImportPlan | None:
    """Return the plan at ``path``; None where it does not exist yet."""
    if path is None or not path.exists():
        return None
    from babelreg.exchange.naming.plan import read_plan

    try:
        return read_plan(path.as_posix(), path.read_bytes())
    except OSError as err:
        raise UsageError(f"cannot read {path}: {err.strerror}", fix="make it readable") from err


def _write_plan(path: Path, plan: ImportPlan, *, preview: bool) -> None:
    from babelreg.atomic_write import write_whole
    from babelreg.exchange.naming.plan import render_plan

    text = render_plan(plan)
    if preview:
        click.echo(text, nl=False)
        return
    try:
        write_whole(path, text.encode())
    except OSError as err:
        raise UsageError(f"cannot write {path}: {err.strerror}", fix="make its folder writable") from err
    _note(
        f"{path.as_posix()}: {counted(len(plan.messages), 'message')} planned; edit it, then run the same command again"
    )


def _print_plan(plan: ImportPlan) -> None:
    from babelreg.report import printable

    width = max((len(source) for source in plan.messages), default=0)
    for source, message in plan.messages.items():
        kind = f"{message.kind}?" if message.unsure else message.kind
        click.echo(printable(f"{source:{min(width, 60)}}  {message.urn}  {kind}, {message.status}"))
    for source, name in plan.fragments.items():
        click.echo(printable(f"{source:{min(width, 60)}}  _common/{name}"))


def _lint_errors(tree: Folder, registry: Registry, result: ImportResult, today: date) -> list[Finding]:
    """Return the errors that lint reports in the files of the import."""
    if not result.files:
        return []
    from babelreg import load
    from babelreg.lint.engine.run import examine
    from babelreg.lint.engine.selection import select_rules
    from babelreg.load.registry.overlay import Overlay

    after = load.from_tree(Overlay(tree, result.files), registry.root)
    config = select_rules(None, (), ()).config(after.settings)
    checked = examine(after, paths=tuple(path for path in result.files if "/" in path), config=config, today=today)
    prefix = shown_folder(registry.root)
    return [finding.below(prefix) for finding in checked.findings if finding.severity is Severity.ERROR]


def _report(findings: list[Finding], style: str | None, output: tuple[Output, ...], fail_on: str) -> int:
    ordered = sorted(findings, key=lambda finding: finding.sort_key)
    return emit(ordered, style, output=output, fail_on=fail_on, prefix="")


def _show_diff(root: Path, result: ImportResult, findings: list[Finding], fail_on: str) -> int:
    from babelreg.cli.shared.minted_files import write
    from babelreg.exchange.registry_files.import_record import RECORD
    from babelreg.report import render

    shown = {path: text for path, text in result.files.items() if path != RECORD}
    write(root, shown_folder(root), shown, (), preview="diff")
    text = render(sorted(findings, key=lambda finding: finding.sort_key), "text")
    click.echo(text, nl=False, file=diagnostics())  # stdout is for `git apply`
    return exit_code(findings, fail_on)


def _changed(root: Path, files: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files whose bytes change. Raises UsageError for one that would be outside the registry."""
    inside, changed = root.resolve(), {}
    for path, text in files.items():
        target, body = root / path, text.encode()
        if not target.parent.resolve().is_relative_to(inside) or target.is_symlink():
            fix = f"make {shlex.quote(path.partition('/')[0])} a folder of the registry"
            raise UsageError(f"{target} is outside the registry; nothing was written", fix=fix)
        if not (target.is_file() and target.read_bytes() == body):
            changed[path] = body
    return changed


def _write(root: Path, files: Mapping[str, bytes]) -> None:
    from babelreg.atomic_write import write_all

    try:
        for folder in {(root / path).parent for path in files}:
            folder.mkdir(exist_ok=True)
        write_all({root / path: body for path, body in files.items()})
    except OSError as err:
        fix = "make the folder writable, and free space on it"
        raise UsageError(f"cannot write {err.filename}: {err.strerror}; nothing was written", fix=fix) from err


def _summary(result: ImportResult, changed: Mapping[str, bytes], dry_run: bool) -> str:
    fragments = len(result.plan.fragments)
    shared = f" and {counted(fragments, 'shared schema')}" if fragments else ""
    statuses = [message.status for message in result.plan.messages.values() if message.urn in result.messages]
    drafts = statuses.count("draft")
    noted = f" ({counted(drafts, 'draft')})" if drafts else ""
    done = "would be written" if dry_run else "written"
    return f"{counted(len(result.messages), 'message')}{noted}{shared}; {counted(len(changed), 'file')} {done}"


def _closed_note(result: ImportResult, registry: Registry) -> str:
    """Return a sentence on the sources that close their objects, and on what readers make of that."""
    number, total = len(result.closed), len(result.messages)
    closes = (
        f"{number} of {total} sources {'closes' if number == 1 else 'close'} objects with additionalProperties: false"
    )
    if registry.compatibility("").reader == "strict":
        return f"{closes}; readers are strict here and refuse undeclared properties"
    return (
        f"{closes}. Readers are tolerant by default and ignore undeclared properties; "
        "`compatibility: {reader: strict}` in babelreg.yaml makes them refuse"
    )


def _note(text: str) -> None:
    from babelreg.report import printable

    click.echo(printable(text), err=True)
