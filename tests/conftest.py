"""Verdicts of lint are kept in a folder of the test run's own, in this process and in those it starts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_run() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="babelreg-cache-") as folder:
        os.environ["BABELREG_CACHE_DIR"] = folder
        yield
        del os.environ["BABELREG_CACHE_DIR"]
