"""The note of a redrive beside its offset in Kafka."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.redrive.kafka_position import MOST_BYTES, decoded, encoded


@given(st.integers(0, 2**40), st.sets(st.integers(1, 5_000)))
def test_the_sent_offsets_are_read_again(offset: int, beyond: set[int]) -> None:
    sent = {offset + each for each in beyond}
    assert decoded(offset, encoded(offset, sent)) == sent


def test_a_note_has_room_for_tens_of_thousands_of_offsets() -> None:
    assert len(encoded(0, range(1, 1_000_000))) < MOST_BYTES
    assert len(encoded(0, [number for number in range(1, 1_000_000) if number % 100])) < MOST_BYTES
    assert len(encoded(0, [number for number in range(1, 20_000) if number * number % 7919 % 2])) < MOST_BYTES


@pytest.mark.parametrize("text", [None, "", "of another program"])
def test_notes_of_others_say_nothing(text: str | None) -> None:
    assert decoded(5, text) == set()


def test_a_damaged_note_is_an_error() -> None:
    with pytest.raises(ValueError, match="offset 5"):
        decoded(5, "babelreg:1:00000")
