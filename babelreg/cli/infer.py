"""``babelreg infer``: a registry from recorded messages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lake.recorded_traffic import ShareType, engine_option, opened_engine, seen_by_workers, unread
from babelreg.cli.shared.common_options import LocalPath, Utf8Text, diff_option, dry_run_option, examples
from babelreg.cli.shared.minted_files import preview, write
from babelreg.cli.shared.registry_options import open_registry, registry_option, shown_root, sound
from babelreg.cli.wire.options import recorded_wire_option
from babelreg.errors import InputError
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.analysis.infer.message_names import RecordedMessages
    from babelreg.analysis.infer.new_files import InferenceOptions, NewFiles
    from babelreg.analysis.infer.refusals import DataRefusals
    from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
    from babelreg.analysis.sketch.window import Window
    from babelreg.lake.traffic.run import RecordedTraffic
    from babelreg.model import Registry

_MOST_NAMED = 5
_SETTINGS = "`wires: {json: {urn: {field: FIELD}}}` in babelreg.yaml"


@click.command(
    short_help="Infer messages from recordings.",
    epilog=examples(
        "babelreg infer recordings --owner team-shop", "zcat dump.gz | babelreg infer - --owner team-shop --dry-run"
    ),
)
@click.argument("sources", metavar="[PATH]...", nargs=-1, type=LocalPath(allow_dash=True))
@registry_option
@recorded_wire_option
@click.option("--owner", type=Utf8Text(), help="The team that owns the contexts that have no owner yet.")
@click.option(
    "--status",
    type=click.Choice(("draft", "active")),
    default="draft",
    show_default=True,
    help="Status of new messages.",
)
@click.option(
    "--tolerate",
    metavar="SHARE",
    type=ShareType(Fraction(1, 10), "0.1%"),
    default=Fraction(0),
    help="The share of values that may be exceptions, such as 0.1%. Exceptions are listed.",
)
@click.option("--no-values", is_flag=True, help="Write no members of enumerations or unions.")
@click.option(
    "--sketch", "saved", metavar="FILE", type=LocalPath(dir_okay=False), help="Also save the sketch, as a later PATH."
)
@engine_option
@click.option("--in-place", is_flag=True, help="Also widen published schemas if that breaks their users.")
@diff_option()
@dry_run_option("the files that would be written")
def command(
    sources: tuple[Path, ...],
    registry: Path | None,
    wire: str,
    owner: str | None,
    status: str,
    tolerate: Fraction,
    no_values: bool,
    saved: Path | None,
    engine: str,
    in_place: bool,
    diff: bool,
    dry_run: bool,
) -> int:
    """Write drafts of the messages in recordings that the registry does not declare, and widen those that it does.

    PATH is a folder of recordings, a file of messages, one a line or frame, a lake, a sketch that --sketch saved, or
    `-` for standard input. Files compressed with gzip or zstd are unpacked. Large input is read in several processes.

    A schema accepts all recorded data. It requires a property that at least 20 objects had without exception; a comment
    gives the evidence of each decision. No value of a message is written, except for members of enumerations: short
    texts like identifiers, each seen 20 times, that are neither personal nor secret.

    Declared messages are only widened, by edits that keep comments. An edit that would break users of a published
    message is printed with a fix, and written only with --in-place.

    With --wire, messages of another format are first converted to envelopes, by `wires` in babelreg.yaml.
    """
    from babelreg.analysis.infer.refusals import DataRefusals
    from babelreg.cli.shared.inference import inference_options
    from babelreg.model.wire_mapping import wire_notes

    current = sound(open_registry(registry, writes=not (diff or dry_run)))
    options = inference_options(owner, status, tolerate, writes_values=not no_values)
    refusals = DataRefusals(current)
    recorded = read_traffic(sources, refusals, engine=engine, wire=wire, registry=current)
    for note in wire_notes(current, wire):
        click.echo(note, err=True)
    shown = preview(diff, dry_run)
    code = infer(current, recorded, options, saved=saved, shown=shown, refusals=refusals, in_place=in_place)
    if (fix := unreadable_fix(recorded.traffic, wire)) is not None:
        raise InputError(f"no message is readable ({unreadable_reasons(recorded.traffic)})", fix=fix)
    return code


def infer(
    registry: Registry,
    recorded: RecordedTraffic,
    options: InferenceOptions,
    *,
    saved: Path | None = None,
    shown: str | None = None,
    refusals: DataRefusals | None = None,
    in_place: bool = False,
) -> int:
    """Write the files of messages that ``registry`` does not declare, and print what was seen; return the exit code.

    ``shown`` is as ``preview`` returns it. With ``refusals``, those of the messages, the files of declared ones are
    widened; ``in_place`` also where that breaks their users. Raises InputError for sources that were damaged, when all
    else is done.
    """
    from babelreg.analysis.infer.message_names import recorded_messages
    from babelreg.analysis.infer.new_files import new_files
    from babelreg.analysis.infer.widened_files import WidenedFiles
    from babelreg.analysis.sketch import sketch_file
    from babelreg.cli.shared.inference import name_rules
    from babelreg.cli.shared.widening import notes_on, widenings

    traffic, damaged = recorded.traffic, recorded.damaged
    recorded_as = recorded_messages(registry, traffic.messages or {}, name_rules())
    declared = recorded_as.declared
    result = new_files(registry, recorded_as.new, options, recorded_as.aliases)
    if saved is not None:
        sketch_file.write(saved, traffic)
    widened = WidenedFiles()
    if refusals is not None:
        widened = widenings(registry, declared, options, in_place=in_place)
    edited = {path: change.new.decode() for path, change in widened.changes.items()}
    write(Path(registry.root), shown_root(registry), {**edited, **result.files}, [], preview=shown)
    for note in _notes(registry, recorded, result, recorded_as):
        click.echo(note, err=True)
    for note in notes_on(registry, widened, refusals) if refusals is not None else ():
        click.echo(note, err=True)
    if damaged:
        raise unread(damaged)
    return 0


def read_traffic(
    sources: Sequence[Path],
    refusals: DataRefusals | None = None,
    *,
    engine: str = "local",
    wire: str | None = None,
    registry: Registry | None = None,
    window: Window | None = None,
    command: str = "infer",
) -> RecordedTraffic:
    """Return the sketch of all ``sources``; their messages, but not those of saved sketches, enter ``refusals``.

    They are in the format ``wire``, by the names that ``registry`` has there. Those outside of ``window`` are left out.
    Raises UsageError for another format, and with an example of ``command`` for a source that is not there.
    """
    from babelreg.lake.traffic.run import read_traffic as read
    from babelreg.model.wire_mapping import wire_mapping
    from babelreg.wire.format import NATIVE
    from babelreg.wire.formats import find

    source = find(wire or NATIVE).name
    urns = wire_mapping(registry, source).urns if registry is not None else {}
    with opened_engine(engine) as opened:
        return read(
            opened,
            seen_by_workers(engine, sources),
            refusals,
            wire=source,
            urns=urns,
            window=window,
            example=f"babelreg {command} messages.jsonl",
        )


def unreadable_fix(traffic: TrafficSketch, wire: str, settings: str = _SETTINGS) -> str | None:
    """Return a fix where ``traffic`` has messages, but none that is readable in the format ``wire``; else None.

    ``settings`` says how to name the member of plain JSON that has the URN.
    """
    from babelreg.wire.format import NATIVE

    if not traffic.total or sum(traffic.refused.values()) < traffic.total:
        return None
    reason = max(sorted(traffic.refused), key=lambda name: traffic.refused[name])
    if wire == NATIVE and reason == "missing_urn":
        return f"without BabelQueue's envelope, name the format: --wire cloudevents, or --wire json with {settings}"
    return settings if reason == "no_settings" else shlex.join(["babelreg", "explain", reason])


def unreadable_reasons(traffic: TrafficSketch) -> str:
    """Return how many messages of ``traffic`` are unreadable for each reason."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(traffic.refused.items()))


def _notes(
    registry: Registry, recorded: RecordedTraffic, result: NewFiles, messages: RecordedMessages
) -> Iterator[str]:
    from babelreg.report import printable

    traffic = recorded.traffic
    for lake in recorded.lakes:
        yield printable(f"{lake}: the rows of its tables and of its quarantine; it stores no duplicates")
    fragments = sum(path.startswith("_common/") for path in result.files)
    read = traffic.total - sum(traffic.refused.values())
    yield f"{counted(traffic.total, 'message')}: {read:,} readable" + "".join(
        f", {count:,} {reason}" for reason, count in sorted(traffic.refused.items())
    )
    new = f"{counted(len(result.messages), 'message')} and {counted(fragments, 'shared fragment')}"
    yield f"new: {new}; declared already: {counted(len(messages.declared), 'message')}"
    for urn, names in messages.aliases.items():
        yield printable(f"{urn}: was sent as {_named(names)}, now in its `aliases`")
    for name, target in list(messages.likely.items())[:_MOST_NAMED]:
        path = registry.by_urn[target].source.path
        yield printable(f"{shlex.quote(name)} is probably {target}: add it to `aliases` in {path}")
    if len(messages.likely) > _MOST_NAMED:
        yield f"and {counted(len(messages.likely) - _MOST_NAMED, 'other name')} similar to a declared one"
    for subject in sorted({*result.exceptions, *result.notes}):
        for line in (*result.exceptions.get(subject, ()), *result.notes.get(subject, ())):
            yield printable(f"{subject}: {line}")
    for subject, reason in sorted(result.refused.items()):
        yield printable(f"{subject} is not written: {reason}")
    if traffic.unnamed:
        yield f"{counted(traffic.unnamed, 'message')} under a name that is too long or not a string: left out"
    if traffic.messages is None:
        yield "more than 10,000 names of messages: no schema is inferred"
    if messages.unusable:
        count = sum(sketch.count for sketch in messages.unusable.values())
        named = _named(list(messages.unusable))
        yield printable(f"{counted(count, 'message')} under a name that does not identify a kind of message: {named}")
    if result.unsure:
        named = ", ".join(result.unsure[:_MOST_NAMED])
        yield printable(f"check the kind of {named}: no verb in the name distinguishes an event from a command")


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(shlex.quote(name) for name in names[:_MOST_NAMED]) + more
