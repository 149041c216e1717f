"""The names of a registry's messages in other wire formats."""

from __future__ import annotations

from babelreg.model import Wires


def test_a_block_is_that_of_its_format():
    wires = Wires({"phpmq": {"queues": {"Foo": "urn:a"}}})
    assert wires.block("phpmq") == {"queues": {"Foo": "urn:a"}}
    assert wires.block("strata") == wires.block("babelqueue") == wires.block("nothing") == {}
