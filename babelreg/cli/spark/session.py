"""The Spark session of a command, with what ``--debug`` asks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.cli.shared import debugging

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["start"]


def start() -> SparkSession:
    """Return a session as ``babelreg.spark.session.local.start`` does. Raises as it does."""
    from babelreg.spark.session import local

    return local.start(debug=debugging.enabled())
