"""``babelreg new``: a new message, ready to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import (
    LocalPath,
    MessageUrn,
    Utf8Text,
    diff_option,
    dry_run_option,
    examples,
)
from babelreg.cli.shared.minted_files import preview, write
from babelreg.cli.shared.registry_options import open_registry, registry_option, shown_root, sound
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.model import Urn


@click.command(
    short_help="Start a message, optionally from samples of its data.",
    epilog=examples(
        "babelreg new urn:babel:orders:shipped --producer orders-api",
        "babelreg new urn:babel:orders:shipped --from recorded.jsonl",
    ),
)
@click.argument("urn", type=MessageUrn())
@click.option(
    "--from",
    "sample",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    help="Samples of the data, or envelopes: a JSON document, a list, or one object per line.",
)
@click.option(
    "--keep-values", is_flag=True, help="With --from: keep values of the samples that are neither personal nor secret."
)
@click.option("--kind", type=click.Choice(("event", "command")), help="Default: from the verb in the name.")
@click.option("--owner", type=Utf8Text(), help="The team that owns it. Default: the owner of the context.")
@click.option(
    "--producer",
    "producers",
    type=Utf8Text(),
    metavar="SERVICE",
    multiple=True,
    help="A service that sends it. Repeatable.",
)
@click.option(
    "--consumer",
    "consumers",
    type=Utf8Text(),
    metavar="SERVICE",
    multiple=True,
    help="A service that handles it. Repeatable.",
)
@click.option("--queue", type=Utf8Text(), metavar="NAME", help="The logical name of its queue.")
@diff_option()
@dry_run_option("the files that would be written")
@registry_option
def command(
    urn: str,
    sample: Path | None,
    keep_values: bool,
    kind: str | None,
    owner: str | None,
    producers: tuple[str, ...],
    consumers: tuple[str, ...],
    queue: str | None,
    diff: bool,
    dry_run: bool,
    registry: Path | None,
) -> int:
    """Write a draft of the message URN that lints without errors, and its context and services if they are new.

    With --from, the schema is inferred from the samples, as `babelreg infer` does for many messages: it accepts them,
    and requires what 20 of them have. Its example is synthesised: no value of a sample is written. --keep-values copies
    sample values into the examples, except for those that may be personal data or secrets by name or format. `babelreg
    lint` then reports problems in the samples, such as money as a float.
    """
    from babelreg.analysis.infer.new_message import NewMessage, new_message_files
    from babelreg.analysis.infer.samples import read_samples
    from babelreg.cli.shared.inference import inference_options

    if keep_values and sample is None:
        raise UsageError("--keep-values requires --from", fix="add --from FILE")
    parsed = _parsed(urn)
    current = sound(open_registry(registry, writes=not (diff or dry_run)))
    samples = tuple(read_samples(sample, str(parsed))) if sample is not None else ()
    kind = kind or _kind_of(parsed)
    message = NewMessage(parsed, kind, owner, producers, consumers, queue, samples, keep_values)
    files = new_message_files(current, message, inference_options())
    notes = [] if diff or dry_run else ["Next: write the descriptions, set the status to active, run `babelreg lint`"]
    write(Path(current.root), shown_root(current), files, notes, preview=preview(diff, dry_run))
    return 0


def _parsed(text: str) -> Urn:
    from babelreg.model import Urn, UrnError

    try:
        return Urn.parse(text)
    except UrnError as err:
        raise UsageError(str(err), fix="urn:babel:CONTEXT:NAME, such as urn:babel:orders:shipped") from err


def _kind_of(urn: Urn) -> str:
    """Return the kind that the verb of the name tells. Raises UsageError where it tells none."""
    from babelreg.lint.english import VerbForm, form

    kind = {VerbForm.PAST: "event", VerbForm.BASE: "command"}.get(form(urn.name))
    if kind is None:
        raise UsageError(
            f"the name '{urn.name}' has no verb that distinguishes an event from a command", fix="add --kind event"
        )
    return kind
