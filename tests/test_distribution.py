"""Tests shared out to workers: those that start the same server, or read the same code, meet in one process."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OF_KAFKA = (
    "tests/recording/test_broker_url.py::test_the_scheme_tells_the_broker[Kafka with a user]",
    "tests/runtime/test_testing.py::test_a_fake_broker_takes_what_the_real_one_takes[kafka]",
)
"""Of two files, and by the name of their broker of one group; neither starts it."""


def test_a_group_of_several_files_is_run_by_one_worker() -> None:
    words = ("-n", "2", "--dist", "loadgroup", "-v", "-p", "no:cacheprovider", *OF_KAFKA)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    workers = re.findall(r"^\[(gw\d)\] .*PASSED", done.stdout, re.MULTILINE)
    assert len(workers) == len(OF_KAFKA), done.stdout + done.stderr
    assert len(set(workers)) == 1, done.stdout
