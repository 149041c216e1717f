"""Arrow functions of Spark that find babelreg on the worker, also in an archive of `babelreg spark pack`.

What is sent to a worker names nothing of babelreg until it runs, because Spark unpickles it before it could be told
where babelreg is. An archive that is given as ``...#babelreg`` is unpacked to the folder ``babelreg`` in the working
folder of the worker, or below the root of Spark's files. An artifact of a Connect session is there for its batch
queries alone: Spark 4.1 runs the tasks of a stream without the artifacts of the session that started it.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, SparkSession
    from pyspark.sql.types import DataType

    from babelreg.lake.tasks.column_functions import ColumnFunction

_CHECKED = "__babelreg_checked"


class BatchFunction(Protocol):
    """A function of the batches of a task. Plain data, so that it can be sent to the workers."""

    def __call__(self, batches: Iterable[pa.RecordBatch], /) -> Iterator[pa.RecordBatch]: ...


def arrow_function(name: str, function: ColumnFunction, type_: DataType) -> Callable[..., Column]:
    """Return the function of columns that applies ``function``; ``name`` is shown in plans.

    It counts as not deterministic, although it is: otherwise Spark's optimizer evaluates it twice for each row that
    passes a filter on its result, once for the filter (measured).
    """
    from pyspark.sql.pandas.functions import arrow_udf

    packed = pickle.dumps(function)
    run = _self_contained(hashlib.sha256(packed).hexdigest(), packed)
    run.__name__ = run.__qualname__ = name
    run.__annotations__ = {}  # Spark would look up what they name
    make: Any = arrow_udf  # whose stub knows no structs
    column: Callable[..., Column] = make(run, type_).asNondeterministic()
    return column


def batch_function(function: BatchFunction) -> Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]:
    """Return the function to pass to ``mapInArrow`` that applies ``function`` to the batches of a task."""
    packed, load = pickle.dumps(function), _loader()

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        load()
        import pickle

        yield from pickle.loads(packed)(batches)

    run.__annotations__ = {}
    return run


def check_workers(spark: SparkSession) -> None:
    """Run a task that imports what ours need, once a session, where nothing else would report a worker that cannot.

    Raises UsageError.
    """
    if getattr(spark, _CHECKED, False):
        return
    from babelreg.spark.session.spark_errors import worker_setup_error

    try:
        spark.range(1).mapInArrow(batch_function(_unchanged), "id long").collect()
    except Exception as err:
        if (error := worker_setup_error(err)) is not None:
            raise error from err
        raise
    setattr(spark, _CHECKED, True)


def _unchanged(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _self_contained(key: str, packed: bytes) -> Callable[..., pa.Array]:
    """Return the function to pickle. Nested, so that it is pickled by value; it imports what it needs."""
    load = _loader()

    def run(*columns: pa.Array) -> pa.Array:
        return load().run(key, packed, columns)

    return run


def _loader() -> Callable[[], Any]:
    """Return a nested function, which is pickled by value, that imports babelreg and returns its column functions."""

    def load() -> Any:
        try:
            from babelreg.lake.tasks import column_functions
        except ImportError as err:
            import sys
            from pathlib import Path

            from pyspark import SparkFiles

            root = Path(SparkFiles.getRootDirectory())  # that of a session of Connect is within the server's
            folders = [place / "babelreg" for place in (Path.cwd(), root, root.parent)]
            archive = next((folder for folder in folders if (folder / "registry.json").is_file()), None)
            if archive is None:
                raise ImportError(
                    f"{sys.executable} has no babelreg: {err}\n  fix: `babelreg spark pack`, then start Spark, or the "
                    "server of Spark Connect, with --archives babelreg.tar.gz#babelreg; for batch queries of Spark "
                    'Connect, spark.addArtifacts("babelreg.tar.gz#babelreg", archive=True) is enough'
                ) from err
            # The working folder may be on the path, and makes a namespace package of the folder of the archive.
            for module in [name for name in sys.modules if name.partition(".")[0] == "babelreg"]:
                del sys.modules[module]
            sys.path.insert(1, str(archive))
            from babelreg.lake.tasks import column_functions
        return column_functions

    load.__annotations__ = {}
    return load
