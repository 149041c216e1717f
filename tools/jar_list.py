"""Pin the jars that the tests fetch: write ``tests/shared/jars.json`` from the roots below, by Maven.

    python tools/jar_list.py            # resolve, download, write paths and SHA-256 sums
    python tools/jar_list.py --check    # exit 1 when a list is out of date

Only this tool needs ``mvn``; the tests read the list and download from Maven Central themselves (``jars.py``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["main", "resolved"]

TARGET = Path(__file__).parents[1] / "tests/shared/jars.json"
CENTRAL = "https://repo1.maven.org/maven2/"
_AWS = "2.29.52"  # the SDK that Hadoop 3.4.2 names


@dataclass(frozen=True)
class Jars:
    """``alone`` are artifacts without their dependencies, ``excluded`` are ``group:artifact`` patterns."""

    roots: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


# pyspark ships these; a second version of them on the class path would be chosen by chance.
_IN_SPARK = ("io.netty:*", "org.slf4j:*", "commons-logging:*", "commons-codec:*", "org.apache.httpcomponents:*")

SETS: dict[str, Jars] = {
    "delta": Jars(alone=("io.delta:delta-spark_4.1_2.13:4.4.0", "io.delta:delta-storage:4.4.0")),
    "iceberg": Jars(alone=("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",)),
    # The newest that exist: Maven Central has no 4.1.4 of the source, and no 4.1.3 of the token provider.
    "kafka": Jars(
        alone=(
            "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3",
            "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.1",
            "org.apache.kafka:kafka-clients:3.9.1",
            "org.apache.commons:commons-pool2:2.12.1",
        )
    ),
    # hadoop-aws depends on `bundle`, 641 MB of every service of AWS; these modules of it, 15 MB, are what S3A calls.
    "s3": Jars(
        roots=tuple(
            f"software.amazon.awssdk:{module}:{_AWS}"
            for module in ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
        ),
        alone=("org.apache.hadoop:hadoop-aws:3.4.2",),
        excluded=_IN_SPARK,
    ),
    "kafka-broker": Jars(
        roots=("org.apache.kafka:kafka_2.13:4.1.2", "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3"),
    ),
    # S3Proxy also speaks to other clouds: their clients, two thirds of the jars, are left out.
    "s3proxy": Jars(
        # Maven would choose annotations older than its JSON library needs.
        roots=(
            "org.gaul:s3proxy:4.1.0", "com.fasterxml.jackson.core:jackson-annotations:2.22",
            "jakarta.servlet:jakarta.servlet-api:6.0.0",
        ),
        excluded=(
            "com.azure:*", "com.microsoft.azure:*", "com.google.cloud:*", "com.google.api:*", "com.google.apis:*",
            "com.google.api-client:*", "com.google.api.grpc:*", "com.google.auth:*", "com.google.http-client:*",
            "com.google.oauth-client:*", "com.google.cloud.opentelemetry:*", "com.github.openstack4j.core:*",
            "com.github.openstack4j.core.connectors:*", "io.opentelemetry:*", "io.opentelemetry.contrib:*",
            "io.prometheus:*", "org.apache.sshd:*", "io.grpc:*", "io.opencensus:*", "org.eclipse.jetty:*",
            "org.eclipse.jetty.ee10:*", "com.google.protobuf:*", "com.google.jimfs:*", "net.java.dev.jna:*",
            "com.squareup.okhttp3:*",
        ),
    ),
}  # fmt: skip


def resolved(jars: Jars) -> Iterator[str]:
    """Yield the coordinates ``group:artifact:version`` of a set, dependencies included."""
    yield from jars.alone
    if not jars.roots:
        return
    with tempfile.TemporaryDirectory() as folder:
        pom, out = Path(folder) / "pom.xml", Path(folder) / "list.txt"
        pom.write_text(_pom(jars), encoding="utf-8")
        maven = ["mvn", "-q", "-B", "-f", str(pom), "dependency:list", "-DincludeScope=runtime"]
        subprocess.run([*maven, f"-DoutputFile={out}"], check=True)
        for line in out.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\s+([\w.-]+):([\w.-]+):jar:([\w.-]+):(?:compile|runtime)", line):
                yield ":".join(match.groups())


def _pom(jars: Jars) -> str:
    excluded = "".join(
        "<exclusion><groupId>{}</groupId><artifactId>{}</artifactId></exclusion>".format(*map(escape, name.split(":")))
        for name in jars.excluded
    )
    wanted = "".join(
        "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>".format(*root.split(":"))
        + f"<exclusions>{excluded}</exclusions></dependency>"
        for root in jars.roots
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>none</groupId>'
        f"<artifactId>jars</artifactId><version>1</version><dependencies>{wanted}</dependencies></project>"
    )


def _path(coordinates: str) -> str:
    group, artifact, version = coordinates.split(":")
    return f"{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar"


def _digest(path: str) -> str:
    with urllib.request.urlopen(CENTRAL + path) as body:
        return hashlib.file_digest(body, "sha256").hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the list, or compare it with ``--check``; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="exit 1 when the list is out of date; write nothing")
    check = parser.parse_args(arguments).check
    old = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    known = {path: digest for jars in old.values() for path, digest in jars.items()}
    lists = {name: sorted(map(_path, resolved(jars))) for name, jars in SETS.items()}
    pinned = {name: {path: known.get(path) or _digest(path) for path in paths} for name, paths in lists.items()}
    if check:
        return int(pinned != old)
    TARGET.write_text(json.dumps(pinned, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
