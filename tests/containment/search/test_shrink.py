from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.containment.search.shrink import shrunk


@pytest.mark.parametrize(
    "document, holds, small",
    [
        pytest.param({"a": 1, "b": [1, 2, 3]}, lambda d: "b" in d, {"b": 0}, id="one property is enough"),
        pytest.param([5, 6, 7], lambda d: 6 in d, [6], id="one item is enough"),
        pytest.param("aaaaaaaa", lambda d: isinstance(d, str) and len(d) > 2, "aaa", id="a shorter text"),
        pytest.param(
            {"a": {"b": {"c": "long text"}}}, lambda d: bool(d["a"]["b"]["c"]), {"a": {"b": {"c": 1}}}, id="deep"
        ),
        pytest.param(3.0, lambda d: d == 3, 3, id="a plainer number"),
        pytest.param(True, lambda d: d is True, True, id="nothing to gain"),
    ],
)
def test_shrunk(document: Any, holds: Callable[[Any], bool], small: Any) -> None:
    def safely(smaller: Any) -> bool:
        try:
            return holds(smaller)
        except (TypeError, KeyError):
            return False

    before = repr(document)
    assert repr(shrunk(document, safely)) == repr(small)
    assert repr(document) == before


def test_steps_are_bounded() -> None:
    asked = []
    shrunk({f"p{i}": i for i in range(100)}, lambda smaller: bool(asked.append(smaller)), steps=50)
    assert len(asked) == 50
