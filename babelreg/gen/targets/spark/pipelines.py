"""A project of Spark Declarative Pipelines, if ``gen.spark.pipelines`` is set.

A few wide tables, not one per URN: each table is a separate stream, which reads all validated messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.spark.options import PIPELINES
from babelreg.model import Message
from babelreg.typemap.python.names import literal, module_name


def project(package: str, messages: Sequence[Message], options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the files of the project ``<package>_pipeline``. Raises UsageError for a setting that is not a boolean."""
    if not PIPELINES.value(options, "spark"):
        return
    named = sorted((message.urn, module_name(message.parsed)) for message in messages if message.parsed is not None)
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
