"""``babelreg lake quarantine``: refused messages to look at, masked."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lake import extra
from babelreg.cli.lake.options import lake_option
from babelreg.cli.shared.common_options import MessageUrn, examples
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound, why_without
from babelreg.errors import UsageError
from babelreg.report import printable
from babelreg.suggest import closest

if TYPE_CHECKING:
    from babelreg.lake.operations.quarantine_rows import QuarantineRow, QuarantineView
    from babelreg.model import Registry


@click.command(
    epilog=examples(
        "babelreg lake quarantine --lake lake",
        "babelreg lake quarantine --lake lake --reason missing_required --limit 3",
        "babelreg lake quarantine --lake lake --since 12",
        "babelreg lake quarantine --lake lake --raw --format jsonl --limit 1000",
    )
)
@lake_option
@click.option(
    "--urn", "urns", type=MessageUrn(), multiple=True, metavar="URN", help="Only messages with this URN. Repeatable."
)
@click.option(
    "--reason", "reasons", multiple=True, metavar="CODE", help="Only messages refused for this reason. Repeatable."
)
@click.option("--batch", metavar="N", type=click.IntRange(1), help="Only messages that this batch read.")
@click.option("--since", metavar="N", type=click.IntRange(1), help="Only messages that batch N or a later one read.")
@click.option("--file", "source_file", metavar="NAME", help="Only messages of this input file.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(0), default=10, show_default=True, help="Show at most N messages."
)
@click.option("--raw", is_flag=True, help="Show messages unmasked, with personal data.")
@registry_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="The format of the messages.",
)
def command(
    lake: Path,
    urns: tuple[str, ...],
    reasons: tuple[str, ...],
    batch: int | None,
    since: int | None,
    source_file: str | None,
    limit: int,
    raw: bool,
    registry: Path | None,
    style: str,
) -> None:
    """Show messages in quarantine: where each is from, why it was refused, and what it looks like.

    The newest come first. Every value is masked unless the registry shows that it is not personal; without a registry,
    all values are. --raw shows the bytes as they are. Neither Spark nor a JVM is started.
    """
    from babelreg.lake.ingest.redrive import known_reasons
    from babelreg.lake.operations.quarantine_rows import QuarantineFilter, view
    from babelreg.lake.storage import output_folder
    from babelreg.lake.storage.log import manifest

    extra.uses(extra.LOCAL)
    output_folder.check_written(lake)
    wanted = QuarantineFilter(frozenset(urns), frozenset(reasons), batch, source_file, since)
    loaded = None if raw else _registry(registry)
    if batch is not None and batch not in (every := manifest.numbers(lake)):
        newest = every[-1]
        raise UsageError(f"batch {batch} does not exist", fix=f"--batch {newest} is the newest")
    found = view(lake, loaded, wanted, limit=limit, raw=raw)
    _check_known(reasons, found.known_reasons | known_reasons(), "--reason", closed=True)
    _check_known(
        urns, found.known_urns | frozenset(loaded.by_name if loaded else ()), "--urn", closed=loaded is not None
    )
    if raw and found.rows:
        click.echo("messages are shown unmasked: they may contain personal data", err=True)
    if style == "text":
        click.echo("\n".join(map(printable, _lines(found, lake, registry, raw))))
    elif style == "jsonl":
        for row in found.rows:
            click.echo(json.dumps(row.as_json(), ensure_ascii=False))
    else:
        counts = {"total": found.total, "selected": found.selected, "reasons": found.reasons}
        rows = [row.as_json() for row in found.rows]
        click.echo(json.dumps({**counts, "rows": rows}, indent=2, ensure_ascii=False))


def _registry(registry: Path | None) -> Registry | None:
    try:
        return sound(open_registry(registry))
    except UsageError as err:
        if registry is not None:
            raise
        click.echo(printable(f"{why_without(err)}: all values are masked; set one with --registry DIR"), err=True)
        return None


def _check_known(names: tuple[str, ...], known: frozenset[str], option: str, *, closed: bool) -> None:
    """Raise UsageError for a name that is not known; where others may exist, only if it is probably misspelt."""
    for name in names:
        near = None if name in known else closest(name, known)
        if near or (closed and name not in known):
            fix = f"did you mean '{near}'?" if near else f"remove {option} to see all"
            raise UsageError(f"no message in quarantine has {option} {name}", fix=fix)


def _lines(found: QuarantineView, lake: Path, registry: Path | None, raw: bool) -> Iterator[str]:
    place = lake / "quarantine"
    if not found.selected:
        yield f"none of {found.total:,} messages in {place}" if found.total else f"no message in {place}"
        return
    of_all = "" if found.selected == found.total else f" of {found.total:,}"
    yield f"{found.selected:,}{of_all} message{'' if found.total == 1 else 's'} in {place}, {len(found.rows):,} shown"
    yield from (f"  {count:>8,}  {reason}" for reason, count in found.reasons.items())
    for row in found.rows:
        yield ""
        yield from _row_lines(row, raw)
    yield ""
    yield "next, how many would pass now:"
    named = ["--registry", str(registry)] if registry else []
    yield f"  {shlex.join(['babelreg', 'lake', 'redrive', *named, '--lake', str(lake), '--dry-run'])}"


def _row_lines(row: QuarantineRow, raw: bool) -> Iterator[str]:
    from babelreg.lake.operations.quarantine_rows import indented

    at = f" at {row.pointer}" if row.pointer else ""
    sentence = f": {row.detail}" if row.detail else ""
    yield f"{row.file}, byte {row.offset:,} (batch {row.batch}): {row.reason}{at}{sentence}"
    told = {"urn": row.urn, "id": row.message_id, "lang": row.lang}
    if known := ", ".join(f"{name} {value}" for name, value in told.items() if value):
        yield f"  {known}"
    if raw and row.body is not None:
        yield f"  {row.body.decode(errors='backslashreplace')}"
    for line in row.lines:
        yield f"    {indented(line)}"
