"""One command of ``babelreg gen``: write the files of a target, list outdated ones, or show them."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from babelreg.cli.shared.registry_options import emit, note_once, root_of
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.hooks import RunPlace
from babelreg.gen.run import GenRun
from babelreg.gen.targets import TARGETS
from babelreg.plural import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from babelreg.cli.gen.pinned_share import PinnedShare
    from babelreg.cli.shared.output import Output
    from babelreg.finding import Finding

T = TypeVar("T")


def generate(
    ctx: click.Context,
    name: str,
    *,
    out: Path | None,
    check_only: bool,
    dry_run: bool,
    no_cache: bool,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    serve: bool = False,
    port: int = 0,
    **own_options: str | bool | None,
) -> None:
    """Write or compare the files of the target ``name``, and end the command."""
    if serve and (check_only or dry_run):
        raise UsageError(f"--serve shows the {name} and checks nothing", fix="remove --check and --dry-run")
    if out is None:
        _check_report_names(output)
    share = _pinned_share(name, registry)
    root = share.root if share else root_of(registry)
    chosen = {key: value for key, value in own_options.items() if value is not None}
    hooks = TARGETS[name].hooks
    folder = out or (share and share.out) or (hooks.default_folder(root) if hooks.default_folder else _generated(name))
    place = RunPlace(root, folder, note_once)
    if serve and hooks.serve is not None:
        hooks.serve(lambda: _texts(GenRun(name, chosen, place, share, anew=True)), place, port)
    run = GenRun(name, chosen, place, share, anew=no_cache)
    if dry_run and not check_only:
        _preview(_shown(folder, lambda: run.check(fix="")))
        ctx.exit(_emit_own(run, style, output, fail_on))
    if not check_only:
        result = _shown(folder, run.write)
        counts = f"{len(result.written)} written, {len(result.unchanged)} unchanged, {len(result.removed)} removed"
        click.echo(f"{folder}: {counts if run.complete else 'nothing written'}{_left_out(run)}", err=True)
        if result.written and (note := hooks.note(place)):
            note_once(note)
        ctx.exit(_emit_own(run, style, output, fail_on))
    fix = _write_command(name, out, chosen, registry)
    findings = _shown(folder, lambda: run.check(fix=fix))
    state = counted(len(findings), "outdated file") if findings else "up to date"
    findings = _merged(folder, findings)
    click.echo(f"{folder}: {state if run.complete else 'not compared'}{_left_out(run)}", err=True)
    findings = [*_own_findings(run), *findings, *(share.outdated() if share else ())]
    ctx.exit(emit(findings, style, output=output, fail_on=fail_on))


def _check_report_names(output: Sequence[Output]) -> None:
    """Raise UsageError for a report named like a folder: other generators call the folder of their files --output."""
    for style, path in output:
        if style is None and (path.is_dir() or not (path.suffix or path.exists())):
            fix = f"did you mean --out {shlex.quote(str(path))}? A report has a suffix, such as --output report.txt"
            raise UsageError(f"--output is the file of a report, not the folder for generated files: {path}", fix=fix)


def _generated(name: str) -> Path:
    return Path("generated", name)


def _emit_own(run: GenRun, style: str | None, output: tuple[Output, ...], fail_on: str) -> int:
    findings = _own_findings(run)
    return emit(findings, style, output=output, fail_on=fail_on) if findings or output else 0


def _own_findings(run: GenRun) -> list[Finding]:
    """Return the findings about messages without files, and those of the target."""
    return [*_unsupported(run), *run.findings]


def _unsupported(run: GenRun) -> list[Finding]:
    if run.model is None or not run.unsupported:
        return []
    from babelreg.cli.gen.unsupported_findings import findings

    return findings(run.model, run.unsupported, partial=run.target.hooks.unsupported is not None)


def _texts(run: GenRun) -> Mapping[str, str]:
    """Return the texts of the files. Raises BabelregError where a message stops the run."""
    texts = run.texts()
    if not texts:
        problems = "; ".join(f"{finding.place}: {finding.message}" for finding in _unsupported(run))
        raise BabelregError(f"the schema of a message cannot be used: {problems}", fix="run `babelreg lint`")
    return texts


def _shown(folder: Path, run: Callable[[], T]) -> T:
    """Return the result of ``run``; where somebody edited a block in ``folder``, show the difference on the way out."""
    from babelreg.gen.block import EditedBlockError

    try:
        return run()
    except EditedBlockError as err:
        from babelreg.report import printable
        from babelreg.report.unified_diff import unified

        if err.place is not None:
            err.place = err.place._replace(path=(folder / err.place.path).as_posix())
        difference = unified(err.place.path if err.place else "", err.old, err.new)
        click.echo("".join(printable(line.rstrip()) + "\n" for line in difference.splitlines()), nl=False)
        raise


def _left_out(run: GenRun) -> str:
    number = len(run.unsupported)
    return f"; {counted(number, 'message')} left out" if number and run.complete else ""


def _merged(folder: Path, findings: list[Finding]) -> list[Finding]:
    """Return one finding for all files if ``folder`` has no list of generated files yet."""
    from babelreg.finding import Place

    missing = [finding for finding in findings if finding.rule == "generated-file-missing"]
    if len(missing) < max(len(findings), 2) or not any(_is_list(finding.place.path) for finding in missing):
        return findings
    message = f"nothing has been generated here yet: {len(missing)} files are missing"
    return [replace(missing[0], message=message, place=Place(folder.as_posix()))]


def _is_list(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(".babelreg-") and name.endswith(".files")


def _preview(findings: Sequence[Finding]) -> None:
    from babelreg.report import printable

    for finding in findings:
        verb = "remove" if finding.rule == "generated-file-extra" else "write"
        click.echo(printable(f"would {verb} {finding.place.path}"))
    click.echo(f"{counted(len(findings), 'file')} would change", err=True)


def _pinned_share(target: str, registry: Path | None) -> PinnedShare | None:
    """Return the share of the service whose repository this is; None outside one, or if a registry was named."""
    from babelreg.cli.shared.pinned_registry import service_repo

    repo = service_repo(registry)
    if repo is None:
        return None
    from babelreg.cli.gen.pinned_share import PinnedShare

    return PinnedShare(repo, target)


def _write_command(target: str, out: Path | None, chosen: Mapping[str, str | bool], registry: Path | None) -> str:
    flags = ((f"--{name.replace('_', '-')}", value) for name, value in chosen.items())
    options = [("--out", out), *flags, ("--registry", registry)]
    words = [
        word
        for option, value in options
        if value is not None
        for word in ([option] if value is True else [option, str(value)])
    ]
    return shlex.join(["babelreg", "gen", target, *words])
