"""Counts with their nouns."""

from __future__ import annotations

import pytest

from babelreg.plural import counted


@pytest.mark.parametrize(
    "count, noun, text",
    [
        pytest.param(1, "message", "1 message", id="one"),
        pytest.param(0, "message", "0 messages", id="none"),
        pytest.param(1204, "message", "1,204 messages", id="thousands"),
        pytest.param(2, "batch", "2 batches", id="a noun in ch"),
        pytest.param(2, "alias", "2 aliases", id="a noun in s"),
        pytest.param(2, "info", "2 info", id="a mass noun"),
    ],
)
def test_a_noun_agrees_with_its_count(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text
