from __future__ import annotations

from pathlib import Path

import npm
import pytest


@pytest.fixture(scope="session")
def tsc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of the compiler."""
    return npm.install(tmp_path_factory.mktemp("typescript"), "typescript@5.9") / "tsc"
