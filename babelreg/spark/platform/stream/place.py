"""Places that ``spark stream`` reads from, writes to and stores its checkpoint in, as people write them.

``kafka://host:9092,host2/topic`` is a topic (or several, with commas); everything else is a folder: a path, or an
address such as ``s3a://bucket/inbox`` that Hadoop's file systems know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from babelreg.errors import UsageError

WAREHOUSE_CATALOG = "babelreg"
"""The catalog of Iceberg tables in a folder, which has it for itself."""

_KAFKA = "kafka://"
_PORT = 9092
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}\Z")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_EXAMPLE = "write it as kafka://host:9092/topic, with commas between several brokers"


@dataclass(frozen=True, slots=True)
class KafkaPlace:
    """Topics of a Kafka cluster. ``servers`` are ``host:port``."""

    servers: tuple[str, ...]
    topics: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_KAFKA}{','.join(self.servers)}/{','.join(self.topics)}"

    @property
    def identity(self) -> str:
        """The part that a checkpoint depends on: brokers may get other addresses."""
        return f"{_KAFKA}/{','.join(sorted(self.topics))}"


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """A folder of message files, by its address."""

    address: str

    def __str__(self) -> str:
        return self.address

    @property
    def identity(self) -> str:
        """The part that a checkpoint depends on."""
        return self.address


SourcePlace = KafkaPlace | FolderPlace


def source_place(text: str) -> SourcePlace:
    """Return the place that ``--from`` names. Raises UsageError."""
    if text.startswith("kafka:"):
        return _kafka(text)
    return FolderPlace(folder_address(text, "--from"))


def folder_address(text: str, what: str) -> str:
    """Return a folder as an address; ``what`` names it in errors. Raises UsageError."""
    if not text:
        raise UsageError(f"{what} is empty", fix="name a folder, such as /data/inbox or s3a://bucket/inbox")
    scheme = _ADDRESS.match(text)
    if scheme is None:
        return Path(text).absolute().as_uri()
    if scheme[1].lower() in ("s3", "s3n"):
        raise UsageError(
            f"{what} names {text}: Spark reads S3 with Hadoop's s3a",
            fix=f"write s3a{text[len(scheme[1]) :]}",
        )
    return text.rstrip("/")


def _kafka(text: str) -> KafkaPlace:
    servers, slash, topics = text.removeprefix(_KAFKA).partition("/")
    if "@" in servers:
        raise UsageError(
            "--from contains a user or a password, which would appear in logs and process lists",
            fix="pass them as options: --option kafka.security.protocol=SASL_SSL --option kafka.sasl.jaas.config=@FILE",
        )
    if not text.startswith(_KAFKA) or not servers or not slash:
        raise UsageError(f"--from has no topic: {text}", fix=_EXAMPLE)
    names = tuple(topics.rstrip("/").split(","))
    wrong = next((name for name in names if not _TOPIC.match(name) or name in (".", "..")), None)
    if wrong is not None:
        raise UsageError(f"'{wrong}' is not a name of a Kafka topic", fix=_EXAMPLE)
    return KafkaPlace(tuple(map(_with_port, servers.split(","))), names)


def _with_port(server: str) -> str:
    host, colon, port = server.rpartition(":")
    if not colon or server.endswith("]"):  # an IPv6 address has colons of its own
        host, port = server, str(_PORT)
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"'{server}' is not a broker of Kafka", fix=_EXAMPLE)
    return f"{host}:{port}"


def is_folder(at: str) -> bool:
    """Return True where tables are in a folder, False for the name of a schema in a catalog."""
    return "/" in at


def tables_place(to: str, at: str) -> str:
    """Return the place of the tables: for Iceberg in a folder, the schema in the catalog of the folder."""
    return f"{WAREHOUSE_CATALOG}.messages" if to == "iceberg" and is_folder(at) else at
