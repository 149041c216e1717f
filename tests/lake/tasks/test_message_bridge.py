"""Foreign messages on the workers: the same envelope from every attempt, and refusals without secrets."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import foreign

from babelreg.lake.message_source import MessageChunk, Origin
from babelreg.lake.tasks.message_bridge import MessageBridge
from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.lake.tasks.staged_segments import REFUSED
from babelreg.lake.tasks.staging_writer import TaskWriter
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.wire.formats import flowlayer, phpmq
from babelreg.wire.formats.phpmq.models import Acknowledgement, MessageClientToServer

pytestmark = pytest.mark.spark

BRIDGE = MessageBridge(
    {
        "phpmq": {("queues", "Mails"): foreign.MAIL},
        "strata": {("Orders", "createOrder", "request"): foreign.CREATE},
    }
)
MAIL = phpmq.encode(MessageClientToServer(b"Mails", b"Hello World", 60).packets())
EVENT = flowlayer.encode({"type": "event", "name": "log", "payload": {"entry": {"seq": 1}}})


def origin(wire: str, fingerprint: str = "f") -> Origin:
    return Origin(wire, fingerprint, 1_000, "mtime")


@pytest.mark.parametrize("wire, raw", [("phpmq", MAIL), ("flowlayer", EVENT), ("strata", foreign.request("A" * 20, 1))])
def test_every_attempt_makes_the_same_envelope(wire: str, raw: bytes) -> None:
    first = BRIDGE.envelope(raw, 7, "00000001/a", origin(wire))
    assert isinstance(first, bytes)
    assert BRIDGE.envelope(raw, 7, "00000002/b", origin(wire)) == first


@pytest.mark.parametrize("wire, raw", [("phpmq", MAIL), ("flowlayer", EVENT)])
def test_equal_messages_at_two_positions_or_of_two_files_are_two(wire: str, raw: bytes) -> None:
    places = [(0, origin(wire)), (9, origin(wire)), (0, origin(wire, "g"))]
    assert len({BRIDGE.envelope(raw, offset, "a", source) for offset, source in places}) == 3


@pytest.mark.parametrize(
    "wire, raw, reason, body",
    [
        pytest.param("phpmq", phpmq.encode(Acknowledgement(b"Mails", b"7").packets()), "control_message", None,
                     id="a control message"),
        pytest.param("phpmq", MAIL + b"H", "trailing_bytes", None, id="a frame with more than one message"),
        pytest.param("flowlayer", b'{"type":"command","id":"1","name":"A b"}', "unmapped_name", None, id="no URN"),
        pytest.param("strata", b'{"auth":"S3CRET","id":1}', "missing_message_type", b'{"auth":"***","id":1}',
                     id="a secret in a message with defects"),
        pytest.param("strata", b'{"auth":"S3CRET",', "invalid_json", b'{"auth":"***",', id="a secret in a broken message"),
    ],
)  # fmt: skip
def test_what_is_no_envelope_is_refused_without_secrets(wire: str, raw: bytes, reason: str, body: bytes | None) -> None:
    row = BRIDGE.envelope(raw, 7, "a", origin(wire))
    assert isinstance(row, RefusedRow)
    assert (row.source_file, row.source_offset, row.reason) == ("a", 7, reason)
    assert row.body == (raw if body is None else body)
    assert b"S3CRET" not in repr(row).encode()
    again = BRIDGE.envelope(row.body, 7, "a", origin(wire))
    assert again == row  # as a redrive finds it


def test_rows_have_the_position_and_the_size_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    spec = ValidationSpec.of(foreign.schemas(), mappings={"phpmq": {("queues", "Mails"): foreign.MAIL}})
    carried = [phpmq.encode(MessageClientToServer(b"q", foreign.envelope(n, f"o{n}"), 0).packets()) for n in (1, 2**63)]
    with TaskWriter(spec, tmp_path) as writer:
        writer.add(MessageChunk("00000001/a", [MAIL, *carried], [0, 200, 900], origin("phpmq")))
    assert sorted(segment.rows for _, segment in writer.segments) == [1, 1, 1]
    assert writer.messages == 3
    (refused,) = [segment for table_id, segment in writer.segments if table_id == REFUSED]
    assert refused.offset == 900
    assert carried[1] in Path(refused.path).read_bytes()
    (ids,) = writer.ids
    with pa.memory_map(str(ids)) as file:
        sizes = pa.ipc.open_file(file).read_all()["size"].to_pylist()
    assert sorted(sizes) == sorted([len(MAIL), len(carried[0])])
