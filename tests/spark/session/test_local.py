"""The settings with which a local session starts Java."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from babelreg.spark.session import java, local
from babelreg.spark.session.java import Java

ROOT = Path(__file__).parents[3]


def test_the_log_settings_given_to_java_exist(tmp_path):
    settings = local._launch_settings(Java(tmp_path, 21, "JAVA_HOME", tmp_path), debug=False)
    url = re.search(r"-Dlog4j2\.configurationFile=(\S+)", settings["SPARK_SUBMIT_OPTS"])
    assert url is not None
    assert Path(unquote(urlsplit(url[1]).path)).is_file()


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
