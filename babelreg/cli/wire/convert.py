"""``babelreg wire convert``: messages of one wire format as messages of another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import examples
from babelreg.cli.shared.registry_options import open_registry, registry_option, root_of, sound
from babelreg.cli.wire.messages import ErrorReporter, note_empty, print_findings, read_batches, write_out
from babelreg.cli.wire.options import (
    completed_formats,
    example_of,
    named_format,
    paths_argument,
    profile_of,
    queue_option,
    reading_option,
    received_at_option,
    whole_option,
    wire_option,
)
from babelreg.plural import counted
from babelreg.sources.message_input import input_paths, opened_input, receive_time, shown_path

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.wire.format import Diagnostic, Format, Frame, Receipt
    from babelreg.wire.mapping import UrnMapping


@click.command(
    short_help="Convert messages to another format.",
    epilog=examples(
        "babelreg wire convert --wire strata requests.jsonl > envelopes.jsonl",
        "babelreg wire convert --wire babelqueue --to phpmq envelopes.jsonl > messages.bin",
    ),
)
@paths_argument
@wire_option
@click.option(
    "--to",
    "to",
    default="babelqueue",
    show_default=True,
    metavar="FORMAT",
    shell_complete=completed_formats,
    help="The format to write.",
)
@registry_option
@whole_option
@reading_option
@received_at_option
@queue_option
def command(
    paths: tuple[Path, ...],
    wire: str | None,
    to: str,
    registry: Path | None,
    whole: bool,
    strict: bool | None,
    received_at: int | None,
    queue: str | None,
) -> int:
    """Write the messages of the files, or of standard input, in another format, to standard output.

    Message names are mapped to URNs and back by `wires` in the registry's babelreg.yaml; without a registry or an
    entry, by default rules. Data that the other format has no field for is reported on standard error, as are control
    messages, which have no payload and are skipped. Secrets (`auth` and `stack` of Strata) are never copied.

    Exit code 1 means that a message was left out, because it cannot be read or converted.
    """
    from babelreg.wire.format import Receipt, WireError
    from babelreg.wire.formats import find

    source, target = named_format(wire), find(to)
    inputs = input_paths(paths, example_of("wire convert", source))
    convert = _Converter(source, target, _mappings(registry, source, target), queue)
    reporter, number = ErrorReporter(source, whole=whole), 0
    for path in inputs:
        name, before = shown_path(path), number
        with opened_input(path) as stream:
            time, clock = receive_time(stream, received_at)
            for events, _ in read_batches(source, stream, profile=profile_of(strict), whole=whole):
                pieces = []
                for event in events:
                    number += 1
                    if isinstance(event, WireError):
                        findings, refused = [reporter.finding(event, name)], True
                    else:
                        pieces += convert(event, Receipt(str(number), time, clock), name)
                        findings, refused = convert.findings, convert.refused
                    if findings:
                        write_out(pieces)
                        pieces.clear()
                        print_findings(findings, notes=not refused)
                    convert.count(refused)
                write_out(pieces)
        if number == before:
            note_empty(name)
    convert.print_summary()
    return convert.exit_code


class _Converter:
    """Converts one message after the other; ``findings`` and ``refused`` are those of the last one."""

    def __init__(
        self, source: Format, target: Format, mappings: tuple[UrnMapping, UrnMapping], queue: str | None
    ) -> None:
        self._source = source
        self._target = target
        self._inwards, self._outwards = mappings
        self._queue = queue
        self._converted = self._refused = self._control = 0
        self.findings: list[Finding] = []
        self.refused = False
        self._is_control = False
        self.exit_code = 0

    def __call__(self, frame: Frame, receipt: Receipt, path: str) -> list[bytes]:
        """Return the bytes of the message in the other format; none where it is refused, or has no payload."""
        from babelreg.cli.wire.hints import hint, mapping_hint
        from babelreg.wire.findings import loss_finding, message_finding
        from babelreg.wire.format import WireError

        self.refused = self._is_control = False
        try:
            body, losses = self._source.to_canonical(frame, receipt, mapping=self._inwards, queue=self._queue)
            if body is None:
                self._is_control = True
                self.findings = [loss_finding(loss, frame, path) for loss in losses]
                return []
            body, dropped = self._cleaned(body, frame.value)
            encoded, more = self._written(body)
        except WireError as err:
            self.refused = True
            finding = message_finding(err.diagnostic(), frame, path)
            fix = mapping_hint(self._source, frame.value) if err.code == "unmapped_name" else None
            self.findings = [replace(finding, fix=fix or hint(self._source, frame.raw, err))]
            return []
        self.findings = [loss_finding(loss, frame, path) for loss in (*losses, *dropped, *more)]
        return [encoded, b"\n" if self._target.line_based else b""]

    def _cleaned(self, body: bytes, value: Any) -> tuple[bytes, list[Diagnostic]]:
        """Return the envelope without the keys that no writer may emit (E34, N6), every other byte unchanged.

        Bridges make strict envelopes; only those that were read as they are, alone or in phpmq, can have such keys.
        """
        from babelreg.contract import Envelope
        from babelreg.contract.envelope_edit import with_members
        from babelreg.wire.bridge import loss
        from babelreg.wire.format import WireError
        from babelreg.wire.formats.babelqueue.codec import decode

        if not (self._source.carries_envelopes and self._target.carries_envelopes):
            return body, []
        try:
            envelope = value if isinstance(value, Envelope) else decode(body)
        except WireError:
            return body, []  # poison is carried as it is (N11)
        if not envelope.warnings and b'urn"' not in body and b"\\u" not in body:
            return body, []
        losses = [
            loss(warning.pointer, "it names nothing" if warning.pointer == "/job" else "a forbidden key is not written")
            for warning in envelope.warnings
        ]
        return with_members(body.decode("utf-8"), {}).encode("utf-8"), losses

    def _written(self, body: bytes) -> tuple[bytes, tuple[Diagnostic, ...]]:
        from babelreg.wire.format import NATIVE

        if self._target.name == NATIVE:
            return body, ()
        foreign = self._target.from_canonical(body, mapping=self._outwards)
        return self._target.encode(foreign.value), foreign.losses

    def count(self, refused: bool) -> None:
        """Count the message that was read last."""
        if refused:
            self._refused += 1
            self.exit_code = 1
        elif self._is_control:
            self._control += 1
        else:
            self._converted += 1

    def print_summary(self) -> None:
        """Print on stderr how many messages were converted."""
        total = self._converted + self._refused + self._control
        summary = f"{counted(total, 'message')}: {self._converted} converted, {self._refused} refused"
        if self._control:
            summary += f", {self._control} without payload left out"
        click.echo(summary, err=True)


def _mappings(registry: Path | None, source: Format, target: Format) -> tuple[UrnMapping, UrnMapping]:
    """Return the names that the registry has in both formats; none where no registry is named or found.

    Messages are only read for a format that knows them by their URNs.
    """
    from babelreg.load.registry.discovery import RegistryNotFoundError
    from babelreg.load.registry.root import sound_settings
    from babelreg.model.wire_mapping import declared_names
    from babelreg.wire.mapping import UNMAPPED

    try:
        root = root_of(registry)
    except RegistryNotFoundError:
        return UNMAPPED, UNMAPPED
    wires = sound_settings(root).wires
    knows_urns = any(wire.names is not None and wire.names.depth == 0 for wire in (source, target))
    declared = declared_names(sound(open_registry(registry))) if knows_urns else {}
    inwards, outwards = (
        UNMAPPED if wire.names is None else wire.names.mapping(wires.block(wire.name), declared)
        for wire in (source, target)
    )
    return inwards, outwards
