"""Recordings in other formats give a sketch the messages that ingest reads, however they are split."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from babelreg.contract.envelope import Envelope
from babelreg.lake.traffic.foreign_splits import foreign_splits
from babelreg.sources import recording_splits
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.length_frames import frame
from babelreg.wire.mapping import UrnMapping
from babelreg.wire.message_headers import pack

from ..shared import foreign

EVENT = b'{"specversion":"1.0","id":"%d","source":"/s","type":"urn:babel:a:b","time":"2026-11-14T10:00:00Z","data":{}}'
HEADERS = [("ce_specversion", b"1.0"), ("ce_id", b"1"), ("ce_source", b"/s"), ("ce_type", b"urn:babel:a:b"),
           ("ce_time", b"2026-11-14T10:00:00Z")]  # fmt: skip


def counted(path: Path, wire: str, block: object = None) -> Counter[str]:
    names = FORMATS[wire].names
    urns = names.mapping(block, {}).urns if names is not None else UrnMapping({}).urns  # type: ignore[arg-type]
    found: Counter[str] = Counter()
    for split in foreign_splits([path], 2, wire, urns):
        for message in split.messages():
            found[message.urn if isinstance(message, Envelope) else str(message.reason)] += 1
    return found


@pytest.mark.parametrize("least", [16, 200, 1 << 24])
def test_lines_with_batches_are_the_same_in_any_split(
    least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_splits, "_MIN_SPLIT_BYTES", least)
    lines = [EVENT % 1, b"[" + EVENT % 2 + b"," + EVENT % 3 + b",{}]", b"", b"[]", b"{", EVENT % 4]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    assert counted(tmp_path / "a.jsonl", "cloudevents") == {
        "urn:babel:a:b": 4,
        "missing_attribute": 1,
        "invalid_json": 1,
    }


def test_frames_have_their_headers(tmp_path: Path) -> None:
    (tmp_path / "a.frames").write_bytes(frame(pack(HEADERS, b"{}")) + frame(EVENT % 1) + frame(pack([], b"5")))
    assert counted(tmp_path / "a.frames", "cloudevents") == {"urn:babel:a:b": 2, "root_not_an_object": 1}


def test_the_file_names_its_messages(tmp_path: Path) -> None:
    (tmp_path / "clicks").mkdir()
    (tmp_path / "clicks" / "14.jsonl").write_bytes(b'{"x":1}\n[]\n')
    assert counted(tmp_path / "clicks" / "14.jsonl", "json", {"urn": {"file": True}}) == {
        "14": 1,
        "root_not_an_object": 1,
    }


def test_a_stream_without_separators_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(foreign.phpmq_stream())
    found = counted(tmp_path / "a.bin", "phpmq", {"queues": {"Mails": foreign.MAIL}})
    assert (found.total(), found[foreign.MAIL], found["control_message"], found["unmapped_name"]) == (8, 3, 1, 1)
