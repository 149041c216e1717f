"""The pause of the search for cyclic garbage."""

from __future__ import annotations

import gc

import pytest

from babelreg.lake.paused_collection import collection_paused


def test_it_is_paused_in_the_block_and_goes_on_afterwards() -> None:
    assert gc.isenabled()
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="no"), collection_paused():
        raise ValueError("no")
    assert gc.isenabled()


def test_who_switched_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
