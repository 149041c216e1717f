"""Any bytes, any end of a pipe: an exit code of ours and no traceback."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ENVELOPE, PHPMQ, STRATA, lines

Run = Callable[..., tuple[int, bytes, str]]
PROGRAM = [sys.executable, "-m", "babelreg"]
GOOD = [PHPMQ, lines(STRATA), lines(ENVELOPE), lines({"type": "ack", "id": "c", "payload": {"accepted": True}}),
        lines({"message": STRATA}), lines({"message": {"type": "002", "queue": "q", "count": 5}})]  # fmt: skip
SCRAPS = [b"\n", b"\r\n", b"{", b"}", b'"', b"\\", b"\xff", b"\0", b"H01", b"P01", b"9" * 29, b"-", b"null", b"1e999", b"NaN",
          b"[" * 2000, b'{"a":' * 2000, b'"\\ud800"', b"\xed\xa0\x80", b"9" * 5000, b'"raw_base64":"=",', b"\x1b[2J"]  # fmt: skip
COMMANDS = [
    ["decode", "--wire", "{}"], ["decode", "--whole", "--wire", "{}"], ["decode", "--compat", "--wire", "{}"],
    ["encode", "--wire", "{}"], ["encode", "--canonical", "--wire", "{}"], ["validate", "--wire", "{}"],
    ["validate", "--strict", "--wire", "{}"], ["validate", "--whole", "--format", "json", "--wire", "{}"],
    ["convert", "--wire", "{}"], ["convert", "--to", "strata", "--wire", "{}"], ["convert", "--to", "phpmq", "--wire", "{}"],
    ["convert", "--to", "flowlayer", "--wire", "{}"], ["convert", "--compat", "--wire", "{}"],
]  # fmt: skip


def damaged(chance: random.Random) -> bytes:
    raw = bytearray(b"".join(chance.choices(GOOD, k=chance.randrange(1, 4))))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(raw) + 1)
        if chance.random() < 0.3:
            del raw[at : at + chance.randrange(30)]
        elif chance.random() < 0.5 and at < len(raw):
            raw[at] = chance.randrange(256)
        else:
            raw[at:at] = chance.choice(SCRAPS)
    return bytes(raw)


@pytest.mark.parametrize("name", ["babelqueue", "flowlayer", "phpmq", "strata"])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_any_bytes(words: list[str], name: str, wire: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BABELREG_REGISTRY", raising=False)
    chance = random.Random(f"{words}{name}")
    for _ in range(25):
        code, _, err = wire("wire", *(word.format(name) for word in words), given=damaged(chance))
        assert code in (0, 1), err
        assert "Traceback" not in err
        assert "\x1b" not in err


@pytest.mark.parametrize("name", ["flowlayer", "phpmq", "strata"])
def test_any_bytes_against_a_registry(name: str, wire: Run, registry: Path) -> None:
    chance = random.Random(name)
    for _ in range(40):
        code, _, err = wire("validate", "--wire", name, "--registry", registry, given=damaged(chance))
        assert code in (0, 1), err


@pytest.mark.parametrize(
    "words", [["decode"], ["convert", "--to", "phpmq"], ["validate", "--format", "jsonl"]], ids=" ".join
)
def test_a_reader_that_has_enough_is_no_error(words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_bytes((lines(STRATA) + b"{\n") * 20_000)
    program = [*PROGRAM, "wire", *words, "--wire", "strata", str(file)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tmp_path) as running:
        assert running.stdout is not None
        assert running.stdout.read(10)
        running.stdout.close()
        assert running.wait(120) == 0


@pytest.mark.parametrize("words", [["decode"], ["convert"], ["validate"]], ids=" ".join)
def test_ctrl_c_ends_with_one_line(words: list[str], tmp_path: Path) -> None:
    program = [*PROGRAM, "wire", *words, "--wire", "strata"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(lines({"id": 5}) if words == ["validate"] else lines(STRATA))
        running.stdin.flush()
        assert running.stdout.readline()  # output is not held back until the pipe ends
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        assert running.stderr.read() == b"babelreg: stopped\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", [["decode"], ["encode"], ["convert"]], ids=" ".join)
def test_a_full_disk_is_an_error_of_use(words: list[str], tmp_path: Path) -> None:
    given = lines({"message": STRATA}) if words == ["encode"] else lines(STRATA)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "wire", *words, "--wire", "strata"],
            input=given, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_memory_does_not_grow_with_the_stream(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from babelreg.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0], file=sys.stderr)\n"
    )
    content = b"x" * 65_000
    message = b"H0100103P01%029dfooP02%029d%sP05%029d0" % (3, len(content), content, 1)
    peaks = []
    for count in (50, 1500):
        file = tmp_path / "many.bin"
        file.write_bytes(message * count)
        done = subprocess.run(
            [sys.executable, "-c", program, "wire", "decode", "--wire", "phpmq", str(file)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True,
        )  # fmt: skip
        peaks.append(int(done.stderr.split()[-1]))
    assert peaks[1] < peaks[0] + 16_384  # KiB; the second stream has 97 MB


def test_records_are_ascii_lines_or_utf8(wire: Run) -> None:
    given = '{"type":"event","name":"é"}\n{"type":"event","name":"\\ud83d"}\n'.encode()
    out = wire("wire", "decode", "--wire", "flowlayer", given=given)[1]
    assert [json.loads(line)["message"]["name"] for line in out.splitlines()] == ["é", "\ud83d"]
