from __future__ import annotations

import io

import pytest

from babelreg.report import colour_wanted


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "stream, environment, wanted",
    [
        pytest.param(Terminal(), {}, True, id="a terminal"),
        pytest.param(io.StringIO(), {}, False, id="a pipe"),
        pytest.param(None, {}, False, id="a closed stream"),
        pytest.param(Terminal(), {"NO_COLOR": "1"}, False, id="a terminal without colours"),
        pytest.param(Terminal(), {"NO_COLOR": ""}, True, id="an empty variable says nothing"),
        pytest.param(Terminal(), {"TERM": "dumb"}, False, id="a dumb terminal"),
        pytest.param(io.StringIO(), {"FORCE_COLOR": "1"}, True, id="a pipe with colours"),
        pytest.param(io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, id="no wins over force"),
    ],
)
def test_colour_wanted(
    stream: io.StringIO | None, environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert colour_wanted(stream) is wanted
