"""``babelreg init``: a small registry that lints clean, with editor support; or the settings of a service."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from babelreg.cli.shared.common_options import LocalPath, Utf8Text, dry_run_option, examples
from babelreg.cli.wire.options import recorded_wire_option
from babelreg.errors import UsageError


def _linting(home: Path) -> str:
    """Return the command that lints the registry ``home``, which need not name one that is found here."""
    from babelreg.errors import BabelregError
    from babelreg.load.registry.discovery import discover

    try:
        if discover().root == home:
            return "babelreg lint"
    except BabelregError:
        pass
    return shlex.join(["babelreg", "lint", "--registry", str(home)])


@click.command(
    epilog=examples(
        "babelreg init registry --context orders --owner team-orders",
        "babelreg init registry --empty",
        "babelreg init registry --from recordings --owner team-shop",
        "babelreg init --from clicks.jsonl --owner team-web --wire json --setting urn.field=type",
        "babelreg init --service billing-worker --registry ../registry",
    )
)
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.option("--context", default="orders", show_default=True, help="The name of the first context.")
@click.option("--owner", type=Utf8Text(), default="team-orders", show_default=True, help="The team that owns it.")
@click.option("--empty", is_flag=True, help="Write no context, message or service: only settings and --schemas.")
@click.option("--schemas", is_flag=True, help="Only write the JSON Schemas for editors, below DIR/_schemas.")
@click.option(
    "--from",
    "sources",
    metavar="PATH",
    type=LocalPath(allow_dash=True),
    multiple=True,
    help="Infer the messages from recordings, as `babelreg infer` does. Repeatable.",
)
@recorded_wire_option
@click.option(
    "--setting",
    "settings",
    metavar="KEY=VALUE",
    type=Utf8Text(),
    multiple=True,
    help="With --wire: a key of the format's block in `wires:`, such as urn.field=type. Repeatable.",
)
@click.option("--service", metavar="NAME", help="Write the babelreg.service.yaml of this service instead.")
@click.option(
    "--registry",
    metavar="DIR|URL",
    default="../registry",
    show_default=True,
    help="With --service: the registry, a folder or the URL of a git repository.",
)
@dry_run_option("the files that would be written")
def command(
    folder: Path | None,
    context: str,
    owner: str,
    empty: bool,
    schemas: bool,
    sources: tuple[Path, ...],
    wire: str,
    settings: tuple[str, ...],
    service: str | None,
    registry: str,
    dry_run: bool,
) -> int:
    """Create a registry in DIR (default: registry).

    With --from, its messages are drafts inferred from recordings; --wire names their format, and --setting sets a key
    of that format in babelreg.yaml. With --service, set up the repository in DIR (default: .) to use an existing
    registry instead.

    A registry gets settings, one context with one message, two services, a shared fragment, and the JSON Schemas for
    completion in editors. Never overwrites a file.
    """
    from babelreg.load.service import starter

    home = folder or Path("registry")
    if empty:
        _check_alone("--empty", ("context", "owner", "schemas", "sources", "service", "registry"))
    if sources:
        return _from_recordings(home, sources, owner, wire, settings, dry_run)
    _check_with("--from", ("wire", "settings"))
    if service is not None:
        from babelreg.gen.targets import TARGETS, target_for_language

        target = target_for_language(starter.service_language(folder or Path(), service, registry))
        out = TARGETS[target].hooks.service_folder
        files = starter.service_files(folder or Path(), service, registry, target, out)
    else:
        files = starter.schema_files(home) if schemas else starter.registry_files(home, context, owner, empty=empty)
    if not dry_run:
        starter.save(files)
    for path in files:
        click.echo(f"{'would write' if dry_run else 'wrote'} {path}")
    if dry_run or (schemas and service is None):
        return 0
    if service is not None:
        following = f"babelreg update && babelreg gen {target}"
    else:
        following = "babelreg new CONTEXT:NAME --owner TEAM, or babelreg import --help" if empty else _linting(home)
    click.echo(f"\nNext: {following}", err=True)
    return 0


def _from_recordings(
    home: Path, sources: Sequence[Path], owner: str, wire: str, settings: Sequence[str], dry_run: bool
) -> int:
    """Create a registry in ``home`` with the messages of ``sources``; return the exit code."""
    from babelreg.cli.infer import infer, read_traffic, unreadable_fix, unreadable_reasons
    from babelreg.cli.shared.inference import inference_options
    from babelreg.cli.shared.minted_files import preview
    from babelreg.cli.shared.registry_options import open_tree
    from babelreg.cli.wire.wire_settings import block_of, registry_with
    from babelreg.load.service import starter
    from babelreg.model.wire_mapping import wire_notes

    _check_alone("--from", ("context", "schemas", "service", "registry"))
    if click.get_current_context().get_parameter_source("owner") is not ParameterSource.COMMANDLINE:
        raise UsageError("the messages would have no owner", fix="name the team with --owner")
    blocks = block_of(wire, settings)
    files = starter.registry_files(home, "orders", owner, empty=True, wires=blocks)
    recorded = read_traffic(sources, wire=wire, registry=registry_with(blocks))
    if not recorded.traffic.total:
        raise recorded.damaged[0] if recorded.damaged else UsageError("the recordings contain no messages")
    if (fix := unreadable_fix(recorded.traffic, wire, "--setting urn.field=FIELD")) is not None:
        reasons = unreadable_reasons(recorded.traffic)
        raise UsageError(f"no message of the recordings is readable ({reasons}); nothing was written", fix=fix)
    if not dry_run:
        starter.save(files)
    for path in files:
        click.echo(f"{'would write' if dry_run else 'wrote'} {path}")
    registry = registry_with(blocks, str(home)) if dry_run else open_tree(home)
    for note in wire_notes(registry, wire):
        click.echo(note, err=True)
    code = infer(registry, recorded, inference_options(owner), shown=preview(False, dry_run))
    click.echo(f"\nNext: {_linting(home)}", err=True)
    return code


def _check_with(option: str, others: Sequence[str]) -> None:
    """Raise UsageError where an option is given that has no meaning without ``option``."""
    context = click.get_current_context()
    for param in context.command.params:
        if param.name in others and context.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{param.opts[0]} belongs to {option}", fix=f"add {option} PATH, or remove it")


def _check_alone(option: str, others: Sequence[str]) -> None:
    """Raise UsageError where an option is given that has no meaning beside ``option``."""
    context = click.get_current_context()
    for name in others:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{option} does not allow --{name}", fix=f"remove --{name}, or {option}")
