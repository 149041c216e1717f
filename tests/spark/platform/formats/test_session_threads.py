"""Threads that run jobs of one session."""

from __future__ import annotations

from functools import partial
from threading import Barrier
from typing import Any

import pytest

from babelreg.spark.platform.formats.session_threads import in_threads

pytestmark = pytest.mark.spark

KEY = "spark.sql.execution.root.id"


def test_a_job_has_the_local_properties_of_its_caller_and_does_not_see_those_of_other_jobs(spark: Any) -> None:
    context, meeting = spark.sparkContext, Barrier(2)

    def job(number: int) -> list[str | None]:
        inherited = context.getLocalProperty("caller")
        meeting.wait()
        context.setLocalProperty(KEY, str(number))
        meeting.wait()
        seen = context.getLocalProperty(KEY)
        meeting.wait()
        if number == 0:
            context.setLocalProperty(KEY, None)  # as the end of a query does
        meeting.wait()
        return [inherited, seen, context.getLocalProperty(KEY)]

    context.setLocalProperty("caller", "this test")
    try:
        seen = in_threads(spark, [partial(job, number) for number in range(2)])
        assert context.getLocalProperty(KEY) is None
    finally:
        context.setLocalProperty("caller", None)
    assert seen == [["this test", "0", None], ["this test", "1", "1"]]


def test_all_jobs_run_to_their_end_before_an_error_is_raised(spark: Any) -> None:
    ended: list[int] = []

    def job(number: int) -> None:
        if number < 2:
            raise ValueError(number)
        ended.append(number)

    with pytest.raises(ValueError, match="0"):
        in_threads(spark, [partial(job, number) for number in range(5)], threads=1)
    assert ended == [2, 3, 4]
