"""What to do about messages that were refused."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from babelreg.lake.report.advice import Advice, ReportPaths, advised, look, meaning
from babelreg.model import Registry

ORDERS, CUSTOMERS = "urn:babel:orders:created.v2", "urn:babel:customers:registered"
WHERE = ReportPaths("my lake", "reg")


@pytest.mark.parametrize(
    "reason, urn, says, does",
    [
        pytest.param(
            "missing_required", ORDERS, "`reg/orders/created.v2.yaml`", "redrive", id="data: the file that says so"
        ),
        pytest.param("missing_required", None, "its file in the registry", "redrive", id="data of nothing known"),
        pytest.param(
            "unknown_urn", "urn:babel:a:b", "in `reg/a/b.yaml`", "redrive", id="an unknown URN: the file it needs"
        ),
        pytest.param(
            "unknown_urn", "urn:babel:a:1042", "Declare it in the registry", "redrive", id="no file by a number"
        ),
        pytest.param(
            "unknown_urn", "urn:babel:order:created.v2", f"(`{ORDERS}`?)", "redrive", id="a URN that is nearly one"
        ),
        pytest.param("unstorable_integer", ORDERS, "x-spark-type", "redrive", id="no column holds it"),
        pytest.param("missing_meta", None, "SDK", "redrive", id="no envelope"),
        pytest.param(
            "invalid_json", None, "cannot repair bytes", "quarantine", id="bytes are not mended by judging again"
        ),
        pytest.param("id_conflict", ORDERS, "a unique id", "quarantine", id="nor is an id"),
        pytest.param("unmapped_name", None, "`wires:` in `babelreg.yaml`", "redrive", id="a name of a foreign wire"),
        pytest.param("control_message", None, "have no data", "quarantine", id="a message without data"),
        pytest.param("invalid_integer", None, "another `--wire`", "quarantine", id="no message of the wire"),
    ],
)
def test_each_reason_has_its_cure(reason: str, urn: str | None, says: str, does: str, example: Registry) -> None:
    (one,) = advised({reason: urn}, example, WHERE)
    assert says in one.text
    assert shlex.split(one.command)[:3] == ["babelreg", "lake", does]


def test_reasons_with_one_cure_are_told_together(example: Registry) -> None:
    asked = {
        "missing_required": ORDERS,
        "invalid_json": None,
        "wrong_format": CUSTOMERS,
        "not_in_enum": ORDERS,
        "too_deep": None,
    }
    found: list[Advice] = advised(asked, example, WHERE)
    assert [one.reasons for one in found] == [
        ("missing_required", "not_in_enum"),
        ("invalid_json", "too_deep"),
        ("wrong_format",),
    ]
    words = ["babelreg", "lake", "redrive", "--registry", "reg", "--lake", "my lake"]
    assert shlex.split(found[0].command) == [*words, "--reason", "missing_required", "--reason", "not_in_enum"]


@pytest.mark.parametrize("output", ["lake", "it's $HOME\\a lake!"])
def test_the_line_that_shows_messages_shows_them_masked(
    output: str, tmp_path: Path, ingested: object, example: Registry
) -> None:
    ingested(tmp_path / output, example, [b"first", b"[]", b"third"])  # type: ignore[operator]
    line = look(["invalid_json", "too_deep"], ReportPaths(output, None))
    program = line.replace("babelreg", f"{shlex.quote(sys.executable)} -m babelreg", 1)
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 of 3 messages in" in done.stdout
    assert done.stdout.count("xxxxx") == 2
    assert "first" not in done.stdout
    assert "third" not in done.stdout


@pytest.mark.parametrize(
    "reason", ["unmapped_name", "control_message", "missing_member", "missing_id", "invalid_digits"]
)
def test_codes_of_foreign_wires_have_a_meaning(reason: str) -> None:
    assert " " in meaning(reason)
