"""Messages without an envelope, with typed data, by the paths that the settings name."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from generated import write_package

from babelreg import load
from babelreg.load.files.tree import Memory

URN = "urn:babel:web:page.clicked"
SCHEMA = {"type": "object", "required": ["page"], "properties": {"page": {"type": "string"}}}
MESSAGE = {"urn": URN, "kind": "event", "status": "active", "data": SCHEMA}
BLOCKS = {
    "nested": "{urn: {field: meta.type}, id: meta.id, time: ts, data: payload}",
    "flat": "{urn: {field: type}, id: id}",
    "topic": "{urn: {topic: true}}",
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    for name, block in BLOCKS.items():
        schema = SCHEMA if name != "flat" else {**SCHEMA, "properties": {"page": {}, "type": {}, "id": {}}}
        files = {
            "babelreg.yaml": f"version: 1\nwires: {{json: {block}}}\n".encode(),
            "web/_context.yaml": b"owner: team\n",
            "web/page.clicked.yaml": json.dumps({**MESSAGE, "data": schema}).encode(),
        }
        write_package(folder, load.from_tree(Memory(files)), {"wire": "json", "package": f"json_{name}"})
    return folder


@pytest.fixture
def package(generated: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    monkeypatch.syspath_prepend(str(generated))
    return importlib.import_module(f"json_{request.param}")


@pytest.mark.parametrize(
    "package, expected",
    [
        pytest.param("nested", {"meta": {"type": URN, "id": "7"}, "ts": "2026-11-14T10:00:00Z", "payload": {"page": "/"}}, id="nested"),
        pytest.param("flat", {"page": "/", "type": URN, "id": "7"}, id="flat"),
        pytest.param("topic", {"page": "/"}, id="topic"),
    ],
    indirect=["package"],
)  # fmt: skip
def test_a_message_there_and_back(package: ModuleType, expected: dict[str, Any]) -> None:
    codec = package.WebPageClickedCodec()
    message = codec.message_of(package.WebPageClicked(page="/"), id="7", time="2026-11-14T10:00:00Z")
    assert message == expected
    reader = package.Reader()
    item = reader.message(package.encode(message), URN if "type" not in json.dumps(expected) else None)
    received = codec.received(item)
    assert (received.data.page, received.message) == ("/", expected)


@pytest.mark.parametrize("package", ["nested"], indirect=True)
@pytest.mark.parametrize(
    "body, code",
    [
        pytest.param(b"{", "invalid_json", id="no JSON"),
        pytest.param(b"[]", "root_not_an_object", id="a list"),
        pytest.param(b'{"meta":{"type":"urn:babel:web:page.clicked"}}', "data_not_an_object", id="no data"),
        pytest.param(
            b'{"meta":{"type":"urn:babel:web:page.clicked"},"payload":{}}', "missing_required", id="wrong data"
        ),
    ],
)
def test_a_wrong_message_is_refused(package: ModuleType, body: bytes, code: str) -> None:
    reader = package.Reader()
    for refused in (reader.message(body), *reader.feed(body + b"\n")):
        assert isinstance(refused, package.Refused)
        assert refused.code == code
        assert package.answer(refused) is None


@pytest.mark.parametrize("package", ["nested"], indirect=True)
def test_other_messages_are_the_wires_own(package: ModuleType) -> None:
    assert package.Reader().message(b'{"meta":{"type":"Other"}}') == {"meta": {"type": "Other"}}
    assert package.Reader().message(b'{"meta":5}') == {"meta": 5}
