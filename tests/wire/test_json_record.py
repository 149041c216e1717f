"""Records of messages that JSON writers refuse."""

from __future__ import annotations

import pytest

from babelreg.wire.format import frames
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.json_record import frame_bytes, parse_record, record, record_line


@pytest.mark.parametrize(
    "member",
    [
        pytest.param('"x":1e999,"s":"beyond doubles+"', id="a number beyond doubles"),
        pytest.param('"x":1e-99999,"s":"beyond doubles+"', id="a number next to zero"),
        pytest.param('"x":[{"y":-1e400}],"s":"Infinity"', id="one below them"),
        pytest.param('"s":"\\ud800","x":1e400', id="an unpaired surrogate beside one"),
    ],
)
def test_a_record_gives_the_same_bytes(member):
    raw = (
        '{"job":"urn:babel:a:b","trace_id":"t","data":{},"meta":{"id":"i","queue":"q","lang":"php","schema_version":1,'
        f'"created_at":1}},"attempts":0,{member}}}'
    ).encode()
    wire = FORMATS["babelqueue"]
    (frame,) = frames(wire.decoder(), [raw])
    line = record_line(record(wire, frame))
    assert b"Infinity" not in line.replace(b'"Infinity"', b"")
    assert frame_bytes(wire, parse_record(line, 1 << 20)) == raw
