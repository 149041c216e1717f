"""The script that writes the lexicon of verbs leaves out the forms that spelling rules give."""

from __future__ import annotations

import gzip
import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from babelreg.lint.english import lexicon


def _tool() -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "verb_lexicon.py"
    spec = importlib.util.spec_from_file_location("verb_lexicon", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


verb_lexicon = _tool()


def _wheel(folder: Path, rows: str) -> Path:
    wheel = folder / "lexicon.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(verb_lexicon.INFLECTIONS, gzip.compress(rows.encode()))
        archive.writestr(verb_lexicon.LEMMAS, gzip.compress(b""))
        archive.writestr(verb_lexicon.OVERRIDES, "")
    return wheel


@pytest.mark.parametrize(
    "row, expected",
    [
        pytest.param("abate,verb,abated,,abating,abates", "- abate", id="regular"),
        pytest.param("stop,verb,stopped,,stopping,stops", "d stop", id="doubled"),
        pytest.param("level,verb,leveled/levelled,,leveling/levelling,levels", "D level", id="both spellings"),
        pytest.param("send,verb,sent,sent,sending,sends", "= send - sent", id="irregular"),
        pytest.param("take,verb,took,taken,taking,takes", "= take - took taken", id="irregular with a participle"),
        pytest.param("age,verb,aged,,ageing/aging,ages", "= age - - - ageing", id="an unruly gerund"),
        pytest.param("ship,verb,shipped,,shipping,ships\nship,noun,ships", "dn ship", id="a noun too"),
        pytest.param("meet,verb,met,met,meeting,meets\nmeeting,noun,meetings", "= meet g met", id="its gerund a noun"),
        pytest.param("watershed,noun,watersheds", "! watershed", id="a noun that looks like a past form"),
    ],
)
def test_regular_forms_are_left_out(tmp_path: Path, row: str, expected: str) -> None:
    assert expected in _entries(verb_lexicon.build(_wheel(tmp_path, row)))


def _entries(text: str) -> set[str]:
    """Return the lines of irregular verbs as they are, and every other word with its mark."""
    lines = text.splitlines()
    return {line for line in lines if line[0] == "="} | {
        f"{line.split()[0]} {word}" for line in lines if line[0] not in "=#" for word in line.split()[1:]
    }


def test_the_check_compares_with_the_lexicon_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Path(lexicon.__file__).with_name("verbs.txt") == verb_lexicon.TARGET
    wheel = _wheel(tmp_path, "stop,verb,stopped,,stopping,stops")
    monkeypatch.setattr(verb_lexicon, "TARGET", tmp_path / "verbs.txt")
    assert verb_lexicon.main([str(wheel)]) == 0
    assert verb_lexicon.main([str(wheel), "--check"]) == 0
    (tmp_path / "verbs.txt").write_text("")
    assert verb_lexicon.main(["--check", str(wheel)]) == 1
