"""Events with typed data: what a codec writes, and what a reader makes of what others write."""

from __future__ import annotations

import importlib
import json
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from generated import write_package

from babelreg import load
from babelreg.load.files.tree import Memory
from babelreg.wire.message_headers import Header

URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "integer", "minimum": 1}}}
FILES = {
    "babelreg.yaml": b"version: 1\nwires: {json: {urn: {field: type}, id: meta.id, time: ts, data: payload}}\n",
    "orders/_context.yaml": b"owner: team\n",
    "orders/created.yaml": json.dumps(
        {"urn": URN, "kind": "event", "status": "active", "data": SCHEMA, "examples": [{"order_id": 7}]}
    ).encode(),
}
EVENT = {"specversion": "1.0", "id": "1", "source": "/s", "type": URN, "data": {"order_id": 7}}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    for wire in ("cloudevents", "json"):
        write_package(folder, load.from_tree(Memory(FILES)), {"wire": wire, "package": f"any_{wire}"})
    return folder


@pytest.fixture
def package(generated: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    monkeypatch.syspath_prepend(str(generated))
    return importlib.import_module(f"any_{getattr(request, 'param', 'cloudevents')}")


@pytest.mark.parametrize("package", ["cloudevents", "json"], indirect=True)
def test_the_docstring_of_a_package_runs(package: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert package.__doc__ is not None
    code = package.__doc__.partition("\n\n")[2].partition("\n\nA reader returns")[0]
    exec(textwrap.dedent(code), {})
    assert "order_id=7" in capsys.readouterr().out


def test_an_event_there_and_back(package: ModuleType) -> None:
    codec = package.OrdersCreatedCodec()
    event = codec.event(package.OrdersCreated(order_id=7), source="/shop", subject="o7", extensions={"shard": 5})
    reader = package.Reader()
    (lines,) = reader.feed(package.encode(event) + b"\n")
    headers, body = package.binary(event)
    for item in (lines, reader.message(package.encode(event)), reader.message(body, headers)):
        received = codec.received(item)
        assert received.data.order_id == 7
        assert (received.message.id, received.message.source, received.message.time) == (event.id, "/shop", event.time)
        assert received.message.extensions["subject"] == "o7"
        assert str(received.message.extensions["shard"]) == "5"


def test_data_is_held_to_its_contract(package: ModuleType) -> None:
    with pytest.raises(package.InvalidDataError):
        package.OrdersCreatedCodec().event(package.OrdersCreated.model_construct(order_id=0), source="/shop")
    with pytest.raises(package.WireError):
        package.encode(package.OrdersCreatedCodec().event(package.OrdersCreated(order_id=1), source="a b"))


HEADERS: list[Header] = [("ce_specversion", b"1.0"), ("ce_id", b"1"), ("ce_source", b"/s"), ("ce_type", URN.encode())]


@pytest.mark.parametrize(
    "body, headers, code",
    [
        pytest.param({**EVENT, "data": {"order_id": 0}}, [], "below_minimum", id="data"),
        pytest.param({**EVENT, "data": None}, [], "missing_required", id="no data"),
        pytest.param({**EVENT, "id": ""}, [], "missing_attribute", id="an attribute"),
        pytest.param({**EVENT, "datacontenttype": "text/xml", "data": "<a/>"}, [], "content_type_not_json", id="XML"),
        pytest.param("x", HEADERS, "not_an_object", id="a text for data"),
        pytest.param({}, [("content-type", b"application/json")], "not_an_event", id="no event"),
        pytest.param([EVENT], [], "batch_not_divided", id="a batch"),
    ],
)
def test_a_wrong_event_is_refused(package: ModuleType, body: Any, headers: list[Header], code: str) -> None:
    refused = package.Reader().message(json.dumps(body).encode(), headers)
    assert isinstance(refused, package.Refused)
    assert refused.code == code
    assert package.answer(refused) is None


def test_an_event_that_the_registry_does_not_have_is_the_wires_own(package: ModuleType) -> None:
    event = package.Reader().message(json.dumps({**EVENT, "type": "com.example.other"}).encode())
    assert isinstance(event, package.CloudEvent)
    assert "order_id" not in repr(event)


def test_a_batch_is_read_one_by_one(package: ModuleType) -> None:
    batch = json.dumps([EVENT, {}, {**EVENT, "id": "2"}]).encode()
    for items in (list(package.Reader().batch(batch)), package.Reader().feed(batch + b"\n")):
        assert [isinstance(item, package.Received) for item in items] == [True, False, True]
