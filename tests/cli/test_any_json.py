"""From events without BabelQueue's envelope to tables: infer, lint, validate and ingest see the same messages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.wire.length_frames import frame
from babelreg.wire.message_headers import pack

pytest.importorskip("pyarrow")

Run = Callable[..., tuple[int, str, str]]
ORDER, SHIPPED = "urn:babel:orders:placed", "urn:babel:parcels:shipped"


def order(number: int, **more: Any) -> dict[str, Any]:
    return {
        "specversion": "1.0", "id": str(number), "source": "/shop", "type": ORDER, "time": f"2026-11-14T10:00:{number % 60:02}Z",
        "datacontenttype": "application/json", "tenant": "eu",
        "data": {"order_id": number, "status": ["new", "paid"][number % 2]}, **more,
    }  # fmt: skip


def headers(
    number: int, source: bytes = b"/depot", kind: bytes = b"application/json"
) -> list[tuple[str, bytes | None]]:
    return [
        ("ce_specversion", b"1.0"), ("ce_id", b"%d" % number), ("ce_source", source), ("ce_type", SHIPPED.encode()),
        ("ce_time", b"2026-11-14T10:00:00Z"), ("content-type", kind),
    ]  # fmt: skip


def lines(*messages: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in messages)


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CloudEvents of two producers: one in structured and batched mode, the other in Kafka's binary mode."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "events"
    folder.mkdir()
    shop = [order(number) for number in range(24)]
    wrong = [
        order(90, time=None), order(91, datacontenttype="text/xml", data="<a/>"), {**order(92), "id": ""},
        {name: value for name, value in order(93).items() if name != "data"} | {"data_base64": "AAA="}, b"{", b"[5]",
    ]  # fmt: skip
    batches = [
        lines(*shop[:10]),
        lines(shop[10:20], [], [shop[20], {"specversion": "1.0"}]),
        lines(*shop[21:], shop[0], *wrong),
    ]
    (folder / "shop.jsonl").write_bytes(b"\n".join(batches))
    shipped = [pack(headers(number), json.dumps({"parcel": f"P-{number}"}).encode()) for number in range(22)]
    refused = [pack(headers(98, kind=b"text/plain"), b"x"), pack([("x", b"y"), ("content-type", b"a/b")], b"{}")]
    (folder / "depot.frames").write_bytes(b"".join(map(frame, [*shipped, shipped[0], *refused])))
    return folder


REFUSED = {
    "missing_time": 1, "content_type_not_json": 1, "missing_attribute": 2, "binary_data": 2, "invalid_json": 1,
    "root_not_an_object": 1, "not_an_event": 1,
}  # fmt: skip


def reasons(text: str) -> dict[str, int]:
    return {
        reason: int(count)
        for reason, count in re.findall(r"(\w+) (\d+)", text.rpartition("refused (")[2].partition(")")[0])
    }


def quarantined(lake: Path) -> dict[str, int]:
    import pyarrow.compute as compute
    import pyarrow.parquet as parquet

    counts: dict[str, int] = {}
    for path in lake.rglob("*.parquet"):
        if "quarantine" in path.as_posix():
            for item in compute.value_counts(parquet.read_table(path, columns=["reason"])["reason"]).to_pylist():
                counts[item["values"]] = counts.get(item["values"], 0) + item["counts"]
    return counts


def ingested(run: Run, lake: str, wire: str, folder: str) -> dict[str, Any]:
    code, out, err = run(
        "lake",
        "ingest",
        "--input",
        folder,
        "--lake",
        lake,
        "--wire",
        wire,
        "--registry",
        "registry",
        "--format",
        "json",
    )
    assert code == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


def test_cloudevents_of_two_producers_become_tables(run: Run, events: Path, tmp_path: Path) -> None:
    assert run("init", "registry", "--empty")[0] == 0
    code, out, err = run(
        "infer", "events", "--wire", "cloudevents", "--owner", "team", "--status", "active", "--registry", "registry"
    )
    assert code == 0, err
    assert {"registry/orders/placed.yaml", "registry/parcels/shipped.yaml"} <= set(out.split())
    assert "57 messages: 48 readable" in err
    assert run("lint", "--registry", "registry", "--fail-on", "error")[0] == 0

    code, out, err = run("validate", "events", "--wire", "cloudevents", "--registry", "registry")
    assert code == 1
    assert "57 messages: 48 good, 9 refused" in err
    assert reasons(err) == REFUSED

    summary = ingested(run, "lake", "cloudevents", "events")
    assert (summary["read"], summary["accepted"], summary["duplicates"], summary["quarantined"]) == (57, 46, 2, 9)
    assert quarantined(tmp_path / "lake") == REFUSED
    assert ingested(run, "lake", "cloudevents", "events")["read"] == 0


CLICKS = [
    {"type": "urn:babel:web:page.clicked", "ts": "2026-11-14T10:00:00Z", "payload": {"page": n % 3}} for n in range(30)
]


def test_bare_json_lines_become_tables(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clicks").mkdir()
    wrong: list[Any] = [{"ts": 1, "payload": {}}, {**CLICKS[0], "ts": "soon"}, {**CLICKS[0], "payload": 5}, b"{", b"[]"]
    (tmp_path / "clicks/a.jsonl").write_bytes(
        lines(*CLICKS, CLICKS[0], CLICKS[0], {**CLICKS[0], "type": "Web.Gone"}, *wrong)
    )
    assert run("init", "registry", "--empty")[0] == 0
    with (tmp_path / "registry/babelreg.yaml").open("a") as settings:
        settings.write("wires:\n  json: {urn: {field: type}, time: ts, data: payload}\n")
    code, out, err = run(
        "infer", "clicks", "--wire", "json", "--owner", "team", "--status", "active", "--registry", "registry"
    )
    assert code == 0, err
    assert "registry/web/page.clicked.yaml" in out.split()
    assert "38 messages: 33 readable" in err
    assert "Web.Gone" in err, "a name that is no URN is an alias from now on"
    assert run("lint", "--registry", "registry", "--fail-on", "error")[0] == 0

    refused = {
        "missing_name": 1,
        "invalid_time": 1,
        "data_not_an_object": 1,
        "invalid_json": 1,
        "root_not_an_object": 1,
    }
    code, out, err = run("validate", "clicks", "--wire", "json", "--registry", "registry")
    assert code == 1
    assert reasons(err) == refused
    assert "the position in the source is the identity" in err

    summary = ingested(run, "lake", "json", "clicks")
    assert (summary["read"], summary["accepted"], summary["duplicates"], summary["quarantined"]) == (38, 33, 0, 5)
    assert quarantined(tmp_path / "lake") == refused


def test_with_an_id_a_repeated_message_is_a_duplicate(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": n, "page": n % 3} for n in range(5)]
    (tmp_path / "in/urn:babel:web:page.clicked").mkdir(parents=True)
    (tmp_path / "in/urn:babel:web:page.clicked/14.jsonl").write_bytes(lines(*rows, rows[1], {"id": 1, "page": 7}))
    assert run("init", "registry", "--empty")[0] == 0
    with (tmp_path / "registry/babelreg.yaml").open("a") as settings:
        settings.write("wires:\n  json: {urn: {file: true}, id: id}\n")
    context = tmp_path / "registry/web"
    context.mkdir()
    (context / "_context.yaml").write_text("owner: team\n")
    schema = {"type": "object", "required": ["page"], "properties": {"page": {"type": "integer"}}}
    message = {"urn": "urn:babel:web:page.clicked", "kind": "event", "status": "active", "data": schema}
    (context / "page.clicked.yaml").write_text(json.dumps(message))
    summary = ingested(run, "lake", "json", "in")
    assert (summary["read"], summary["accepted"], summary["duplicates"], summary["quarantined"]) == (7, 5, 1, 1)
    assert quarantined(tmp_path / "lake") == {"id_conflict": 1}


def test_a_batch_on_lines_is_as_many_messages_as_the_events_alone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the array stands behind white space, and where an item is damaged."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one/a.jsonl").write_bytes(b"  [ " + json.dumps(order(1)).encode() + b" , {} ]\n\n[]\n")
    assert run("init", "registry")[0] == 0
    summary = ingested(run, "lake", "cloudevents", "one")
    assert (summary["read"], summary["quarantined"]) == (2, 2)
    assert quarantined(tmp_path / "lake") == {"unknown_urn": 1, "missing_attribute": 1}


@pytest.mark.parametrize("wire", ["cloudevents", "json"])
def test_a_bridge_keeps_the_name_that_was_sent(
    wire: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "registry", "--empty")[0] == 0
    with (tmp_path / "registry/babelreg.yaml").open("a") as settings:
        settings.write("wires:\n  json: {urn: {field: type}, id: id, data: payload}\n")
    (tmp_path / "registry/web").mkdir()
    (tmp_path / "registry/web/_context.yaml").write_text("owner: team-web\n")
    message = {"urn": "urn:babel:web:clicked", "aliases": ["Web.Clicked"], "kind": "event", "data": {"type": "object"}}
    (tmp_path / "registry/web/clicked.yaml").write_text(json.dumps(message))
    identity = "c0d0b6a3-08e0-50d0-8f0b-6a436d367dac"
    meta = {"id": identity, "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1}
    envelope = {"job": "Web.Clicked", "trace_id": "t", "data": {"n": 1}, "meta": meta, "attempts": 0}
    (tmp_path / "sent.jsonl").write_text(json.dumps(envelope) + "\n")
    code, foreign, _ = run("wire", "convert", "--wire", "babelqueue", "--to", wire, "sent.jsonl")
    assert (code, json.loads(foreign)["type"], json.loads(foreign)["id"]) == (0, "Web.Clicked", identity)
    (tmp_path / "foreign.jsonl").write_text(foreign)
    code, again, _ = run("wire", "convert", "--wire", wire, "foreign.jsonl")
    assert (json.loads(again)["job"], json.loads(again)["meta"]["id"]) == ("Web.Clicked", identity)
    (tmp_path / "again.jsonl").write_text(again)
    _, twice, _ = run("wire", "convert", "--wire", "babelqueue", "--to", wire, "again.jsonl")
    assert json.loads(twice) == json.loads(foreign)
