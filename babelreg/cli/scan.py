"""``babelreg scan``: the URNs that a service's code uses, against what the registry declares."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from babelreg.cli.shared import minted_files
from babelreg.cli.shared.common_options import LocalPath, Utf8Text, diff_option, examples
from babelreg.cli.shared.registry_options import (
    color_option,
    emit,
    exit_code,
    fail_on_option,
    format_option,
    open_tree,
    output_option,
    registry_option,
    root_of,
    shown_folder,
    sound,
)
from babelreg.errors import UsageError
from babelreg.finding import Finding, Place
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.model import Registry
    from babelreg.model.service_repo import ServiceRepo
    from babelreg.scan import ScanResult
    from babelreg.scan.declaration_edits import Declaration
    from babelreg.scan.file_selection import SourceFiles
    from babelreg.scan.rules.rule import ServiceDeclarations

_SKIPPED = {"large": "{} larger than 1 MiB", "unreadable": "{} cannot be read"}


class _Against(NamedTuple):
    """Registry and service that the code is compared with. ``writable``: its owner may change the registry."""

    root: Path
    service: str | None
    writable: bool
    repo: ServiceRepo | None


@click.command(
    short_help="Find URNs in source code.",
    epilog=examples("babelreg scan", "babelreg scan src --service billing-worker --write --diff"),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath())
@click.option(
    "--service", metavar="NAME", help="The service that the code belongs to. Default: the one in babelreg.service.yaml."
)
@click.option("--tests", is_flag=True, help="Also scan tests, which often use nonexistent URNs on purpose.")
@click.option("--write", is_flag=True, help="Declare in the registry what the code sends and handles.")
@click.option("--owner", type=Utf8Text(), help="With --write: the owner of a new service.")
@diff_option("--write")
@registry_option
@format_option
@output_option
@color_option
@fail_on_option
def command(
    paths: Sequence[Path],
    service: str | None,
    tests: bool,
    write: bool,
    owner: str | None,
    diff: bool,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> int:
    """Find the URNs in source code of any language, and report unknown, retired, deprecated and undeclared ones.

    PATH is a file or folder of code, by default the current folder. Comments, prose, tests, vendored, generated and
    ignored (.gitignore) files are skipped. The call around a URN decides whether it is sent or handled. With --write,
    the service is added to the producers of the messages it sends, and those it handles to `consumes` in its own file,
    which is created if the registry does not have the service. Exit code 1 means findings; with --diff, also that
    --write would change something. A file that cannot be read makes it 2.
    """
    from babelreg.report import printable, summary
    from babelreg.scan import scan, source_files
    from babelreg.scan.rules.rule import ServiceDeclarations
    from babelreg.scan.scanner import findings_of

    sources = _sources(paths)
    against = _against(registry, service, sources)
    exclude, top = (against.repo.exclude, against.repo.folder) if against.repo else ((), ".")
    files = source_files([path.as_posix() for path in sources], tests=tests, exclude=exclude, top=top)
    if not (files.paths or files.excluded or files.unreadable) and any(path.is_dir() for path in paths):
        raise _no_code(paths, files)
    options = () if registry is None else ("--registry", str(registry))

    def declarations(*, new: bool = False) -> ServiceDeclarations:
        return ServiceDeclarations(_opened(against, new=new), against.service, _tells_kind, options)

    declared = declarations(new=write or diff)
    scanned = scan(files, declared.registry.aliases)
    if write or diff:
        changed = _declared(against, declared, scanned, owner, only_shown=diff)
        if diff:
            return 1 if changed else exit_code(list(findings_of(scanned, declared)), fail_on)
        if changed:
            declared = declarations()
    folder = shown_folder(against.root)
    findings = [_openable(finding, folder) for finding in findings_of(scanned, declared)]
    checked = f"{counted(len(scanned.uses), 'use')} of URNs in {counted(scanned.files, 'file')}"
    skipped = {"large": files.large, "unreadable": len(files.unreadable)}
    left_out = [_SKIPPED[name].format(counted(number, "file")) for name, number in skipped.items() if number]
    counts = {"uses": len(scanned.uses), "files": scanned.files, "tests": files.tests, "excluded": files.excluded}
    code = emit(
        findings, style, output=output, fail_on=fail_on, checked=checked, left_out=left_out, counts=counts | skipped
    )
    click.echo(summary(findings, checked=checked, left_out=left_out), err=True)
    for number, note in ((files.tests, "tests were left out (--tests)"), (files.excluded, "excluded by `exclude`")):
        if number:
            click.echo(f"{counted(number, 'file')}: {note}", err=True)
    for path, reason in files.unreadable.items():
        click.echo(printable(f"cannot read {path}: {reason}"), err=True)
    return 2 if files.unreadable else code


def _no_code(paths: Sequence[Path], files: SourceFiles) -> UsageError:
    """Return the error of folders in which there is nothing to scan."""
    if files.tests:
        return UsageError(f"there are only tests in {_listed(paths)}", fix="also scan tests: --tests")
    fix = "name a folder of source code; prose, vendored, ignored and excluded files, and registries are not scanned"
    return UsageError(f"there is no source code in {_listed(paths)}", fix=fix)


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(path.as_posix() for path in paths)


def _against(registry: Path | None, service: str | None, sources: Sequence[Path]) -> _Against:
    from babelreg.cli.shared.pinned_registry import service_repo

    repo = service_repo(registry, sources)
    if repo is None:
        return _Against(root_of(registry, sources), service, True, None)
    from babelreg.load.service import lock as locks
    from babelreg.load.service.registry_source import newest_local

    lock = None if repo.registry.git is None else locks.read(repo)
    return _Against(newest_local(repo, lock).folder, service or repo.service, repo.registry.path is not None, repo)


def _tells_kind(name: str) -> bool:
    from babelreg.lint.english import VerbForm, form

    return form(name) in (VerbForm.PAST, VerbForm.BASE)


def _opened(against: _Against, *, new: bool = False) -> Registry:
    """Return the registry. Raises RegistryError, and UsageError for a service that it lacks and that is not ``new``."""
    from babelreg.cli.shared.pinned_registry import refuse_unknown

    opened = sound(open_tree(against.root))
    if against.service is not None and not new:
        place = against.repo.source.place(("service",)) if against.repo else None
        refuse_unknown(opened, against.service, place)
    return opened


def _sources(paths: Sequence[Path]) -> Sequence[Path]:
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a file or folder of code")
    return paths or (Path(),)


def _declared(
    against: _Against, declared: ServiceDeclarations, scanned: ScanResult, owner: str | None, *, only_shown: bool
) -> bool:
    """Return True where the registry was changed, or with ``only_shown`` would be."""
    from babelreg.cli.shared.file_edits import show
    from babelreg.cli.shared.file_edits import write as save
    from babelreg.load import folder
    from babelreg.report import printable
    from babelreg.scan.declaration_edits import file_changes, missing_declarations

    if against.service is None:
        raise UsageError("--write needs the name of the service", fix="--service NAME")
    if not against.writable:
        fix = f"clone it, and run `babelreg scan --write --registry CLONE --service {shlex.quote(against.service)}`"
        raise UsageError("--write needs the registry as a folder, and this one was fetched or installed", fix=fix)
    every = missing_declarations(scanned.uses, declared)
    if against.service not in declared.registry.services:
        new = _new_service(against.service, every, declared, scanned, owner)
        produced = [declaration for declaration in every if declaration.role == "produces"]
        changed, refused = file_changes(produced, declared.registry, against.service, folder(against.root))
        texts = new | {path: change.new.decode() for path, change in changed.items()}
        for line in [*_declared_note(every, against.service, len(refused)), *refused]:
            click.echo(printable(line), err=True)
        minted_files.write(
            against.root, shown_folder(against.root), texts, [], preview=minted_files.preview(only_shown, False)
        )
        return True
    changed, refused = file_changes(every, declared.registry, against.service, folder(against.root))
    if only_shown:
        show(shown_folder(against.root), changed)
        return bool(changed)
    save(against.root, changed)
    for line in [*_declared_note(every, against.service, len(refused)), *refused]:
        click.echo(printable(line), err=True)
    for path in changed:
        click.echo(printable(f"wrote {(against.root / path).as_posix()}"))
    return bool(changed)


def _new_service(
    name: str, every: Sequence[Declaration], declared: ServiceDeclarations, scanned: ScanResult, owner: str | None
) -> dict[str, str]:
    """Return the file of a service that the registry does not have. Raises UsageError where nobody would own it."""
    from babelreg.load.yaml.yaml_text import yaml_text
    from babelreg.model.service_subset import names
    from babelreg.scan.declaration_edits import language_of_service
    from babelreg.suggest import closest

    if owner is None:
        known = names(declared.registry)
        near = None if name in known else closest(name, known)
        hint = f"did you mean '{near}'? If not, " if near else ""
        raise UsageError(
            f"the registry has no service '{name}', and a new one would have no owner",
            fix=f"{hint}name the team that owns it: --owner TEAM",
        )
    value: dict[str, Any] = {"owner": owner}
    if lang := language_of_service(scanned.uses):
        value["lang"] = lang
    if consumed := [{"urn": each.urn} for each in every if each.role == "consumes"]:
        value["consumes"] = consumed
    return {f"_services/{name}.yaml": yaml_text(value, "service")}


def _declared_note(every: Sequence[Declaration], service: str, refused: int) -> list[str]:
    number = len(every) - refused
    return [f"declared {counted(number, 'part')} of {service} in messages"] if number else []


def _openable(finding: Finding, folder: str) -> Finding:
    against = finding.against
    if against is None or not folder:
        return finding
    return replace(finding, against=Place(f"{folder}/{against.path}", against.line, against.column))
