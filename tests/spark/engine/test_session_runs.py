"""A Spark session in place of an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from babelreg.lake import LocalEngine
from babelreg.lake.engine.engine import Engine
from babelreg.spark import compact
from babelreg.spark.engine.session_runs import engine_of
from babelreg.spark.engine.spark_engine import SparkEngine


def _start() -> Any:
    raise AssertionError("there is no work")


@pytest.mark.parametrize("given", [pytest.param(_start, id="what starts one"), pytest.param(object(), id="a session")])
def test_a_session_becomes_an_engine_that_has_not_started(given: Any) -> None:
    engine = engine_of(given)
    assert isinstance(engine, SparkEngine)
    assert isinstance(engine, Engine)


def test_an_engine_stays_what_it_is(engine: LocalEngine) -> None:
    assert engine_of(engine) is engine
    assert engine_of("local") == "local"


def test_the_session_has_a_name(tmp_path: Path) -> None:
    """Programs may pass it by keyword."""
    with pytest.raises(Exception, match="is not a lake|no manifest|does not exist"):
        compact(spark=_start, output=tmp_path / "nowhere")  # type: ignore[call-arg]
