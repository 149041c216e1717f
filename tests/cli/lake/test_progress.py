"""What a terminal and a log see of a run."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest

from babelreg.cli.lake.progress import Progress
from babelreg.cli.shared.registry_options import note_once


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def show(steps: list[tuple[float, str]], *, terminal: bool) -> str:
        monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
        monkeypatch.setenv("COLUMNS", "40")
        clock = Clock()
        with Progress(clock) as progress:
            for seconds, step in steps:
                clock.now += seconds
                (progress.tell if step.endswith("!") else progress.show)(step.rstrip("!"))
        return capsys.readouterr().err

    return show


def test_a_log_gets_a_line_every_ten_seconds(run: Callable[..., str]) -> None:
    steps = [
        (0, "validating 99.0 MB!"),
        *((1, f"validating 99.0 MB: {n} MB") for n in range(1, 26)),
        (0, "writing 3 tables!"),
    ]
    assert run(steps, terminal=False) == "validating 99.0 MB: 10 MB\nvalidating 99.0 MB: 20 MB\n"


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([(0, "validating 99.0 MB!"), (9, "validating 99.0 MB: 9 MB")], id="a short run"),
        pytest.param(
            [(0, "validating 0.1 MB!"), (99, "validating 0.1 MB: 0.1 MB")], id="a small one, however slow the machine"
        ),
        pytest.param([(0, "waiting for more!"), (99, "waiting for more, 99 s")], id="nothing to do"),
    ],
)
def test_a_log_gets_nothing_of(steps: list[tuple[float, str]], run: Callable[..., str]) -> None:
    assert run(steps, terminal=False) == ""


@pytest.mark.parametrize("terminal, shown", [(True, "\r\x1b[Kreading the registry …\r\x1b[K"), (False, "")])
def test_what_comes_before_a_run_is_shown_on_a_terminal_alone(
    terminal: bool, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with Progress() as progress:
        progress.wait("reading the registry")
    assert capsys.readouterr().err == shown


def test_a_terminal_gets_one_line_that_fits(run: Callable[..., str]) -> None:
    shown = run([(0, "validating 99.0 MB!"), (1, "x" * 100 + "\x1b[2J")], terminal=True)
    lines = shown.split("\r\x1b[K")
    assert lines == ["", "validating 99.0 MB …", "x" * 37 + " …", ""]


def test_a_note_stands_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with click.Context(click.Command("ingest")), Progress() as progress:
        progress.wait("reading the registry")
        note_once("using shop/ (the only registry below this folder)")
    assert "\r\x1b[Kreading the registry …\r\x1b[Kusing shop/ (the only" in capsys.readouterr().err
