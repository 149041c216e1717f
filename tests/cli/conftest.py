"""Commands run in this process."""

from __future__ import annotations

from collections.abc import Callable

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
