"""Settings of a stream: what is read, where it goes, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelreg.errors import UsageError
from babelreg.model.thresholds import ThresholdsLike
from babelreg.spark.platform.stream.place import SourcePlace, folder_address, source_place, tables_place
from babelreg.wire.format import NATIVE

__all__ = ["MAX_MESSAGES", "StreamSettings", "file_values", "stream_settings"]

MAX_MESSAGES = 1_000_000
"""Messages of Kafka in a batch, unless another number is given."""

_OWN = {
    "subscribe": "--from kafka://...",
    "subscribepattern": "--from kafka://...",
    "assign": "--from kafka://...",
    "kafka.bootstrap.servers": "--from kafka://...",
    "path": "--from DIR",
    "startingoffsets": "--starting",
    "failondataloss": "--on-lost",
    "maxoffsetspertrigger": "--max-messages",
    "maxfilespertrigger": "--max-files",
    "includeheaders": "",
}
"""Options of Spark's sources that have a name of their own here."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """The stream from ``source`` into tables of the format ``to`` at ``at``; addresses are whole.

    ``every_seconds`` is the time between the starts of batches; None reads what there is and ends. ``max_messages`` (of
    Kafka) and ``max_files`` bound a batch. ``starting`` says where a new checkpoint begins in Kafka. ``stop_when_lost``
    is about messages that Kafka deleted before they were read. ``again`` allows a new checkpoint for a source that
    another one has already read into the same tables. A run ends after a batch above ``fail_above``, and before one
    above ``hold_above`` is written. ``options`` are those of Spark's source, and may hold secrets.
    """

    source: SourcePlace
    to: str
    at: str
    checkpoint: str
    every_seconds: float | None = None
    max_messages: int = MAX_MESSAGES
    max_files: int | None = None
    starting: str = "earliest"
    stop_when_lost: bool = True
    keep_duplicates: bool = False
    wire: str = NATIVE
    again: bool = False
    fail_above: ThresholdsLike = None
    hold_above: ThresholdsLike = None
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def tables_at(self) -> str:
        """The place of the tables: for Iceberg in a folder, the schema in the catalog of that folder."""
        return tables_place(self.to, self.at)


def stream_settings(
    source: str, to: str, at: str, checkpoint: str, *, options: Mapping[str, str] | None = None, **others: Any
) -> StreamSettings:
    """Return settings from what people write: places as paths or addresses, options also as ``@FILE``.

    Raises UsageError for a place that cannot be read or written, and for options that a stream sets itself.
    """
    for name in options or {}:
        if (own := _OWN.get(name.lower())) is not None:
            raise UsageError(f"the option {name} is set by the stream itself", fix=f"use {own}" if own else "remove it")
    return StreamSettings(
        source_place(source),
        to,
        _place_of_tables(at),
        folder_address(checkpoint, "--checkpoint"),
        options=file_values(options or {}),
        **others,
    )


def file_values(options: Mapping[str, str]) -> dict[str, str]:
    """Return ``options`` with the text of the file in place of ``@FILE``: no list of processes shows it.

    Raises UsageError for a file that cannot be read.
    """
    return {name: _text(name, value[1:]) if value.startswith("@") else value for name, value in options.items()}


def _place_of_tables(at: str) -> str:
    """Return a schema as it is, and a folder by its address."""
    is_path = "/" in at or at.startswith(".")
    return folder_address(at, "--at") if is_path else at


def _text(name: str, file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is not UTF-8"
        raise UsageError(f"cannot read the value of {name} from {file}: {reason}") from err
