"""Process that Spark forks its Python workers from, in sessions that babelreg starts.

Modules imported here are not imported again by the workers, one per processor (about half a second each). Spark runs it
as ``python -m babelreg.spark.session.worker_daemon pyspark.worker`` (its setting ``spark.python.daemon.module``).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def ordered(paths: list[str], spark_home: str | None) -> list[str]:
    """Return the import ``paths`` with Spark's own zips last, if the same modules are installed.

    Spark puts the zips first; modules in a zip are compiled again by every process, which takes most of the import
    time.
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
