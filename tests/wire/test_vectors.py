"""The test vectors under ``vectors/``: what every implementation of the formats decodes, refuses and bridges alike."""

from __future__ import annotations

import json
from typing import Any

import pytest
from wire_vectors import rows

from babelreg.wire.format import Format, Frame, Receipt, WireError, frames
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.json_record import frame_bytes, record
from babelreg.wire.mapping import UrnMapping

DECLARED = {"urn:babel:web:page.clicked": "urn:babel:web:page.clicked"}


def params(kind: str) -> list[Any]:
    return [pytest.param(row, id=row["name"]) for row in rows(kind)]


def pieces(raw: bytes, size: int) -> list[bytes]:
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def shown(wire: Format, event: Frame | WireError, profile: Any) -> dict[str, Any]:
    if isinstance(event, WireError):
        assert event.code in wire.CODES
        return {"error": event.code, "offset": event.offset}
    found = wire.validate(event.value, profile=profile)
    assert {one.code for one in found} <= set(wire.CODES)
    try:
        same = wire.encode(event.value) == event.raw
    except WireError as err:
        assert err.code in wire.CODES
        same = False
    return {
        "offset": event.offset,
        "length": len(event.raw),
        "message": wire.to_json(event.value),
        "diagnostics": [{"code": one.code, "pointer": one.pointer, "severity": one.severity.value} for one in found],
        "reencodes": same,
    }


@pytest.mark.parametrize("row", params("vector"))
def test_vector(row: dict[str, Any]) -> None:
    wire, raw, profile = FORMATS[row["format"]], row["input"], row["profile"]
    for size in (len(raw) + 1, 1, 7):
        decoder = wire.decoder(profile=profile, whole=row.get("whole", False))
        events = list(frames(decoder, pieces(raw, size)))
        found, wanted = [shown(wire, event, profile) for event in events], row["expected"]["events"]
        for one, other in zip(found, wanted, strict=False):
            one.update({"offset": None} if "offset" not in other else {})
        assert found == [{"offset": None, **other} for other in wanted], f"pieces of {size}"


@pytest.mark.parametrize("row", [one for one in params("vector") if "session" in one.values[0]["expected"]])
def test_session(row: dict[str, Any]) -> None:
    wire, raw = FORMATS[row["format"]], row["input"]
    session = wire.session()
    assert session is not None
    found = [[one.code for one in session.observe(frame.value)] for frame in frames(wire.decoder(), [raw])]  # type: ignore[union-attr]
    assert {"messages": found, "end": [one.code for one in session.close()]} == row["expected"]["session"]


@pytest.mark.parametrize("row", params("vector"))
def test_a_record_gives_the_same_bytes_again(row: dict[str, Any]) -> None:
    wire, raw = FORMATS[row["format"]], row["input"]
    for frame in frames(wire.decoder(profile=row["profile"], whole=row.get("whole", False)), [raw]):
        if isinstance(frame, Frame):
            line = json.dumps(record(wire, frame))
            assert frame_bytes(wire, json.loads(line)) == frame.raw


def bridged(row: dict[str, Any]) -> tuple[Format, Frame, UrnMapping, dict[str, Any]]:
    wire, wanted = FORMATS[row["format"]], row["expected"]
    raw = row["input"]
    block = wanted.get("mapping")
    mapping = UrnMapping.of(block) if wire.names is None else wire.names.mapping(block, DECLARED)
    return wire, Frame(wire.decode(raw), raw), mapping, wanted


@pytest.mark.parametrize("row", params("bridge"))
def test_bridge(row: dict[str, Any]) -> None:
    wire, frame, mapping, wanted = bridged(row)
    canonical = wire.to_canonical(frame, Receipt(**wanted["receipt"]), mapping=mapping, queue=wanted.get("queue"))
    assert canonical.body is not None
    assert json.loads(canonical.body) == wanted["canonical"]


@pytest.mark.parametrize("row", params("mask"))
def test_mask(row: dict[str, Any]) -> None:
    wire = FORMATS[row["format"]]
    assert wire.mask(row["input"]) == row["masked"]
    assert wire.mask(row["masked"]) == row["masked"]


def test_every_code_of_a_decoder_or_check_has_a_vector() -> None:
    seen: dict[str, set[str]] = {name: set() for name in FORMATS}
    for row in rows("vector"):
        wanted = row["expected"]
        codes = [event.get("error") for event in wanted["events"]]
        codes += [one["code"] for event in wanted["events"] for one in event.get("diagnostics", [])]
        session = wanted.get("session", {"messages": [], "end": []})
        codes += [code for message in session["messages"] for code in message] + session["end"]
        seen[row["format"]].update(code for code in codes if code)
    # These are no codes of a stream that small data can show: tested in test_codes.py.
    elsewhere = {"too_large", "too_deep", "number_out_of_range", "not_json", "trailing_bytes", "missing_field",
                 "unexpected_field", "invalid_extension", "unmapped_name", "unmapped_urn",
                 # reasons of a bridge, or of a message with headers: tested in formats/.
                 "missing_time", "binary_data", "content_type_not_json", "data_not_an_object", "batch_not_divided",
                 "not_an_event", "invalid_headers", "not_an_int64", "no_settings", "missing_position", "missing_name", "missing_id",
                 "invalid_id", "invalid_time", "member_taken", "empty_body", "wrong_member_type"}  # fmt: skip
    for name in ("flowlayer", "phpmq", "strata", "cloudevents", "json"):
        assert set(FORMATS[name].CODES) - seen[name] - elsewhere == set(), name
