"""``babelreg gen``: write the files of one target, or tell which are behind."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from babelreg.cli.common import (
    color_option,
    emit,
    fail_on_option,
    format_option,
    open_tree,
    output_option,
    registry_option,
    root_of,
    sound,
)
from babelreg.cli.grammar import dry_run_option, examples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click.shell_completion import CompletionItem

    from babelreg.cli.gen_service import Part
    from babelreg.cli.reports import Output
    from babelreg.finding import Finding
    from babelreg.gen import File, Written
    from babelreg.gen.kept import Kept
    from babelreg.gen.listing import Listing
    from babelreg.load.tree import Tree

__all__ = ["TARGET_NAMES", "command"]

# Surely among gen.targets.TARGETS, whose import these need not pay for; other names are looked up there.
TARGET_NAMES = ("python", "spark", "docs")


class _Targets(click.ParamType[str]):
    """The name of a target."""

    name = "target"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value)
        if name not in TARGET_NAMES:
            self._look_up(name, param, ctx)
        return name

    def _look_up(self, name: str, param: click.Parameter | None, ctx: click.Context | None) -> None:
        from babelreg.gen.targets import TARGETS

        if name not in TARGETS:
            from difflib import get_close_matches

            near = get_close_matches(name, TARGETS, 1, 0.5)
            hint = f"did you mean `babelreg gen {near[0]}`?" if near else f"there are: {', '.join(TARGETS)}"
            self.fail(f"there is no target '{name}'; {hint}", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        from babelreg.gen.targets import TARGETS

        return [CompletionItem(name, help=TARGETS[name].summary) for name in TARGETS if name.startswith(incomplete)]


class _Command(click.Command):
    """Lists the targets below the options of ``--help``."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from babelreg.gen.targets import TARGETS

        super().format_epilog(ctx, formatter)
        with formatter.section("Targets"):
            formatter.write_dl([(name, target.summary) for name, target in TARGETS.items()])


@click.command(
    cls=_Command,
    epilog=examples("babelreg gen python --out src --package messages", "babelreg gen docs --out docs --check"),
)
@click.argument("target", type=_Targets(), metavar="TARGET")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write into. Default: generated/TARGET.",
)
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 and list the files that are behind.")
@dry_run_option("the files that would be written or removed")
@click.option("--no-cache", is_flag=True, help="Make and compare every file, also what has not changed.")
@click.option("--package", metavar="NAME", help="Target python: the name of the package. Default: messages.")
@click.option(
    "--models",
    type=click.Choice(["pydantic", "typeddict", "msgspec"]),
    help="Target python: what data is made of. Default: pydantic.",
)
@click.option(
    "--formats",
    type=click.Choice(["text", "typed"]),
    help="Target python: typed gives dates, UUIDs and decimals types of their own. Default: text.",
)
@registry_option
@format_option
@output_option
@color_option
@fail_on_option
@click.pass_context
def command(
    ctx: click.Context,
    target: str,
    out: Path | None,
    check_only: bool,
    dry_run: bool,
    no_cache: bool,
    package: str | None,
    models: str | None,
    formats: str | None,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> None:
    """Write typed code, schemas or docs made from the registry.

    Files are written only when their bytes change; what an earlier run wrote and this one does not is removed. Below a
    babelreg.service.yaml only what that service has a part in is written, as babelreg.lock pins it; --check also says
    what has changed in the registry since, and what of it breaks.
    """
    part = _part(target, registry)
    folder = out or (part and part.out) or Path("generated", target)
    asked = {"package": package, "models": models, "formats": formats}
    given = {name: value for name, value in asked.items() if value is not None}
    run = _Run(target, given, folder, part.root if part else root_of(registry), part, anew=no_cache)
    if dry_run and not check_only:
        _preview(run.check(fix=""))
        return
    if not check_only:
        done = run.write()
        counts = f"{len(done.written)} written, {len(done.unchanged)} unchanged, {len(done.removed)} removed"
        click.echo(f"{folder}: {counts}", err=True)
        return
    findings = run.check(fix=_again(target, out, given, registry))
    behind = f"{len(findings)} file{'s are' if len(findings) > 1 else ' is'} behind" if findings else "up to date"
    click.echo(f"{folder}: {behind}", err=True)
    ctx.exit(emit([*findings, *(part.behind() if part else ())], style, output=output, fail_on=fail_on))


def _preview(findings: Sequence[Finding]) -> None:
    from babelreg.report import printable

    for finding in findings:
        verb = "remove" if finding.rule == "generated-file-extra" else "write"
        click.echo(printable(f"would {verb} {finding.place.path}"))
    click.echo(f"{len(findings)} file{'' if len(findings) == 1 else 's'} would change", err=True)


def _part(target: str, registry: Path | None) -> Part | None:
    """The service whose repository this is; None where a registry was named, or there is no such service."""
    from babelreg.cli.service import service_repo

    repo = service_repo(registry)
    if repo is None:
        return None
    from babelreg.cli.gen_service import Part

    return Part(repo, target)


class _Made(NamedTuple):
    """The files of one run, and the list of them."""

    listing: Listing
    files: list[File]


class _Run:
    """One target, made from the registry in ``root`` into ``out``: nothing is made where all stands already.

    ``given`` are the options of the command line; with ``part`` it is made for one service; with ``anew`` no file is
    taken for what it says of itself.
    """

    def __init__(
        self, target: str, given: dict[str, Any], out: Path, root: Path, part: Part | None, *, anew: bool
    ) -> None:
        from babelreg import load
        from babelreg.gen.maker import maker

        self.target, self.given, self.out, self.root, self.part = target, given, out, root, part
        self.registry: Tree = load.folder(root)
        made_by = maker()
        self.anew = anew
        self.maker = made_by.mark if made_by else None
        self.kept = self._kept(made_by.key) if made_by and not anew else None
        self.memo = self.kept.beside(f"{made_by.key}.memo") if made_by and self.kept else None

    def _kept(self, key: str) -> Kept | None:
        from babelreg.gen.kept import Kept
        from babelreg.load.cache_folder import cache_folder
        from babelreg.load.snapshot import Snapshot, TooLarge

        folder = cache_folder("gen")
        if folder is None:
            return None
        try:
            self.registry = files = Snapshot(self.registry)
        except (OSError, TooLarge):
            return None
        asked = self.part.asked if self.part else []
        asked = [repr(sorted(self.given.items())), self._registry_name(), *asked]
        return Kept(folder, files, [key, self.target, *asked])

    def write(self) -> Written:
        from babelreg.gen.write import Written, listing, write

        stands = self.kept.stands(self.out) if self.kept else None
        if stands is not None:
            return Written((), tuple(path for path in stands if not path.endswith(listing(self.target))), ())
        made = self._made()
        assert made is not None  # only --check goes on without the pinned registry
        with self._remembering():
            done = write(self.out, made.listing, made.files, self.maker, anew=self.anew)
        self._keep(made)
        return done

    def check(self, fix: str) -> list[Finding]:
        from babelreg.gen import check

        if self.kept and self.kept.stands(self.out) is not None:
            return []
        made = self._made(anyway=True)
        if made is None:
            return []  # part.behind() says why
        with self._remembering():
            findings = check(self.out, made.listing, made.files, fix, self.maker, anew=self.anew)
        if not findings:
            self._keep(made)
        return findings

    def _made(self, *, anyway: bool = False) -> _Made | None:
        """The files to write; with ``anyway`` also of a state that the registry has left, None if it is lost."""
        from babelreg.gen.listing import Listing
        from babelreg.gen.target import settle
        from babelreg.gen.targets import TARGETS

        chosen = TARGETS[self.target]
        if self.part is None:
            model = sound(open_tree(self.root, self.registry))
        else:
            found = self.part.opened(self.registry, anyway=anyway)
            if found is None:
                return None
            model = found
        options = settle(self.target, chosen, model, self.given)
        roles = self.part.options() if self.part else {}
        files = list(chosen.files(model, {**options, **roles}))
        folder = chosen.own_folder(options)
        return _Made(Listing(self.target, folder, self._registry_name(folder)), files)

    def _registry_name(self, folder: str = "") -> str:
        """The name of the registry in the list of files that lies in ``folder`` of the output folder."""
        from babelreg.gen.listing import registry_name

        fetched = self.part.fetched if self.part else None
        root = self.part.newest.folder if self.part else self.root
        return fetched or registry_name(root, self.out / folder)

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        """Files are made within: what the generator of models said before is known, and what it says now is kept."""
        from babelreg.gen.memo import recall, retain

        if self.memo is None:
            yield
            return
        known = recall(self.memo)
        yield
        retain(self.memo, known)

    def _keep(self, made: _Made) -> None:
        from babelreg.gen.write import complete

        if self.kept and not (self.part and self.part.moved):
            self.kept.keep(complete(made.listing, made.files, self.maker).values())


def _again(target: str, out: Path | None, asked: Mapping[str, str], registry: Path | None) -> str:
    given = [("--out", out), *((f"--{name}", value) for name, value in asked.items()), ("--registry", registry)]
    words = [word for option, value in given if value is not None for word in (option, str(value))]
    return shlex.join(["babelreg", "gen", target, *words])
