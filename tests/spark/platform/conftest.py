"""Places for tables of both formats, in the session with their jars.

Tests that use ``written`` write tables directly and by Spark's writer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.spark.platform.formats.direct_tables import DirectTables

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import lakehouse


@pytest.fixture(scope="session")
def table_session(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The session of all tests of tables; Iceberg's warehouse is its ``warehouse``."""
    warehouse = tmp_path_factory.mktemp("warehouse")
    own = lakehouse.configure(spark, warehouse)
    own.warehouse = warehouse
    return own


@pytest.fixture(params=["directly", "by Spark"])
def written(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How tables are written; Iceberg tables are always written by Spark."""
    if request.param == "by Spark":
        monkeypatch.setattr(DirectTables, "of", lambda *_: None)
    return str(request.param)


@pytest.fixture
def new_place(table_session: Any, request: pytest.FixtureRequest) -> Callable[..., lakehouse.Lakehouse]:
    """A function that makes a place of a format that nothing was written to."""
    made: list[str] = []

    def make(to: str) -> lakehouse.Lakehouse:
        made.append(to)
        name = f"p{abs(hash(request.node.nodeid)) % 10**8}_{len(made)}"
        return lakehouse.Lakehouse(table_session, to, table_session.warehouse, name)

    return make


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def is_same_twice(item: pytest.Item) -> bool:
        params = getattr(getattr(item, "callspec", None), "params", {})
        return params.get("to") == "iceberg" and params.get("written") == "directly"

    config.hook.pytest_deselected(items=[item for item in items if is_same_twice(item)])
    items[:] = [item for item in items if not is_same_twice(item)]
