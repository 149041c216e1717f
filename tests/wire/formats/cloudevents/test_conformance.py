"""The project's conformance cases for JSON and Kafka, by their ids: each is accepted or refused as they say.

Source: github.com/cloudevents/conformance (Apache-2.0) at c5bcce28, ``format/json``, and at 6366de11,
``features/kafka-protocol-binding.feature``. A case is written here as its difference from the minimal event.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg.finding import Severity
from babelreg.wire.format import Frame, Receipt, WireError, frames
from babelreg.wire.formats import cloudevents
from babelreg.wire.message_headers import pack

RECEIPT = Receipt("f:0", 1_794_650_400_000, "argument")
MINIMAL = {"specversion": "1.0", "id": "minimal", "type": "io.cloudevents.test", "source": "https://cloudevents.io"}
TIME = "2018-04-05T17:31:00Z"
ALL_CORE = {
    "id": "allCore",
    "datacontenttype": "text/plain",
    "dataschema": "https://cloudevents.io/dataschema",
    "subject": "tests",
    "time": TIME,
}
EXTENSIONS = {
    "id": "allExtensionTypes",
    "extinteger": 10,
    "extboolean": True,
    "extstring": "text",
    "exturi": "https://cloudevents.io",
    "exturiref": "//authority/path",
    "exttimestamp": "2023-03-31T15:12:00Z",
    "extbinary": "TWE=",
}
VALID: dict[str, dict[str, Any]] = {
    "validMinimal": {},
    "validMinimalWithNullForOptional": dict.fromkeys(("datacontenttype", "dataschema", "subject", "time")),
    "validAllCoreAttributes": ALL_CORE,
    "validMinimalWithTimeUtc": {"time": TIME},
    "validMinimalWithTimeToNanosecondsUtc": {"time": "2018-04-05T17:31:00.000000000Z"},
    "validMinimalWithTimeUsingPositiveOffset": {"time": "2018-04-05T18:31:00+01:00"},
    "validMinimalWithTimeUsingNegativeOffset": {"time": "2018-04-05T16:31:00-01:00"},
    "validRelativeSource": {"source": "#fragment"},
    "validSimpleTextData": {"datacontenttype": "text/plain", "data": "Simple text"},
    "validAllExtensionTypes": EXTENSIONS,
}
ABSENT = object()
INVALID: dict[str, dict[str, Any]] = {
    "invalidNoSpecVersion": {"specversion": ABSENT},
    "invalidNoId": {"id": ABSENT},
    "invalidNoType": {"type": ABSENT},
    "invalidNoSource": {"source": ABSENT},
    "invalidTimeGarbage": {"time": "lunchtime"},
    "invalidTimeToMinute": {"time": "2018-04-05T18:31Z"},
    "invalidTimeOffsetX": {"time": "2018-04-05T18:31:00X"},
    "invalidTimeOffsetOutOfRange": {"time": "2018-04-05T18:31:00+25:00"},
    "invalidTimeOffsetNonInteger": {"time": "2018-04-05T18:31:00+xx:00"},
    "invalidTimeOffsetHourOnly": {"time": "2018-04-05T18:31:00+05"},
    "invalidEmptyId": {"id": ""},
    "invalidEmptyType": {"type": ""},
    "invalidEmptySource": {"source": ""},
    "invalidEmptySpecVersion": {"specversion": ""},
    "invalidUnknownSpecVersion": {"specversion": "0.9"},
    "invalidNonRfc2046DataContentType": {"datacontenttype": "xyz"},
    "invalidEmptyDataContentType": {"datacontenttype": ""},
    "invalidEmptyDataSchema": {"dataschema": ""},
    "invalidEmptySubject": {"subject": ""},
    "invalidNumericId": {"id": 25},
    "invalidObjectId": {"id": {"xyz": "abc"}},
    "invalidCapitalizedExtension": {"MyExtension": "bad"},
    "invalidPunctuatedExtension": {"my.extension": "bad"},
    "invalidNonIntegerExtensionValue": {"my.extension": 1.5},
    "invalidBothDataAndDataBase64": {"data": "text", "data_base64": "eyAieHl6IjogMTIzIH0="},
}
BATCHES: dict[str, tuple[Any, list[bool]]] = {
    "validBatchEmpty": ([], []),
    "validBatchMinimal": ([{}], [True]),
    "validBatchMinimal2": ([{}, {}], [True, True]),
    "validBatchMinimalAndAllCore": ([{}, ALL_CORE], [True, True]),
    "validBatchMinimalAndAllExtensionTypes": ([{}, EXTENSIONS], [True, True]),
    "invalidBatchMixedSpecVersions": ([{}, {"specversion": "0.9"}], [True, False]),
    "invalidBatchContainingInvalidCloudEvent": ([{"id": ABSENT}], [False]),
    "invalidBatchContainingNonObject": (["not an object", {}], [False, True]),
}


def event(changes: Any) -> Any:
    if not isinstance(changes, dict):
        return changes
    return {name: value for name, value in (MINIMAL | changes).items() if value is not ABSENT}


def is_accepted(raw: bytes, profile: Any = None) -> bool:
    try:
        value = cloudevents.decode(raw)
    except WireError:
        return False
    return not any(found.severity == Severity.ERROR for found in cloudevents.validate(value, profile=profile))


@pytest.mark.parametrize("profile", ["strict", "compat"])
@pytest.mark.parametrize("changes", VALID.values(), ids=VALID)
def test_a_valid_event_is_accepted(changes: dict[str, Any], profile: str) -> None:
    assert is_accepted(json.dumps(event(changes)).encode(), profile)


@pytest.mark.parametrize("changes", VALID.values(), ids=VALID)
def test_a_valid_event_is_written_as_it_was_read(changes: dict[str, Any]) -> None:
    value = cloudevents.decode(json.dumps(event(changes)).encode())
    assert json.loads(cloudevents.encode(value)) == event(changes)


def test_times_of_one_instant_are_equal() -> None:
    times = [changes["time"] for name, changes in VALID.items() if "WithTime" in name]
    mapping = cloudevents.names.mapping(None, {})
    bodies = {
        json.loads(
            cloudevents.to_canonical(Frame(event({"time": time, "data": {}}), b"{}"), RECEIPT, mapping=mapping).body  # type: ignore[arg-type]
        )["meta"]["created_at"]
        for time in times
    }
    assert len(times) == 4
    assert bodies == {1_522_949_460_000}


TOLERATED = ("invalidEmptySubject", "invalidCapitalizedExtension")
"""Cases that a reader accepts with a warning or without, since most SDKs write and read them."""


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_event_is_refused(case: str) -> None:
    raw = json.dumps(event(INVALID[case])).encode()
    assert not is_accepted(raw, "strict")
    assert is_accepted(raw, "compat") == (case in TOLERATED)


@pytest.mark.parametrize("case", [case for case in INVALID if case not in TOLERATED])
def test_an_invalid_event_becomes_no_envelope(case: str) -> None:
    raw = json.dumps(event({"time": TIME, "data": {}} | INVALID[case])).encode()
    with pytest.raises(WireError) as refused:
        cloudevents.to_canonical(Frame(cloudevents.decode(raw), raw), RECEIPT)
    assert refused.value.code in cloudevents.CODES


@pytest.mark.parametrize("changes, accepted", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("whole", [False, True], ids=["on a line", "as a file"])
def test_events_of_a_batch_are_accepted_one_by_one(changes: list[Any], accepted: list[bool], whole: bool) -> None:
    raw = json.dumps([event(one) for one in changes], indent=1 if whole else None).encode()
    assert [is_accepted(part) for part, _ in cloudevents.divide(raw)] == accepted
    found = list(frames(cloudevents.decoder(whole=whole), [raw]))
    valid = [isinstance(one, Frame) and not _errors(one.value) for one in found]
    assert valid == accepted


def _errors(value: Any) -> list[Any]:
    return [found for found in cloudevents.validate(value) if found.severity == Severity.ERROR]


KAFKA = {
    "specversion": "1.0",
    "id": "1234-1234-1234",
    "type": "com.example.someevent",
    "source": "/mycontext/subcontext",
    "time": "2018-04-05T03:56:24Z",
    "datacontenttype": "application/json",
}


@pytest.mark.parametrize(
    "headers, body",
    [
        pytest.param(
            [
                *((f"ce_{name}", text.encode()) for name, text in KAFKA.items() if name != "datacontenttype"),
                ("content-type", b"application/json"),
            ],
            {"message": "Hello World!"},
            id="Binary content mode",
        ),
        *(
            pytest.param(
                [("content-type", content_type.encode())],
                {**KAFKA, "data": {"message": "Hello World!"}},
                id=f"Structured content mode ({content_type})",
            )
            for content_type in ("application/cloudevents+json", "application/cloudevents+json; charset=utf-8")
        ),
    ],
)
def test_a_message_of_kafka_has_the_attributes_and_data(headers: list[tuple[str, bytes | None]], body: Any) -> None:
    value = cloudevents.decode(pack(headers, json.dumps(body, indent=2).encode()))
    assert value == {**KAFKA, "data": {"message": "Hello World!"}}
