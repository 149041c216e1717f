from __future__ import annotations

import pytest

from babelreg.errors import UsageError
from babelreg.report import STYLES, render


@pytest.mark.parametrize("style", STYLES)
def test_every_style_renders_nothing(style: str) -> None:
    assert isinstance(render([], style), str)


def test_an_unknown_style_names_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        render([], "xml")
    assert caught.value.fix is not None
    assert caught.value.fix.startswith("--format text|json|jsonl|github|sarif|junit|gitlab|markdown")
