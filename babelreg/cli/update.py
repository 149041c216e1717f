"""``babelreg update``: fetch the registry, pin it in the lock, and say what has changed for the service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import examples
from babelreg.errors import UsageError
from babelreg.load.registry_error import RegistryError

if TYPE_CHECKING:
    from babelreg.breaking.outdated import OutdatedMessages
    from babelreg.load.service.registry_source import RegistrySource
    from babelreg.model.service_repo import Lock, ServiceRepo
    from babelreg.model.service_subset import Share


@click.command(
    short_help="Fetch a service's registry and pin it.", epilog=examples("babelreg update", "babelreg update --check")
)
@click.option(
    "--check", "check_only", is_flag=True, help="Fetch, but do not change babelreg.lock; exit 1 if it is outdated."
)
@click.option("--locked", is_flag=True, help="Fetch what babelreg.lock pins and change nothing, as in CI.")
def command(check_only: bool, locked: bool) -> int:
    """Fetch the registry that babelreg.service.yaml names, pin it in babelreg.lock, and report what has changed.

    Neither babelreg itself nor generated files are updated: run `babelreg gen` next. `babelreg import` reads schemas of
    other tools again.

    It uses the network only if the registry is in git; other commands read the copy that it fetched. Breaking changes
    are listed separately.
    """
    from babelreg.load.service import lock as locks
    from babelreg.load.service.registry_source import keep_copy, update
    from babelreg.load.service.service_repo import find, read
    from babelreg.report import printable

    folder = find(Path())
    if folder is None:
        raise UsageError("no babelreg.service.yaml here or in any folder above",
                         fix="babelreg init --service NAME --registry DIR|URL")  # fmt: skip
    repo = read(folder)
    if check_only and locked:
        raise UsageError("--check compares with the newest state, --locked with the pinned one", fix="pass one of them")
    old, note = _old(repo)
    if locked:
        return _locked(repo, old, note)
    source = update(repo)
    share, lock = _pinned(repo, source)
    _report(repo, old, share, note)
    same = old is not None and old.messages == lock.messages
    if check_only:
        return 0 if same else 1
    if old is None or locks.text(old) != locks.text(lock):
        locks.write(repo, lock)
    if source.commit is None:
        keep_copy(source.folder, locks.text(lock))
    if not same:
        again = " && ".join(f"babelreg gen {target}" for target in repo.gen or ("python",))
        click.echo(printable(f"Next: {again}"), err=True)
    return 0


def _old(repo: ServiceRepo) -> tuple[Lock | None, str]:
    """Return the lock; None and the reason if it cannot be used."""
    from babelreg.load.service import lock as locks

    try:
        return locks.read(repo), ""
    except (RegistryError, UsageError) as err:
        finding = next(iter(getattr(err, "findings", ())), None)
        return None, f"{finding.place}: {finding.message}" if finding else err.message


def _locked(repo: ServiceRepo, lock: Lock | None, note: str) -> int:
    from babelreg.cli.shared.pinned_registry import pinned
    from babelreg.load.service.registry_source import locked, update
    from babelreg.report import printable

    if lock is None:
        raise UsageError(
            note or "there is no babelreg.lock yet", fix="run `babelreg update` and check babelreg.lock in"
        )
    try:
        locked(repo, lock)
    except UsageError:
        update(repo, lock.commit)
    available = pinned(repo, lock) is not None
    state = "is here" if available else "is not on this machine, and the registry has changed since"
    click.echo(printable(f"{repo.registry}: the pinned state {state}"), err=True)
    return 0 if available else 1


def _pinned(repo: ServiceRepo, source: RegistrySource) -> tuple[Share, Lock]:
    from babelreg.cli.shared.pinned_registry import share_in
    from babelreg.load.service.lock import lock_of

    share = share_in(source.folder, repo)
    return share, lock_of(share, repo.registry, source.commit or _commit(source.folder))


def _commit(folder: Path) -> str | None:
    """Return the last commit of the registry in ``folder``; None if it is not in a repository, or not clean."""
    from babelreg.breaking.baseline.repository import Repository
    from babelreg.breaking.baseline.work_tree import changed
    from babelreg.git.command import GitError

    git = Repository(folder)
    try:
        return None if changed(git) else git.line("log", "-1", "--format=%H", "--", ".")
    except (GitError, UsageError):
        return None


def _report(repo: ServiceRepo, old: Lock | None, new: Share, note: str) -> None:
    from babelreg.cli.shared.pinned_registry import earlier_share
    from babelreg.load.service.lock import differing
    from babelreg.report import printable

    if note:
        click.echo(printable(f"babelreg.lock cannot be used: {note}"), err=True)
    changed = differing(old, new) if old is not None else frozenset()
    if old is not None and changed:
        share = earlier_share(repo, old, new)
        for line in _lines(_outdated(share, new, changed)) if share else _unknown(changed):
            click.echo(line)
    roles = ", ".join(f"{role} {len(urns)}" for role, urns in new.urns.items() if urns) or "has no messages yet"
    change = f"{len(changed)} changed" if old is not None else "pinned for the first time"
    change = change if changed or old is None else "nothing changed"
    click.echo(printable(f"{repo.registry}: {repo.service} {roles}; {change}"), err=True)


def _outdated(old: Share, new: Share, changed: frozenset[str]) -> Sequence[OutdatedMessages]:
    from babelreg.breaking.outdated import outdated_messages

    return outdated_messages(old, new, changed)


def _unknown(changed: frozenset[str]) -> Iterator[str]:
    from babelreg.report import printable

    for urn in sorted(changed):
        yield f"{printable(urn)}: changed; the pinned state is not on this machine, so the change is unknown"


def _lines(every: Sequence[OutdatedMessages]) -> Iterator[str]:
    from babelreg.report import printable

    for message in every:
        yield printable(f"{message.named}: {message.kind} ({', '.join(message.roles)})")
        yield from (printable(f"  breaks: {finding.message} [{finding.rule}]") for finding in message.breaking)
        yield from (printable(f"  {'also' if message.breaking else 'harmless'}: {text}") for text in message.harmless)
