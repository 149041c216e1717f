"""What every test runs in: verdicts of lint kept in a folder of its own, and nothing of the CI system around it.

Property tests draw the same cases in every run of the suite, so that it says of one commit one thing; ``make fuzz`` and
``--hypothesis-profile random`` draw new ones, and ten times as many where a test names no number.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "shared"))

import drawn_schemas
import kafka_server
import lean_jsonschema
import mariadb_server
import postgres_server
import rabbitmq_server
import redis_server
import s3_server
import syntax_trees
from lake_fixtures import engine, make_registry, messages, spark  # noqa: F401
from s3_server import S3Server
from server import Server

from babelreg.cache import fingerprint

lean_jsonschema.import_jsonschema()

# A shell starts what runs in the background with SIGINT ignored, and programs inherit that; tests press Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Neither a deadline for an example nor the complaint that drawing one takes long: both fail on a busy machine.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", derandomize=True, **UNTIMED)
settings.register_profile("random", derandomize=False, max_examples=500, **UNTIMED)
settings.load_profile("suite")

GROUPS = pytest.StashKey[Path]()
"""The folder in which workers write the groups of their tests, one file each."""

GARBAGE = (50_000, 20, 20)
"""Objects more than before until the youngest are looked through; how often until those of the next generations are."""

RECURSION_LIMIT = sys.getrecursionlimit()

ROOT = Path(__file__).parents[1]
SPARK_CONF = ROOT / "tests" / "shared" / "spark_conf"

DEAR = ("mypy", "cluster", "spark", "kafka", "rabbitmq", "mariadb", "postgres")
"""What takes seconds to start, by the name of its fixture or mark: where workers share the tests, one worker starts it."""

LONGEST = ("spark", "cluster", "kafka", "drawn schemas")
"""Groups that begin first with ``--no-loadscope-reorder``: begun last, the longest would be waited for alone."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m "servers and ..."``, import only the files that use the mark: all others take half a minute a process."""
    expression, given = config.option.markexpr, {Path(argument).absolute() for argument in config.args}
    if not expression.startswith("servers") or " or " in expression or collection_path.suffix != ".py":
        return None
    return (collection_path not in given and not _names_servers(collection_path)) or None


def _names_servers(path: Path) -> bool:
    return "mark.servers" in path.read_text("utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Leave what is collected out of every later look for garbage, and look for it seldom.

    Thousands of modules and tests are made here, and live to the end: to look through them again and again is a third of
    the time of collecting, and a part of each test's. With Python's thresholds, looking takes a twentieth of the tests'.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Name the folder in which workers tell the scheduler the groups of their tests."""
    if GROUPS not in node.config.stash:
        folder = tempfile.TemporaryDirectory(prefix="babelreg-groups-")
        node.config.add_cleanup(folder.cleanup)
        node.config.stash[GROUPS] = Path(folder.name)
    node.workerinput["groups"] = str(node.config.stash[GROUPS])


@pytest.hookimpl(tryfirst=True)  # before xdist tells the scheduler that this worker has its tests
def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the group of each test that has one; all workers write the same."""
    given = getattr(session.config, "workerinput", None)
    if given:
        groups = {item.nodeid: group for item in session.items if (group := _group(item))}
        Path(given["groups"], given["workerid"]).write_text(json.dumps(groups), "utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse files that ``pytest_ignore_collect`` would wrongly leave out; with that option, order the groups."""
    for path in {item.path for item in items if item.get_closest_marker("servers")}:
        if not _names_servers(path):
            raise pytest.UsageError(f"{path}: name pytest.mark.servers in this file, else `-m servers` ignores it")
    if config.pluginmanager.hasplugin("xdist") and not config.option.loadscopereorder:
        items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    """Return the place of the item's group among those that take longest; all others come after them, as collected."""
    group = _group(item)
    return LONGEST.index(group) if group in LONGEST else len(LONGEST)


def _group(item: pytest.Item) -> str | None:
    parameters = getattr(item, "callspec", None)
    uses = {*getattr(item, "fixturenames", ()), *(mark.name for mark in item.iter_markers())}
    uses.update(value for value in (parameters.params.values() if parameters else ()) if isinstance(value, str))
    if "mypy" not in uses and vars(getattr(item, "module", None) or object).get("modules") is syntax_trees.modules:
        return "code"
    if getattr(getattr(item, "module", None), "drawn", None) is drawn_schemas.drawn:
        return "drawn schemas"
    return next((name for name in DEAR if name in uses), None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``--dist loadgroup``, tests that start the same server, or read the same code, meet in one process.

    Tests without a group stay together by file: many share what a module prepares. xdist's own groups are part of a
    test's name, and have no effect where pytest computes that name anew.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class GroupsAndFiles(LoadScopeScheduling):
        @functools.cached_property
        def _groups(self) -> dict[str, str]:
            written = next(config.stash[GROUPS].iterdir())  # all workers have collected when tests are shared out
            return dict(json.loads(written.read_text("utf-8")))

        def _split_scope(self, nodeid: str) -> str:
            return self._groups.get(nodeid) or nodeid.partition("::")[0]

    return GroupsAndFiles(config, log)


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_run() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="babelreg-cache-") as folder:
        os.environ["BABELREG_CACHE_DIR"] = folder
        yield
        del os.environ["BABELREG_CACHE_DIR"]


@pytest.fixture(scope="session", autouse=True)
def _code_is_read_once() -> Iterator[None]:
    """Thousands of tests run commands in this process; each would read a hundred files to know that they are the same."""
    read, home, known = fingerprint.code, fingerprint.__file__, dict[tuple[str, ...], bytes]()

    def code(parts: Iterable[str]) -> bytes:
        wanted = tuple(parts)
        of_others = any(Path(part).is_absolute() and not Path(part).is_relative_to(ROOT) for part in wanted)
        if of_others or fingerprint.__file__ != home:
            return read(wanted)
        if wanted not in known:
            known[wanted] = read(wanted)
        return known[wanted]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fingerprint, "code", code)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_cache_of_mypy() -> Iterator[None]:
    """Generated packages are checked in folders of their own; what is installed is looked at once, as for our own code."""
    os.environ["MYPY_CACHE_DIR"] = str(Path(__file__).parents[1] / ".mypy_cache")
    yield
    del os.environ["MYPY_CACHE_DIR"]


@pytest.fixture(scope="session", autouse=True)
def _away_from_ci() -> Iterator[None]:
    """Where the tests themselves run in GitHub Actions, or under a setting for colours, they see the same output."""
    names = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_BASE_REF", "NO_COLOR", "FORCE_COLOR", "BABELREG_REGISTRY")
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    yield
    os.environ.update(kept)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In a worker, tell the scheduler of a test in one message instead of five, where nobody asked for all of them."""
    option = item.config.option
    if not hasattr(item.config, "workerinput") or option.verbose > 0 or option.durations or option.xmlpath:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, Any, Any]:
    """What code allows itself for a deep message it takes back: else tests would pass or fail by who ran before.

    A hook, since a fixture of each test costs a fifth of what starting a test costs.
    """
    try:
        return (yield)
    finally:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(RECURSION_LIMIT)
        assert limit == RECURSION_LIMIT


@pytest.fixture(scope="session", autouse=True)
def _quick_spark(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start Spark with settings for tiny tables; long forms have its defaults."""
    with pytest.MonkeyPatch.context() as patched:
        if any(not item.get_closest_marker("long") for item in request.session.items):
            patched.setenv("SPARK_CONF_DIR", str(SPARK_CONF))
        yield


# Servers serve the whole session; a test that crashes one starts it again.


@pytest.fixture(scope="session")
def kafka() -> Iterator[Server]:
    """A Kafka broker; topics are named for their tests."""
    with kafka_server.running() as broker:
        yield broker


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 server; buckets are named for their tests."""
    with s3_server.running() as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[Server]:
    with _redis(durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def durable_redis() -> Iterator[Server]:
    """Redis that outlives a crash: it answers a write once it is on the disk."""
    with _redis(durable=True) as server:
        yield server


@contextmanager
def _redis(*, durable: bool) -> Iterator[Server]:
    if redis_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON REDIS: apt-get install redis-server")
    yield from _started("REDIS", redis_server.running(durable=durable))


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[Server]:
    if rabbitmq_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON RABBITMQ: apt-get install --no-install-recommends rabbitmq-server")
    yield from _started("RABBITMQ", rabbitmq_server.running())


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    if postgres_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON POSTGRESQL: apt-get install --no-install-recommends postgresql")
    yield from _started("POSTGRESQL", postgres_server.running())


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    if mariadb_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON MARIADB: apt-get install --no-install-recommends mariadb-server")
    yield from _started("MARIADB", mariadb_server.running())


def _started(name: str, running: AbstractContextManager[Server]) -> Iterator[Server]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running)
        except (RuntimeError, OSError) as err:
            pytest.skip(f"NOT TESTED ON {name}, which does not start here: {err}")
        yield server
