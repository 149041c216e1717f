"""Fixtures of tests of lakes and of Spark: one session for all of them, small registries, and folders of messages."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from babelreg.lake import LocalEngine
    from babelreg.model import Registry

ROOT = Path(__file__).parents[1]
MakeRegistry = Callable[..., "Registry"]


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A local session as babelreg starts it, on two cores, where a task is tried twice.

    For tests marked ``servers`` it has the jars of Delta, Iceberg, Kafka and S3: a process has one Java, whose jars are
    those of its start.
    """
    pytest.importorskip("pyspark")
    from babelreg.spark.session import local

    with pytest.MonkeyPatch.context() as patched:
        if _needs_jars(request.session) and "PYSPARK_SUBMIT_ARGS" not in os.environ:
            patched.setenv("PYSPARK_SUBMIT_ARGS", _loaded(ROOT / "lake" / "shared" / "lakehouse.py").submit_arguments())
        started = local.start("babelreg tests", master="local[2,2]")
    yield started
    started.stop()


def _needs_jars(session: pytest.Session) -> bool:
    """Return whether a test that is marked ``servers`` uses the session of Spark."""
    users = (item for item in session.items if "spark" in getattr(item, "fixturenames", ()))
    return any(item.get_closest_marker("servers") for item in users)


@pytest.fixture(scope="session")
def engine() -> Iterator[LocalEngine]:
    """An engine that starts at once, for what does not depend on the engine: both write the same files.

    See ``engine/test_same_files.py``.
    """
    pytest.importorskip("pyarrow")
    from babelreg.lake import LocalEngine

    with LocalEngine(2) as started:
        yield started


@pytest.fixture(scope="session")
def messages() -> ModuleType:
    """The generator of messages that the benchmark uses too."""
    return _loaded(ROOT.parent / "benchmarks" / "spark_messages.py")


def registry_of(schemas: Mapping[str, Any], settings: str = "version: 1\n") -> Registry:
    """A registry in memory that declares these URNs."""
    from babelreg import load

    files = {"babelreg.yaml": settings.encode()}
    for urn, schema in schemas.items():
        context, name = urn.split(":")[2:]
        files[f"{context}/_context.yaml"] = b"owner: team\ndescription: A context.\n"
        files[f"{context}/{name}.yaml"] = json.dumps({"urn": urn, "kind": "event", "data": schema}).encode()
    registry = load.from_tree(load.files.tree.Memory(files))
    assert not registry.defects
    return registry


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def make_registry() -> MakeRegistry:
    return registry_of
