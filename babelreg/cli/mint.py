"""``babelreg mint``: the next version of a message or of a shared fragment, ready to edit."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import MessageUrn, diff_option, dry_run_option, examples
from babelreg.cli.shared.minted_files import preview, write
from babelreg.cli.shared.registry_options import (
    completed_by,
    open_registry,
    registry_option,
    shown_root,
    sound,
    today_option,
)
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.breaking.baseline.against import Baseline
    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.mint.plan import MintPlan
    from babelreg.model import Registry


@click.command(
    epilog=examples(
        "babelreg mint urn:babel:orders:created --sunset 2030-06-30",
        "babelreg mint --fragment _common/money.yaml --for urn:babel:orders:created",
    )
)
@click.argument("urn", type=MessageUrn(), metavar="[URN|FILE]", required=False, shell_complete=completed_by("urns"))
@click.option(
    "--fragment", metavar="FILE", help="Mint the next version of a shared fragment instead, such as _common/money.yaml."
)
@click.option(
    "--for",
    "urns",
    metavar="URN",
    type=MessageUrn(),
    multiple=True,
    shell_complete=completed_by("urns"),
    help="With --fragment: make this message refer to the new version. Repeatable.",
)
@click.option("--sunset", metavar="DATE", help="Deprecate the old version with this sunset date, such as 2030-06-30.")
@click.option("--against", metavar="REV|DIR|FILE", help="The published version; as for `babelreg breaking`.")
@diff_option()
@dry_run_option("the files that would be written")
@registry_option
@today_option
def command(
    urn: str | None,
    fragment: str | None,
    urns: Sequence[str],
    sunset: str | None,
    against: str | None,
    diff: bool,
    dry_run: bool,
    registry: Path | None,
    today: date | None,
) -> None:
    """Write the next version of URN, or of the message in FILE (`.v2` after the first), next to the old one.

    If the published file was edited in place and that breaks a producer or consumer, the published text is restored and
    the edit goes into the new file, with the upcast steps that can be inferred. Old examples are checked against them.
    An edit whose breaks are waived stays in place.
    """
    _check_use(urn, fragment, urns)
    current = sound(open_registry(registry, writes=not (diff or dry_run)))
    published = _baseline(Path(current.root), against)
    waivers = _waivers(current, today)
    urn = None if urn is None else _urn_of(current, urn)
    minted = _minted(current, urn, fragment, urns, sunset, published, waivers)
    write(Path(current.root), shown_root(current), minted.files, minted.notes, preview=preview(diff, dry_run))


def _check_use(urn: str | None, fragment: str | None, urns: Sequence[str]) -> None:
    if urn and fragment:
        fix = shlex.join(["babelreg", "mint", "--fragment", fragment, "--for", urn])
        raise UsageError("a URN and --fragment cannot be minted together", fix=fix)
    if urns and not fragment:
        raise UsageError("--for requires --fragment", fix=shlex.join(["babelreg", "mint", urns[0]]))
    if not urn and not fragment:
        raise UsageError("there is nothing to mint", fix="name a URN, or a fragment: --fragment _common/NAME.yaml")


def _minted(
    current: Registry,
    urn: str | None,
    fragment: str | None,
    urns: Sequence[str],
    sunset: str | None,
    published: Baseline | None,
    waivers: BreakingWaivers,
) -> MintPlan:
    from babelreg.load.files.tree import Folder

    tree = Folder(current.root)
    if urn is None:
        from babelreg.breaking.mint.fragment import mint_fragment

        path = _path_of(current, str(fragment))
        return mint_fragment(current, tree, path, urns, sunset=sunset, baseline=published, waivers=waivers)
    from babelreg.breaking.mint.message import mint

    return mint(
        current, tree, urn, sunset=sunset or _prompted_sunset(current, urn), baseline=published, waivers=waivers
    )


def _waivers(current: Registry, today: date | None) -> BreakingWaivers:
    from datetime import UTC, datetime

    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.rules import WAIVABLE

    return BreakingWaivers.of(current.settings, WAIVABLE, today or datetime.now(UTC).date())


def _urn_of(current: Registry, name: str) -> str:
    """Return the URN of the message in the file ``name``; ``name`` where it is not a file of a message.

    Raises UsageError for the file of a fragment.
    """
    if name in current.by_urn:
        return name
    path = _path_of(current, name)
    if path in current.fragments:
        raise UsageError(f"{name} is a shared fragment", fix=shlex.join(["babelreg", "mint", "--fragment", name]))
    return next((message.urn for message in current.messages if message.source.path in (path, name)), name)


def _path_of(current: Registry, file: str) -> str:
    """Return the path of a file as the registry spells it: below its folder, or below ours."""
    if file in current.fragments:
        return file
    try:
        return Path(file).resolve().relative_to(Path(current.root).resolve()).as_posix()
    except ValueError:
        return file


def _prompted_sunset(current: Registry, urn: str) -> str | None:
    """Prompt for the sunset on a terminal; None elsewhere."""
    message = current.by_urn.get(urn)
    if message is None or message.status != "active" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    question = f"Last day of {urn} (YYYY-MM-DD, or nothing to keep it active)"
    answer: str = click.prompt(question, default="", show_default=False, err=True)
    return answer.strip() or None


def _baseline(root: Path, against: str | None) -> Baseline | None:
    from babelreg.breaking.baseline import against as baseline

    try:
        published = baseline.of(root, against)
    except UsageError as err:
        if against is not None:
            raise
        from babelreg.report import printable

        click.echo(f"nothing was restored: {printable(err.message)}", err=True)
        return None
    click.echo(published.headline, err=True)
    return published
