"""Places for tables of both formats, in the session with their jars."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))
import lakehouse


@pytest.fixture(scope="session")
def table_session(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The session of all tests of tables; Iceberg's warehouse is its ``warehouse``."""
    warehouse = tmp_path_factory.mktemp("warehouse")
    own = lakehouse.configure(spark, warehouse)
    own.warehouse = warehouse
    return own


@pytest.fixture
def new_place(table_session: Any, request: pytest.FixtureRequest) -> Callable[..., lakehouse.Lakehouse]:
    """A function that makes a place of a format that nothing was written to."""
    made: list[str] = []

    def make(to: str) -> lakehouse.Lakehouse:
        made.append(to)
        name = f"p{abs(hash(request.node.nodeid)) % 10**8}_{len(made)}"
        return lakehouse.Lakehouse(table_session, to, table_session.warehouse, name)

    return make
