"""A project of Spark Declarative Pipelines, where ``gen.spark.pipelines`` asks for one.

A few wide tables and not one a URN: each table is a stream of its own, which reads all that was judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.spark.options import PIPELINES
from babelreg.model import Message
from babelreg.typemap.python.names import literal, module_name

__all__ = ["project"]


def project(package: str, messages: Sequence[Message], options: Mapping[str, Any]) -> Iterator[File]:
    """The project in the folder ``<package>_pipeline``. Raises UsageError for a setting that is no boolean."""
    if not PIPELINES.value(options, "spark"):
        return
    named = sorted((one.urn, module_name(one.parsed)) for one in messages if one.parsed is not None)
    view = {
        "header": header("spark", "the registry", named),
        "name": f"{package}_pipeline",
        "example": ",".join(urn for urn, _ in named[:2]),
        "entries": [{"urn": literal(urn), "name": literal(name)} for urn, name in named],
    }
    for path, template in (
        ("spark-pipeline.yml", "spark-pipeline.yml.jinja"),
        ("transformations/messages.py", "messages.py.jinja"),
    ):
        yield File(f"{package}_pipeline/{path}", render("spark_pipeline", template, view))
