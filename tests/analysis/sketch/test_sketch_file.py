"""Files of sketches: rare texts are digests, and damage is found."""

from __future__ import annotations

import stat

import pytest
from inferred import OPTIONS, envelope, traffic

from babelreg.analysis.sketch import sketch_file
from babelreg.errors import InputError

DOCUMENT = {"status": "paid", "lines": [{"sku": "A-1"}], "total": -3, "email": "bob@real.org"}


def bodies(count, status="paid"):
    return [envelope(number, {**DOCUMENT, "status": status}) for number in range(count)]


def texts(sketch):
    return sketch.messages["urn:babel:a:b"].data.members.properties["status"].texts


def test_a_file_names_only_texts_that_were_seen_often(tmp_path):
    sketch = traffic(bodies(sketch_file.MIN_TEXT_COUNT) + bodies(3, "refunded"))
    sketch_file.write(tmp_path / "day.sketch", sketch)
    content = (tmp_path / "day.sketch").read_bytes()
    assert sketch_file.is_sketch(content[:64])
    assert (b"paid" in content, b"refunded" in content, b"bob" in content) == (True, False, False)
    assert stat.S_IMODE((tmp_path / "day.sketch").stat().st_mode) == 0o600


def test_days_add_up_and_a_rare_text_is_known_where_one_day_knows_it(tmp_path):
    days = [bodies(40), bodies(15), bodies(2, "refunded")]
    sketches = []
    for number, day in enumerate(days):
        sketch_file.write(tmp_path / f"{number}.sketch", traffic(day))
        sketches.append(sketch_file.read(tmp_path / f"{number}.sketch", OPTIONS.detectors))
    first = sketches[1]
    first.merge(sketches[2])
    first.merge(sketches[0])
    found = texts(first)
    assert found.pop("paid") == 55
    assert [(name[:1], count) for name, count in found.items()] == [("#", 2)]


@pytest.mark.parametrize(
    "damage, message",
    [
        pytest.param(lambda content: content[:-20], "is not a sketch, or is damaged", id="cut off"),
        pytest.param(lambda content: content.replace(b"paid", b"PAID"), "its digest does not match", id="changed"),
        pytest.param(lambda content: content.replace(b":1,", b":9,", 1), "of version 9", id="another version"),
        pytest.param(lambda content: b"{}", "is not a sketch, or is damaged", id="another document"),
        pytest.param(lambda content: b"\xff" * 9, "is not a sketch, or is damaged", id="no JSON"),
        pytest.param(lambda content: b"[" * 100_000, "is not a sketch, or is damaged", id="deep brackets"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, damage, message):
    path = tmp_path / "day.sketch"
    path.write_bytes(damage(sketch_file.encode(traffic(bodies(25)))))
    with pytest.raises(InputError, match=message) as caught:
        sketch_file.read(path, OPTIONS.detectors)
    assert str(path) in caught.value.message
    assert "babelreg infer" in (caught.value.fix or "")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda traffic: traffic.update(total="x"), id="a count that is a text"),
        pytest.param(lambda traffic: traffic.update(messages=[]), id="a list of messages"),
        pytest.param(lambda traffic: traffic["messages"]["urn:babel:a:b"].pop("data"), id="no data"),
        pytest.param(lambda traffic: traffic["messages"]["urn:babel:a:b"].update(queues=3), id="a number of queues"),
    ],
)
def test_a_forged_file_with_a_right_digest_is_refused_by_name(change):
    import orjson

    content = orjson.loads(sketch_file.encode(traffic(bodies(25))))
    change(content["traffic"])
    body = orjson.dumps(content["traffic"], option=orjson.OPT_SORT_KEYS)
    digest = sketch_file.blake2b(body, digest_size=16).hexdigest()
    forged = b'{"babelreg_sketch":1,"digest":"%b","traffic":%b}\n' % (digest.encode(), body)
    with pytest.raises(InputError, match="is not a sketch, or is damaged"):
        sketch_file.decode(forged, OPTIONS.detectors)
