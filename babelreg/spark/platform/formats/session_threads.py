"""Threads that run jobs of one Spark session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def in_threads(spark: SparkSession, jobs: Sequence[Callable[[], Any]], threads: int = 8) -> list[Any]:
    """Return the results of ``jobs``, run in threads that belong to the job of the calling thread.

    All jobs run to their end; then the error of the first that failed is raised.
    """
    if len(jobs) < 2:
        return [job() for job in jobs]
    inherited = [_inheriting(spark, job) for job in jobs]
    with ThreadPoolExecutor(min(threads, len(jobs))) as pool:
        futures = [pool.submit(job) for job in inherited]
    return [future.result() for future in futures]


def _inheriting(spark: SparkSession, job: Callable[[], Any]) -> Callable[[], Any]:
    """Return ``job`` with a copy of the calling thread's local properties.

    A decorator has one copy for all functions that it decorates. Threads that share one overwrite each other's
    ``spark.sql.execution.root.id``, which Spark removes at the end of a query: a query of another thread, which has
    just begun, then reads null where it expects a number. So each job is decorated by its own.
    """
    from pyspark import inheritable_thread_target

    decorator = inheritable_thread_target(spark)
    if not callable(decorator):  # the session itself, where threads of Python are not those of Java
        return job
    decorated: Callable[[], Any] = decorator(job)
    return decorated
