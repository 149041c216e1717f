from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.cli import main

EXAMPLE = Path(__file__).resolve().parents[3] / "registry.example"


def test_only_the_catalog_can_be_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["gen", "docs", "--serve", "--registry", str(EXAMPLE), "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert "target docs has no option --serve" in capsys.readouterr().err
