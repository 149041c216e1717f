"""The identity of a lake is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.errors import InputError
from babelreg.lake.storage import lake_id
from babelreg.lake.storage.log import manifest


def test_an_id_is_made_once_and_differs_between_lakes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / manifest.FOLDER).mkdir(parents=True)
    made = lake_id.ensure(tmp_path / "one")
    assert lake_id.ensure(tmp_path / "one") == lake_id.read(tmp_path / "one") == made
    assert lake_id.read(tmp_path / "other") is None
    assert lake_id.ensure(tmp_path / "other") != made


@pytest.mark.parametrize("content", [b"", b"x", b"\xff", b"0" * 31])
def test_a_damaged_id_is_not_replaced(content: bytes, tmp_path: Path) -> None:
    (tmp_path / manifest.FOLDER).mkdir()
    (tmp_path / manifest.FOLDER / "lake.id").write_bytes(content)
    with pytest.raises(InputError):
        lake_id.ensure(tmp_path)
