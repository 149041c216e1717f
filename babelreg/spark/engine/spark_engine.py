"""Engine that runs tasks in Spark's Python workers, on a given session or on one that is started when needed.

Spark only gets numbers. The items travel with the function, so that no Python process has to turn them into rows.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from babelreg.errors import UsageError
from babelreg.spark.session import local

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Result = TypeVar("Result")


class SparkEngine:
    """Tasks in Spark. ``given`` is a session, or a function that starts one."""

    def __init__(self, given: SparkSession | Callable[[], SparkSession]) -> None:
        self._given = given

    @cached_property
    def _session(self) -> SparkSession:
        return local.isolated(self._given() if callable(self._given) else self._given)

    def parallelism(self, size: int | None = None) -> int:
        return int(self._session.sparkContext.defaultParallelism)

    def check_installed(self) -> None:
        try:
            local.check_installed()
        except UsageError as err:
            if isinstance(err.__cause__, ImportError) and err.__cause__.name == "pyarrow":
                raise
            raise UsageError(err.message, fix=f"{err.fix}; or run without Spark: --engine local") from err

    def start(self) -> None:
        if callable(self._given):
            self.check_installed()
        _ = self._session

    def translated(self, output: Path) -> AbstractContextManager[None]:
        from babelreg.spark.session import spark_errors

        return spark_errors.translated(output)

    def map(self, items: Sequence[Item], work: Callable[[Item], Result], *, size: int = 0) -> list[Result]:
        if not items:
            return []
        packed = [pickle.dumps(item) for item in items]  # a task unpickles only its own

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            for batch in batches:
                for number in batch["id"].to_pylist():
                    result = pickle.dumps(work(pickle.loads(packed[number])))
                    yield pa.RecordBatch.from_pydict({"result": [result]}, pa.schema([("result", pa.binary())]))

        numbers = self._session.range(0, len(items), 1, len(items))
        rows = numbers.mapInArrow(run, "result binary").toArrow()["result"].to_pylist()
        return [pickle.loads(result) for result in rows]
