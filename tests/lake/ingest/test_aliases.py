"""Messages that producers send under aliases: one table, the name that was sent, and tables from before the aliases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg import load
from babelreg.lake import compact, files, ingest, redrive, version_batches
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.ingest import schema_check
from babelreg.lake.operations.quarantine_rows import QuarantineFilter, view
from babelreg.load.files.tree import Memory
from babelreg.model import Registry

URN, OTHER = "urn:babel:web:clicked", "urn:babel:web:viewed"
ALIAS, DOTTED = "urn:babel:Web.Clicked", "com.shop.web.clicked"


def registry(*aliases: str, maximum: int = 100) -> Registry:
    schema = f"{{type: object, properties: {{n: {{type: integer, maximum: {maximum}}}}}}}"
    listed = f"aliases: {json.dumps(aliases)}\n" if aliases else ""
    named = {"clicked": listed, "viewed": ""}
    return load.from_tree(
        Memory(
            {"babelreg.yaml": b"version: 1\n", "web/_context.yaml": b"owner: team-web\n"}
            | {
                f"web/{name}.yaml": f"urn: urn:babel:web:{name}\n{more}kind: event\ndata: {schema}\n".encode()
                for name, more in named.items()
            }
        )
    )


def message(name: str, identity: str, n: int = 1, **members: Any) -> bytes:
    meta = {"id": identity, "queue": "web", "lang": "php", "schema_version": 1, "created_at": 1_780_000_000_000}
    body = {"job": name, "trace_id": "t", "data": {"n": n}, "meta": meta, "attempts": 0, **members}
    return json.dumps(body).encode()


class Lake:
    """A lake that is written by the local engine, in this process."""

    def __init__(self, home: Path) -> None:
        self.home, self.engine = home, LocalEngine(1)
        (home / "in").mkdir()

    def ingest(self, declared: Registry, name: str, *lines: bytes) -> Mapping[str, int]:
        (self.home / "in" / name).write_bytes(b"".join(line + b"\n" for line in lines))
        summary = ingest(self.engine, declared, self.home / "in", self.home / "out")
        assert summary.read == summary.accepted + summary.duplicates + summary.quarantined
        return {"accepted": summary.accepted, "duplicates": summary.duplicates, "quarantined": summary.quarantined}

    def rows(self, urn: str = URN) -> list[dict[str, Any]]:
        found = [row for name in files(self.home / "out", urn) for row in pq.read_table(name).to_pylist()]
        return sorted(found, key=lambda row: (row["source_file"], row["source_offset"]))

    def sent(self) -> list[tuple[str, str | None]]:
        assert all(row["urn"] == URN for row in self.rows())
        return [(row["message_id"], row.get("sent_urn")) for row in self.rows()]

    def refused(self) -> list[tuple[str, str | None, bytes]]:
        found = pq.ParquetDataset(self.home / "out" / "quarantine").read().to_pylist()
        return [(row["reason"], row["urn"], row["body"]) for row in found]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def test_all_names_go_to_one_table_that_keeps_what_was_sent(lake: Lake) -> None:
    names = [URN, ALIAS, DOTTED, URN, "web.clicked", OTHER]
    lines = [message(name, f"m-{number}", number) for number, name in enumerate(names)]
    counts = lake.ingest(registry(ALIAS, DOTTED), "a.jsonl", *lines)
    assert counts == {"accepted": 5, "duplicates": 0, "quarantined": 1}
    assert lake.sent() == [("m-0", URN), ("m-1", ALIAS), ("m-2", DOTTED), ("m-3", URN)]
    assert lake.refused() == [("unknown_urn", "web.clicked", lines[4])]
    assert [(row["message_id"], "sent_urn" in row) for row in lake.rows(OTHER)] == [("m-5", False)]


@pytest.mark.parametrize("with_alias_first", [True, False])
def test_one_id_under_both_names_is_a_duplicate_unless_its_data_differs(lake: Lake, with_alias_first: bool) -> None:
    first, second = (ALIAS, URN) if with_alias_first else (URN, ALIAS)
    lines = [message(first, "m-1"), message(second, "m-1"), message(first, "m-2", 1), message(second, "m-2", 2)]
    expected = {"accepted": 2, "duplicates": 1, "quarantined": 1}
    assert lake.ingest(registry(ALIAS), "a.jsonl", *lines) == expected
    assert lake.sent() == [("m-1", first), ("m-2", first)]
    assert lake.refused() == [("id_conflict", URN, lines[3])]
    again = lake.ingest(registry(ALIAS), "b.jsonl", message(second, "m-1"), message(second, "m-2", 1))
    assert again == {"accepted": 0, "duplicates": 2, "quarantined": 0}, "in a later batch"


def test_a_refused_message_keeps_its_bytes_and_is_counted_by_its_urn(lake: Lake) -> None:
    line = message(DOTTED, "m-1", 1_000)
    lake.ingest(registry(DOTTED), "a.jsonl", line)
    assert lake.refused() == [("above_maximum", URN, line)]


def test_a_table_from_before_the_aliases_gets_the_column_and_the_quarantine_is_redriven(lake: Lake) -> None:
    before, after = registry(), registry(ALIAS)
    old = [message(URN, "m-1"), message(ALIAS, "m-2"), message(ALIAS, "m-1")]
    assert lake.ingest(before, "a.jsonl", *old) == {"accepted": 1, "duplicates": 0, "quarantined": 2}
    assert lake.sent() == [("m-1", None)]
    lake.ingest(after, "b.jsonl", message(ALIAS, "m-3"), message(URN, "m-4"))
    assert lake.sent() == [("m-1", None), ("m-3", ALIAS), ("m-4", URN)]
    moved = redrive(lake.engine, after, lake.home / "out", urns=[URN])
    assert (moved.accepted, moved.duplicates, moved.quarantined) == (1, 1, 0), "selected by the URN of the message"
    assert dict(lake.sent()) == {"m-1": None, "m-2": ALIAS, "m-3": ALIAS, "m-4": URN}
    compact(lake.engine, lake.home / "out", at_least=2)
    assert len(files(lake.home / "out", URN)) == 1
    assert dict(lake.sent()) == {"m-1": None, "m-2": ALIAS, "m-3": ALIAS, "m-4": URN}


def test_rows_are_still_read_and_added_once_the_aliases_are_gone(lake: Lake) -> None:
    lake.ingest(registry(ALIAS), "a.jsonl", message(ALIAS, "m-1"))
    counts = lake.ingest(registry(), "b.jsonl", message(URN, "m-2"), message(ALIAS, "m-3"))
    assert counts == {"accepted": 1, "duplicates": 0, "quarantined": 1}
    compact(lake.engine, lake.home / "out", at_least=2)
    assert dict(lake.sent()) == {"m-1": ALIAS, "m-2": None}


def test_the_quarantine_is_shown_by_the_urn_under_every_name(lake: Lake) -> None:
    lake.ingest(registry(), "a.jsonl", message(ALIAS, "m-1"), message(URN, "m-2", 1_000))
    shown = view(lake.home / "out", registry(ALIAS), QuarantineFilter(urns=frozenset([URN])), limit=9)
    assert [row.reason for row in shown.rows] == ["unknown_urn", "above_maximum"]


def test_a_spec_without_aliases_has_the_key_that_logs_of_streams_hold() -> None:
    declared = registry()
    named: dict[str, Any] = {wire: [] for wire in sorted(schema_check.mappings(declared))}
    before = json.dumps([dict(sorted(declared.schemas.items())), (), True, named])
    assert schema_check.spec_of(declared, digests=True).key == hashlib.sha256(before.encode()).hexdigest()
    assert schema_check.spec_of(registry(ALIAS), digests=True).key != schema_check.spec_of(declared, digests=True).key


def test_a_cloud_event_whose_type_is_an_alias_is_the_message(lake: Lake) -> None:
    events = [
        {"specversion": "1.0", "id": f"e-{number}", "source": "/shop", "type": name, "time": "2026-11-20T10:00:00Z"}
        | {"datacontenttype": "application/json", "data": {"n": number}}
        for number, name in enumerate([ALIAS, URN, "web.clicked"])
    ]
    (lake.home / "in" / "a.jsonl").write_bytes(b"".join(json.dumps(event).encode() + b"\n" for event in events))
    summary = ingest(lake.engine, registry(ALIAS), lake.home / "in", lake.home / "out", wire="cloudevents")
    assert (summary.accepted, summary.quarantined) == (2, 1)
    assert [sent for _, sent in lake.sent()] == [ALIAS, URN]


def test_all_versions_as_one_keep_the_name_that_was_sent(lake: Lake) -> None:
    both = two_versions()
    lake.ingest(both, "a.jsonl", message(ALIAS, "m-1"), message(URN, "m-2"), message(f"{URN}.v2", "m-3"))
    rows = [row for part in version_batches(both, lake.home / "out", f"{URN}.v2") for row in part.to_pylist()]
    assert sorted((row["message_id"], row["sent_urn"], row["upcast_from"]) for row in rows) == [
        ("m-1", ALIAS, URN), ("m-2", URN, URN), ("m-3", None, None),
    ]  # fmt: skip


def two_versions() -> Registry:
    text = "urn: {}\nkind: event\n{}data: {{type: object, properties: {{n: {{type: integer}}}}}}\n"
    files = {
        "babelreg.yaml": "version: 1\n",
        "web/_context.yaml": "owner: team-web\n",
        "web/clicked.yaml": text.format(URN, f"aliases: ['{ALIAS}']\n"),
        "web/clicked.v2.yaml": text.format(f"{URN}.v2", f"supersedes: {URN}\nupcast: [{{set: {{m: 1}}}}]\n"),
    }
    return load.from_tree(Memory({path: body.encode() for path, body in files.items()}))
