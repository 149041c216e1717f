"""The process that Spark forks its Python workers from, in sessions that babelreg starts.

What it has imported, no worker imports again: there are as many as processors, and each took half a second. Spark runs
it as ``python -m babelreg.spark.session.worker_daemon pyspark.worker`` (its setting ``spark.python.daemon.module``).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["ordered"]


def ordered(paths: list[str], spark_home: str | None) -> list[str]:
    """``paths`` for imports, with Spark's own zips last where the same modules are installed beside them.

    Spark puts the zips first. What comes from a zip is compiled anew by every process: that takes longer than all else.
    """
    home = Path(spark_home) if spark_home else None
    if home is None or not (home / "__init__.py").is_file() or str(home.parent) not in paths:
        return paths
    zips = [path for path in paths if path.endswith(".zip") and Path(path).parent == home / "python" / "lib"]
    return [*(path for path in paths if path not in zips), *zips]


if __name__ == "__main__":
    sys.path[:] = ordered(sys.path, os.environ.get("SPARK_HOME"))

    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401 -- for the workers
    from pyspark.daemon import manager

    manager()  # type: ignore[no-untyped-call]
