"""Damaged recordings: `infer` counts each kind of damage as `lake ingest` does."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from inferred import envelope

from babelreg.contract.parse import MAX_BYTES
from babelreg.lake import dataset
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.traffic.run import read_traffic
from babelreg.wire.length_frames import frame

GOOD = envelope(1, {"id": 1})


def changed(**members):
    body = json.loads(GOOD)
    for name, value in members.items():
        if value is None:
            del body[name]
        else:
            body[name] = value
    return json.dumps(body).encode()


DAMAGE = {
    "a cut-off line": GOOD[:-9],
    "another encoding": GOOD.replace(b'"t"', b'"\xfc"'),
    "UTF-16": "{}".encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + GOOD,
    "a list": b"[" + GOOD + b"]",
    "a text": b'"x"',
    "NaN": GOOD.replace(b'"id": 1', b'"id": NaN'),
    "two documents": GOOD + GOOD,
    "a depth of 100,000": b'{"data":' + b"[" * 100_000,
    "a closed depth of 100,000": GOOD.replace(b'{"id": 1}', b"[" * 100_000 + b"]" * 100_000),
    "a line that is too large": b'{"job":"' + b"x" * (MAX_BYTES + 9) + b'"}',
    "no URN": changed(job=None),
    "no meta": changed(meta=None),
    "meta as a text": changed(meta="x"),
    "an older envelope": changed(meta={**json.loads(GOOD)["meta"], "schema_version": 9}),
    "a number beyond doubles": GOOD.replace(b'"id": 1', b'"id": 1e999'),
    "an unpaired surrogate": GOOD.replace(b'"id": 1', rb'"id": "\ud800"'),
}


@pytest.fixture(autouse=True)
def registry(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    assert run("init", "registry", "--empty")[0] == 0
    Path("in/good.jsonl").write_bytes(b"\n".join(envelope(number, {"id": number}) for number in range(2, 30)))
    assert run("infer", "in", "--registry", "registry", "--owner", "t", "--status", "active")[0] == 0


def refused(run):
    """Return what `infer` and what `lake ingest` refuse in the same folder, by reason."""
    code, _, err = run("infer", "in", "--registry", "registry", "--dry-run")
    assert code == 0, err
    (line,) = [line for line in err.splitlines() if re.match(r"[0-9,]+ messages?:", line)]
    by_infer = {name: int(count) for count, name in re.findall(r", (\d+) ([a-z_0-9]+)", line)}
    code, out, err = run(
        "lake", "ingest", "--input", "in", "--lake", "lake", "--registry", "registry", "--format", "json"
    )
    assert code in (0, 1), err
    summary = json.loads(out)
    assert int(line.split()[0]) == summary["read"]
    return by_infer, summary["reasons"]


def test_each_kind_of_damage_counts_as_in_an_ingest(run):
    """In lines, in packed lines and in frames, which are read one by one after one ingest of all."""
    for number, body in enumerate(DAMAGE.values()):
        lines = [body, envelope(40, {"id": 1}), body]
        Path(f"in/{number}.jsonl").write_bytes(b"\n".join(lines))
        Path(f"in/{number}-packed.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines), 1))
        Path(f"in/{number}.frames").write_bytes(b"".join(map(frame, lines)))
    _, total = refused(run)
    rows = dataset("lake", "quarantine").to_table(columns=["source_file", "reason"]).to_pylist()
    by_file = Counter((row["source_file"], row["reason"]) for row in rows)
    assert sum(total.values()) == len(rows) == 2 * 3 * len(DAMAGE)
    different = {}
    with LocalEngine(1) as engine:
        for number, kind in enumerate(DAMAGE):
            for name in (f"{number}.jsonl", f"{number}-packed.jsonl.gz", f"{number}.frames"):
                found = dict(read_traffic(engine, [Path("in", name)]).traffic.refused)
                # An unpaired surrogate is in a readable envelope: only its data is refused.
                expected = {
                    reason: count
                    for (file, reason), count in by_file.items()
                    if file == name and reason != "not_checkable"
                }
                if found != expected:
                    different[kind, name] = (found, expected)
    assert different == {}


HALF = rb"\ud800"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(GOOD.replace(b'"id": 1', b'"id": "%b"' % HALF), id="in a text"),
        pytest.param(GOOD.replace(b'"id": 1', b'"id": 1, "%b": 1' % HALF), id="in a name"),
        pytest.param(GOOD.replace(b'"q1"', b'"%b"' % HALF), id="in a queue"),
        pytest.param(GOOD.replace(b"urn:babel:a:b", b"urn:babel:a:%b" % HALF), id="in a URN"),
    ],
)
def test_half_a_surrogate_pair_is_in_no_file(run, body):
    Path("in/bad.jsonl").write_bytes(body)
    code, _, err = run("infer", "in/bad.jsonl", "--registry", "registry", "--owner", "t", "--sketch", "a.sketch")
    assert code == 0, err
    assert "1 message: 1 readable" in err
    code, _, err = run("infer", "a.sketch", "in", "--registry", "registry", "--owner", "t")
    assert code == 0, err
    assert run("lint", "--registry", "registry", "--fail-on", "error")[0] == 0


def test_blank_lines_and_carriage_returns_are_no_messages(run):
    Path("in/bad.jsonl").write_bytes(b"\n\n \t\n" + GOOD + b"\r\n\r\n{\n")
    by_infer, by_ingest = refused(run)
    assert by_infer == by_ingest == {"invalid_json": 1}


LINES = b"\n".join(envelope(number, {"id": number}) for number in range(50, 90)) + b"\n{\n"


@pytest.mark.parametrize(
    "name, content",
    [
        pytest.param("cut.jsonl.gz", gzip.compress(LINES)[:-40], id="a gzip file that is cut off"),
        pytest.param(
            "cut.jsonl.zst", pa.compress(LINES, codec="zstd", asbytes=True)[:-20], id="a zstd file that is cut off"
        ),
        pytest.param("bad.jsonl.gz", b"\x1f\x8b\x08" + b"\xff" * 40, id="no gzip file, but for its first bytes"),
        pytest.param("twice.jsonl.gz", gzip.compress(LINES) * 2, id="two gzip files in one"),
        pytest.param("cut.frames", b"".join(map(frame, LINES.splitlines()))[:-1], id="a frame that is cut off"),
        pytest.param("bad.frames", frame(GOOD) + b"\xff" * 9, id="a frame of an impossible length"),
        pytest.param("empty.jsonl.gz", b"", id="an empty file"),
    ],
)
def test_a_damaged_file_is_reported_as_in_an_ingest(run, name, content):
    """An ingest takes nothing of a folder with a damaged file; `infer` counts the other files, and fails too."""
    Path("in", name).write_bytes(content)
    code, _, err = run("infer", "in", "--registry", "registry", "--dry-run")
    command = ("lake", "ingest", "--input", "in", "--lake", "lake", "--registry", "registry", "--format", "json")
    ingested, out, told = run(*command)
    (line,) = [line for line in err.splitlines() if re.match(r"[0-9,]+ messages?:", line)]
    if ingested == 2:
        assert code == 2
        assert all(f"babelreg: error: in/{name}" in text for text in (err, told))
        assert int(line.split()[0]) >= 28
    else:
        by_infer = {reason: int(count) for count, reason in re.findall(r", (\d+) ([a-z_0-9]+)", line)}
        summary = json.loads(out)
        assert (int(line.split()[0]), by_infer) == (summary["read"], summary["reasons"])


MEASURED = (
    "import sys\n"
    "from babelreg.cli import main\n"
    "try:\n"
    "    main(['infer', sys.argv[1], '--registry', 'registry', '--dry-run'])\n"
    "finally:\n"
    "    status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
    "    print('peak', int(status['VmHWM'].split()[0]) // 1024)\n"
)


def peak_megabytes(source, **options):
    """Return the peak memory of `infer` on ``source`` in a process of its own, and its errors."""
    command = [sys.executable, "-c", MEASURED, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    return int(done.stdout.split("peak ")[1]), done.stderr


@pytest.mark.long
def test_a_million_names_in_one_object_are_a_map(run):
    values = ",".join(f'"n{number}":1' for number in range(1_000_000))
    Path("in/wide.jsonl").write_bytes(GOOD.replace(b'{"id": 1}', b'{"id": 1, "wide": {%b}}' % values.encode()))
    peak, _ = peak_megabytes("in/wide.jsonl")
    assert peak < 800
    code, out, err = run("infer", "in", "--registry", "registry")
    assert (code, out) == (0, "registry/a/b.yaml\n"), err
    text = Path("registry/a/b.yaml").read_text()
    assert "wide: {type: object, additionalProperties: {type: integer" in text
    assert len(text) < 2_000


@pytest.mark.long
def test_a_line_of_a_gigabyte_is_one_message_in_bounded_memory():
    """Through a pipe: nothing holds the line."""
    script = (
        "import sys\n"
        "write = sys.stdout.buffer.write\n"
        'write(b\'{"job":"\')\n'
        "for _ in range(1024): write(b'x' * 1048576)\n"
        "write(b'\"}\\n{\\n')\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as writer:
        peak, err = peak_megabytes("-", stdin=writer.stdout)
    assert "2 messages: 0 readable, 1 invalid_json, 1 too_large" in err
    assert peak < 400
