"""``babelreg redrive --from lake:DIR``: quarantined messages of a folder lake that are valid now.

A batch is sent and confirmed. Then its rows leave the quarantine as `babelreg lake redrive` takes them: into their
tables, so that the lake stays complete. A message that comes back to the lake later is a duplicate there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.redrive.brokers import announce, open_publisher
from babelreg.cli.redrive.request import LAKE, RedriveRequest, SentCount
from babelreg.cli.shared.graceful_stop import GracefulStop
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.contract import Contract
    from babelreg.lake.engine.engine import Engine
    from babelreg.lake.input.quarantine_source import Position
    from babelreg.recording.redrive.dead_letter import Publisher
    from babelreg.recording.redrive.redrive import Redriven

BATCH = 1_000
"""The most messages that a run which is killed may have sent without moving their rows."""


def redrive_lake(request: RedriveRequest) -> int:
    """Redrive and print the summary, also of a run that fails; return the exit code."""
    from babelreg.cli.lake import session
    from babelreg.cli.lake.progress import Progress
    from babelreg.recording.redrive.redrive import Redriven

    result, stopping = Redriven(), GracefulStop()
    try:
        with Progress() as progress, stopping, session.opened_engine("local", request.registry, progress) as engine:
            progress.clear()
            run = _LakeRun(request, engine, result, stopping)
            run.redrive()
    except ImportError as err:
        raise UsageError(f"{err.name} is not installed", fix="pip install 'babelreg[lake]'") from err
    except Exception as err:
        if result.sent:
            request.print_summary(result)
        raise request.server.explained(err) from err
    request.print_summary(result)
    return stopping.exit_code()


class _LakeRun:
    """One run; ``result`` gets the counts."""

    def __init__(self, request: RedriveRequest, engine: Engine, result: Redriven, stopping: GracefulStop) -> None:
        self._request = request
        self._lake = Path(request.source.removeprefix(LAKE))
        self._engine = engine
        self._result = result
        self._stopping = stopping
        self._count = SentCount()
        self._ids: set[str] = set()
        self._positions: set[Position] = set()
        self._messages: dict[str, list[tuple[str, bytes]]] = {}

    def redrive(self) -> None:
        """Send what passes, batch by batch."""
        rows = self._rows(self._request.contract())
        publisher = _opened(self._request)
        try:
            for position in rows:
                self._positions.add(position)
                if len(self._positions) == BATCH:
                    self._settle(publisher)
                if self._stopping.event.is_set():
                    break
            self._settle(publisher)
        finally:
            self._count.clear()
            publisher.close()

    def _rows(self, contract: Contract) -> Iterator[Position]:
        """Yield the positions of rows to take away, whose messages are in ``_messages`` then; count all others."""
        from babelreg.lake.operations.redrive_preview import validated_rows

        request, limit = self._request, self._request.limit
        validated = validated_rows(self._lake, request.registry, reasons=request.reasons, urns=request.urns)
        for rows, outcomes in validated:
            places = zip(
                *(rows[name].to_pylist() for name in ("batch_read", "source_file", "source_offset")), strict=True
            )
            for position, body, (_, urn, reason) in zip(places, rows["body"].to_pylist(), outcomes, strict=True):
                full = limit is not None and self._result.sent.total() + self._waiting() >= limit
                if urn is None:
                    self._result.staying[reason or "", None] += 1
                elif self._take(contract, urn, body, full):
                    yield position

    def _waiting(self) -> int:
        return sum(map(len, self._messages.values()))

    def _take(self, contract: Contract, urn: str, body: bytes, full: bool) -> bool:
        """Return whether a message is to be sent, or is one that was recorded twice; only the latter if ``full``."""
        from babelreg.recording.redrive.dead_letter import DeadLetter, block_of, original_queue, redriven_body
        from babelreg.recording.redrive.redrive import TARGET_UNKNOWN

        verdict = contract.verdict(body)
        if verdict.reason is not None or verdict.envelope is None:
            self._result.staying[verdict.reason or "", urn] += 1  # of another wire format
            return False
        block = block_of(DeadLetter(body, None), verdict)
        target = self._request.to or original_queue(block, self._request.declared.get(urn, ()), "")
        if target is None:
            self._result.staying[TARGET_UNKNOWN, urn] += 1
            return False
        message_id = verdict.envelope.id
        if message_id and message_id in self._ids:
            return True
        if not full:
            self._ids.update([message_id] if message_id else [])
            self._messages.setdefault(target, []).append((urn, redriven_body(body, verdict.envelope)))
        return not full

    def _settle(self, publisher: Publisher) -> None:
        """Send the batch, then let its rows go to their tables."""
        from babelreg.lake.ingest.redrive import redrive_selected
        from babelreg.lake.input.quarantine_source import RowSelection
        from babelreg.lake.storage import output_folder

        messages, positions = self._messages, self._positions
        self._messages, self._positions = {}, set()
        if positions and not self._request.dry_run:
            with output_folder.locked(self._lake):
                pass  # who writes to the lake now is named before anything is sent
            for target, batch in messages.items():
                publisher.publish(target, [body for _, body in batch])
            rows = RowSelection(positions=frozenset(positions))
            redrive_selected(self._engine, self._request.registry, self._lake, rows)
        for target, batch in messages.items():
            self._result.sent.update(Counter((target, urn) for urn, _ in batch))
        self._count.show(self._result.sent.total())


def _opened(request: RedriveRequest) -> Publisher:
    publisher = open_publisher(request.server)
    folder = request.source.removeprefix(LAKE)
    announce(request, publisher, f"quarantined messages of {folder}, for {{}} at {request.server.shown}")
    return publisher
