"""The runs of ``babelreg.lake`` for a Spark session, or a function that starts one when there is work."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from babelreg.lake.engine.engine import LOCAL, Engine, EngineChoice
from babelreg.lake.ingest import compaction, run
from babelreg.lake.ingest import redrive as redriving
from babelreg.lake.ingest import watch as watching
from babelreg.spark.engine.spark_engine import SparkEngine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Session: TypeAlias = "SparkSession | Callable[[], SparkSession] | EngineChoice"
P = ParamSpec("P")
Result = TypeVar("Result")


def engine_of(given: Session) -> EngineChoice:
    """Return the engine for a session, or for what starts one; an engine is returned as it is."""
    return given if given == LOCAL or isinstance(given, Engine) else SparkEngine(given)


def _in_session(runs: Callable[Concatenate[EngineChoice, P], Result]) -> Callable[Concatenate[Session, P], Result]:
    @wraps(runs)
    def in_session(spark: Session, *args: P.args, **kwargs: P.kwargs) -> Result:
        return runs(engine_of(spark), *args, **kwargs)

    return cast("Callable[Concatenate[Session, P], Result]", in_session)  # its first parameter has a name


compact = _in_session(compaction.compact)
ingest = _in_session(run.ingest)
redrive = _in_session(redriving.redrive)
watch = _in_session(watching.watch)
