"""An S3 server of one's own: S3Proxy over a folder, on a free loopback port, gone at the end with all it stored.

Objects outlive kill -9, and a conditional put (``If-None-Match: *``) of what exists gives 412, as in S3 itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jars
from server import Server, free_port, java, listens, scratch

__all__ = ["S3Server", "running"]

_PROPERTIES = """\
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=key
s3proxy.credential=secret
s3proxy.endpoint={url}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={folder}/objects
jclouds.identity=key
jclouds.credential=secret
"""
_LOGGING = """\
<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d %level %logger{20} %msg%n</pattern></encoder>
  </appender>
  <root level="warn"><appender-ref ref="out"/></root>
</configuration>
"""


@dataclass
class S3Server(Server):
    """``folder`` holds a folder a bucket, with a file an object."""

    folder: Path = Path()

    def bucket(self, name: str) -> str:
        """Create a bucket; return its name."""
        (self.folder / name).mkdir(exist_ok=True)
        return name

    @property
    def spark_settings(self) -> Mapping[str, str]:
        """Settings with which Spark reads and writes ``s3a://``."""
        values = {
            "endpoint": self.url,
            "endpoint.region": "us-east-1",
            "access.key": "key",
            "secret.key": "secret",
            "path.style.access": "true",
            "connection.ssl.enabled": "false",
        }
        return {f"spark.hadoop.fs.s3a.{name}": value for name, value in values.items()}

    @property
    def storage_options(self) -> dict[str, str]:
        """Storage options of ``deltalake``, for ``s3://``."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_ALLOW_HTTP": "true",
        }

    @property
    def catalog_properties(self) -> dict[str, str]:
        """Properties of a catalog of ``pyiceberg``."""
        return {
            "s3.endpoint": self.url,
            "s3.region": "us-east-1",
            "s3.access-key-id": "key",
            "s3.secret-access-key": "secret",
        }


@contextmanager
def running() -> Iterator[S3Server]:
    """An S3 server without a bucket."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with scratch() as folder:
        properties, logging = Path(folder, "s3proxy.conf"), Path(folder, "logback.xml")
        properties.write_text(_PROPERTIES.format(url=url, folder=folder))
        logging.write_text(_LOGGING)
        Path(folder, "objects").mkdir()
        program = [*java("512m"), f"-Dlogback.configurationFile={logging}", "-cp", jars.class_path("s3proxy")]
        command = [*program, "org.gaul.s3proxy.Main", "--properties", str(properties)]
        log, ready = Path(folder, "s3proxy.log"), partial(listens, port)
        server = S3Server(url, command, log, ready, 120, folder=Path(folder, "objects"))
        try:
            server.start()
            yield server
        finally:
            server.crash()
