"""The generated job's own decisions, without a cluster: what it hands to ``babelreg.spark``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from babelreg import load
from babelreg.gen.targets.spark import target
from babelreg.gen.write import write

pytest.importorskip("pyspark")
EXAMPLE = Path(__file__).parents[4] / "registry.example"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("job")
    write(folder, "spark", target.files(load.registry(EXAMPLE), {}))
    spec = importlib.util.spec_from_file_location("generated_job", folder / "spark_schemas" / "job.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("watching", [[], ["--watch"]], ids=["once", "watching"])
@pytest.mark.parametrize(
    "written, handed",
    [
        pytest.param([], [], id="what was published before"),
        pytest.param(["--publish", "delta"], ["delta"], id="a format"),
        pytest.param(["--publish", "delta,iceberg"], ["delta", "iceberg"], id="two formats"),
        pytest.param(["--publish", "none"], None, id="nothing"),
    ],
)
def test_a_lake_is_published_as_asked(
    written: list[str], handed: list[str] | None, watching: list[str], job: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    import babelreg.spark

    seen: list[Any] = []

    def run(*_: Any, publish: Any = "default", **__: Any) -> SimpleNamespace:
        seen.append(publish)
        return SimpleNamespace(exceeded={}, as_json=dict)

    for name, stand_in in (("ingest", run), ("watch", run), ("registry_of", Path)):
        monkeypatch.setattr(babelreg.spark, name, stand_in, raising=False)
    monkeypatch.setattr(job, "stopping", lambda: None)
    monkeypatch.setattr(sys, "argv", ["job.py", "--input", "in", "--lake", "out", *watching, *written])
    job.ingest(None, Path("registry"), job.arguments())
    assert seen == [handed]
