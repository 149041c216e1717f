"""``babelreg redrive --from QUEUE``: dead letters of a broker's queue."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from babelreg.cli.redrive.brokers import announce, open_queue
from babelreg.cli.redrive.request import RedriveRequest, SentCount
from babelreg.cli.shared.graceful_stop import GracefulStop

if TYPE_CHECKING:
    from babelreg.recording.redrive.dead_letter import DeadLetterQueue


def redrive_queue(request: RedriveRequest) -> int:
    """Redrive and print the summary, also of a run that fails; return the exit code."""
    from babelreg.recording.redrive.dead_letter import Selection
    from babelreg.recording.redrive.redrive import Redrive

    stopping, progress = GracefulStop(), SentCount()
    run = Redrive(
        request.source,
        request.contract().verdict,
        to=request.to,
        declared=request.declared,
        selection=Selection(request.reasons, request.urns),
        limit=request.limit,
        dry_run=request.dry_run,
        stop=stopping.event,
        told=progress.show,
    )
    try:
        with stopping:
            queue = _opened(request)
            try:
                run.run(queue)
            finally:
                with suppress(Exception):
                    queue.close()
    except Exception as err:
        progress.clear()
        if run.result.sent:
            request.print_summary(run.result)
        raise request.server.explained(err) from err
    progress.clear()
    if run.result.sent or run.result.staying:
        request.print_summary(run.result)
    request.check_selected(run.result)
    if not (run.result.sent or run.result.staying):
        request.print_summary(run.result)
    return stopping.exit_code()


def _opened(request: RedriveRequest) -> DeadLetterQueue:
    server, known = request.server, request.queues
    queue = open_queue(server, request.source, {*known, *(f"{name}.dlq" for name in known)})
    announce(request, queue, f"dead letters of {request.source} at {server.shown}, for {{}}")
    return queue
