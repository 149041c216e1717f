"""The names of a registry's messages in other wire formats."""

from __future__ import annotations

from babelreg.model import Wires
from babelreg.wire.formats import FORMATS


def test_a_block_is_that_of_its_format():
    wires = Wires(phpmq={"queues": {"Foo": "urn:a"}})
    assert wires.block("phpmq") == {"queues": {"Foo": "urn:a"}}
    assert wires.block("strata") == wires.block("babelqueue") == wires.block("nothing") == {}


def test_the_blocks_are_those_of_the_foreign_formats():
    # A format that is a module has the names of the envelope.
    packages = {name for name, module in FORMATS.items() if hasattr(module, "__path__")}
    assert set(Wires().blocks) == packages - {"babelqueue"}
