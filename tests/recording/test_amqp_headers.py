"""Headers come into a recording where a wire format reads them, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from babelreg.recording.amqp_headers import recorded_message
from babelreg.runtime.bytes.frame_files import FrameFiles
from babelreg.sources.recorded_messages import framed
from babelreg.wire.formats import cloudevents
from babelreg.wire.message_headers import PackedMessage, has_headers

ATTRIBUTES = {"cloudEvents:specversion": "1.0", "cloudEvents:id": "1", "cloudEvents:source": "/s", "cloudEvents:type": "urn:a",
              "cloudEvents:shard": 5, "cloudEvents:hot": True, "x-death": [{"count": 1}], "raw": b"\xff"}  # fmt: skip


@pytest.mark.parametrize(
    "headers, content_type, packed",
    [
        pytest.param(ATTRIBUTES, "application/json", True, id="binary mode"),
        pytest.param(None, "application/cloudevents+json; charset=utf-8", True, id="structured mode"),
        pytest.param({"x-retry": 1}, "application/json", False, id="headers of an application"),
        pytest.param({"bq-job": "urn:a"}, None, False, id="headers of BabelQueue"),
        pytest.param(None, None, False, id="none"),
    ],
)
def test_headers_that_a_format_reads_are_recorded(headers: Any, content_type: str | None, packed: bool) -> None:
    message = recorded_message(b'{"x":1}', headers, content_type)
    assert isinstance(message, PackedMessage) == packed
    assert packed == has_headers(message)
    assert packed or message == b'{"x":1}'


def test_a_recording_gives_the_event_again(tmp_path: Path) -> None:
    files = FrameFiles(tmp_path, "q")
    files.prepare()
    files.append([b"plain", recorded_message(b'{"x":1}', ATTRIBUTES, "application/json"), b"last"])
    files.complete()
    (path,) = files.completed
    with framed(path) as messages:
        assert [body for body, _ in messages] == [b"plain", b'{"x":1}', b"last"]
    with framed(path, headers=True) as messages:
        _, (event, _), _ = messages
    value = cloudevents.decode(event)
    assert (value["id"], value["shard"], value["hot"], value["data"]) == ("1", "5", "true", {"x": 1})
