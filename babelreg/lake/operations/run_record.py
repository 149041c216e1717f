"""Record of one run of a command: when it ran, what it did, and why it failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from babelreg.lake.ingest.compaction import Compacted
    from babelreg.lake.ingest.summary import Summary

Command = Literal["ingest", "redrive", "compact"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. Without a ``result`` it ended in ``error``; a held batch has a result, and failed.

    ``run_id`` is a UUID. ``source`` is the input of an ingest.
    """

    command: Command
    run_id: str
    lake: Path
    source: Path | None
    started_at_utc: datetime
    ended_at_utc: datetime
    result: Summary | Compacted | None = None
    error: str | None = None

    @property
    def summary(self) -> Summary | None:
        """The counts of messages, of a run that reads some."""
        from babelreg.lake.ingest.summary import Summary

        return self.result if isinstance(self.result, Summary) else None

    @property
    def committed(self) -> bool:
        """True where the run did its work: there may have been none to do."""
        return self.result is not None and not (self.summary and self.summary.held)

    @property
    def succeeded(self) -> bool:
        """True where the run exits with 0, set-aside files apart."""
        return self.committed and not (self.summary and self.summary.exceeded)

    @property
    def seconds(self) -> float:
        """Duration of the run."""
        return (self.ended_at_utc - self.started_at_utc).total_seconds()

    def as_json(self) -> dict[str, Any]:
        """Return the result as ``--format json`` prints it, and the run itself as ``run``."""
        run = {
            "command": self.command,
            "id": self.run_id,
            "started_at": self.started_at_utc.isoformat(timespec="milliseconds"),
            "ended_at": self.ended_at_utc.isoformat(timespec="milliseconds"),
            "seconds": round(self.seconds, 3),
            "succeeded": self.succeeded,
            "error": self.error,
        }
        return {**(self.result.as_json() if self.result else {"output": str(self.lake)}), "run": run}
