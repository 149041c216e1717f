"""The program for ``spark-submit``. It is the same for every registry: the registry is in the archive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from babelreg.gen.render import render
from babelreg.gen.target import File, header


def job(package: str) -> Iterator[File]:
    """Yield ``job.py`` in the folder ``package``."""
    line = header("spark", "no registry in particular")
    yield File(f"{package}/job.py", partial(render, "spark_job", "job.py.jinja", {"header": line}), line)
