"""Commands run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from babelreg.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """A function that runs a command; it returns the exit code, and what was printed on stdout and stderr."""

    def babelreg(*args: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return babelreg


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[int], Path]:
    """A function that returns a folder with a registry of one message, and so many recorded ones in ``in/a``."""

    def make(messages: int) -> Path:
        urn = "urn:babel:orders:created"
        (tmp_path / "registry" / "orders").mkdir(parents=True)
        (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\n")
        (tmp_path / "registry" / "orders" / "_context.yaml").write_text("owner: team-orders\n")
        schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
        message = {"urn": urn, "kind": "event", "data": schema}
        (tmp_path / "registry" / "orders" / "created.yaml").write_text(json.dumps(message))
        lines = []
        for number in range(messages):
            meta = {"id": f"a{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
            envelope = {"job": urn, "trace_id": "t", "data": {"id": number}, "meta": meta, "attempts": 0}
            lines.append(json.dumps(envelope) + "\n")
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a").write_text("".join(lines))
        return tmp_path

    return make
