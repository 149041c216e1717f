"""Fetch Apache Kafka's jars from Maven Central into a folder: ``python fetch_kafka.py FOLDER``. Needs ``mvn``.

Apache Kafka is under the Apache License 2.0; its dependencies name theirs in their jars. Nothing of it is kept in this
repository. Afterwards: ``BABELREG_KAFKA=FOLDER python -m pytest -m long tests/runtime/transports/test_kafka.py``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

_VERSION = "3.9.1"  # the last line that runs on Java 11 and 17 alike
_POM = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>babelreg</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{_VERSION}</version></dependency>
  </dependencies>
</project>
"""


def main(folder: Path) -> None:
    """Fill ``folder``, which is made when it is not there."""
    with tempfile.TemporaryDirectory() as project:
        Path(project, "pom.xml").write_text(_POM)
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder.resolve()}"]
        subprocess.run(["mvn", "--batch-mode", "--quiet", *goal], cwd=project, check=True)
    print(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
