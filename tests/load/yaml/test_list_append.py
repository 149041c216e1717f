from __future__ import annotations

import pytest

from babelreg.load.yaml.edits import append
from babelreg.load.yaml.emitter import EditError


@pytest.mark.parametrize(
    "text, item, new",
    [
        pytest.param("a: [x, y]  # who\nb: 1\n", "z", "a: [x, y, z]  # who\nb: 1\n", id="in brackets"),
        pytest.param("a: []\nb: 1\n", "z", "a: [z]\nb: 1\n", id="the first one"),
        pytest.param(
            "a:\n  - x  # one\n  - y  # two\nb: 1\n", "z", "a:\n  - x  # one\n  - y  # two\n  - z\nb: 1\n", id="lines"
        ),
        pytest.param("a:\n- x", "z", "a:\n- x\n- z", id="without indent, and without a last line break"),
        pytest.param("a:\r\n  - x\r\nb: 1\r\n", "z", "a:\r\n  - x\r\n  - z\r\nb: 1\r\n", id="CRLF"),
        pytest.param(
            "a:\n  - urn: u\n    reads: [x]\n# end\n",
            {"urn": "urn:babel:a:b"},
            "a:\n  - urn: u\n    reads: [x]\n  - urn: urn:babel:a:b\n# end\n",
            id="a mapping behind a mapping of two lines",
        ),
        pytest.param("a:\n  - x\n\n\nb: 1\n", "z", "a:\n  - x\n  - z\n\n\nb: 1\n", id="before blank lines"),
        pytest.param("a:\n  - [x,\n     y]\n", "z", "a:\n  - [x,\n     y]\n  - z\n", id="behind an item of two lines"),
        pytest.param("a: [x]\n", "a: b", 'a: [x, "a: b"]\n', id="text that needs quotes"),
        pytest.param("a: [x,\n    y,\n]\n", "z", "a: [x,\n    y, z,\n]\n", id="in brackets over lines, with a comma"),
    ],
)
def test_an_item_is_laid_out_like_those_before_it(text, item, new):
    assert append(text, ("a",), item) == new


@pytest.mark.parametrize(
    "text",
    ["a: 1\n", "b: [x]\n", "a: [x\n", "a:\n  -\n    - x\n  - - y\n"],
    ids=["no list", "nothing", "no YAML", "nested"],
)
def test_what_cannot_be_made_longer_is_refused(text):
    with pytest.raises(EditError):
        append(append(text, ("a", 1), "z") if "- -" in text else text, ("a",) if "- -" not in text else ("a", 1), "z")
