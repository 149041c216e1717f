"""The tables of character classes are what the script in tools/ measures."""

from __future__ import annotations

import importlib.util
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest

from babelreg.schema.regex import character_classes

TOOL = Path(__file__).parents[3] / "tools" / "character_classes.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("character_classes_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.servers  # as long as they are: every code point, by two engines
@pytest.mark.skipif(
    unicodedata.unidata_version != character_classes.UNICODE, reason="this Python knows another version of Unicode"
)
def test_generating_the_tables_again_gives_the_same_bytes(tmp_path: Path) -> None:
    target = tmp_path / "character_classes.py"
    script().main(target)
    assert target.read_bytes() == Path(character_classes.__file__).read_bytes()


def test_the_tables_name_the_script_that_makes_them() -> None:
    assert character_classes.__doc__ is not None
    assert TOOL.relative_to(TOOL.parents[1]).as_posix() in character_classes.__doc__
    assert TOOL.exists()
    assert Path(character_classes.__file__) == script().TABLE
