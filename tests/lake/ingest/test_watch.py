"""A folder that grows, without Spark: which files each look hands over, and when it ends."""

from __future__ import annotations

import gzip
import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError, UsageError
from babelreg.lake import LocalEngine, Summary

watch = importlib.import_module("babelreg.lake.ingest.watch")  # the package has a function of that name
Step = Callable[[Path], object]


def _looks(
    folder: Path, steps: list[Step], monkeypatch: pytest.MonkeyPatch, fails: Exception | None = None
) -> list[list[str]]:
    """The names that each batch got when ``steps`` happen to ``folder``, one before each look."""
    handed: list[list[str]] = []
    stop = threading.Event()
    left = list(steps)

    def ingest_files(session: Any, registry: Any, source: Path, output: Path, names: Any, **options: Any) -> Summary:
        assert options["growing"]
        handed.append(sorted(names))
        if fails:
            raise fails
        return Summary(str(source), str(output), batch=len(handed))

    def wait(seconds: float) -> bool:
        if left:
            left.pop(0)(folder)
        else:
            stop.set()
        return True

    monkeypatch.setattr(watch, "ingest_files", ingest_files)
    monkeypatch.setattr(stop, "wait", wait)
    told: list[Summary] = []
    watch.watch(_Unstarted(), dict, folder, folder, stop=stop, told=told.append)
    assert [one.batch for one in told] == list(range(1, len(handed) + 1))
    return handed


class _Unstarted(LocalEngine):
    """An engine that nothing may start: whoever needs it does."""

    def parallelism(self, size: int | None = None) -> int:
        pytest.fail("the number of tasks starts the engine")

    def start(self) -> None:
        pytest.fail("the engine is started")

    def map(self, *_: Any, **__: Any) -> Any:
        pytest.fail("the engine has work")


def _not_called(*_: Any) -> Any:
    pytest.fail("no batch is begun")


def _put(name: str, content: bytes) -> Step:
    return lambda folder: (folder / name).write_bytes(content)


def _nothing(folder: Path) -> None:
    pass


@pytest.mark.parametrize(
    "steps, handed",
    [
        pytest.param([_nothing, _nothing], [], id="an empty folder is waited at"),
        pytest.param([_put("a", b"{}\n"), _nothing], [["a"]], id="what does not change is handed over once"),
        pytest.param([_put("a", b"{}\n"), _put("a", b"{}\n{}\n")], [["a"], ["a"]], id="what grew, again"),
        pytest.param([_put("a", b"{}\n"), _put("b", b"{}\n")], [["a"], ["a", "b"]], id="a new file"),
        pytest.param([_put(".a", b"{}\n"), _nothing], [], id="a name with a dot is not yet a file"),
        pytest.param(
            [_put("z", gzip.compress(b"{}")[:9]), _put("z", gzip.compress(b"{}"))],
            [],
            id="a packed file that just changed waits",
        ),
        pytest.param(
            [_put("z", gzip.compress(b"{}")), _nothing, _nothing], [["z"]], id="and is read when it is still the same"
        ),
        pytest.param(
            [_put("z", gzip.compress(b"{}")), lambda folder: (folder / "z").rename(folder / "y"), _nothing],
            [["y"]],
            id="also when it has another name by then",
        ),
    ],
)
def test_what_each_look_hands_over(
    steps: list[Step], handed: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _looks(tmp_path, steps, monkeypatch) == handed


def test_an_error_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="overwritten"):
        _looks(tmp_path, [_put("a", b"{}\n"), _nothing], monkeypatch, InputError("overwritten"))


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        _looks(tmp_path / "gone", [_nothing], monkeypatch)


def test_nothing_is_begun_when_it_is_stopped_already(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    _put("a", b"{}\n")(tmp_path)
    watch.watch(_Unstarted(), _not_called, tmp_path, tmp_path / "out", stop=stop, told=_not_called)
