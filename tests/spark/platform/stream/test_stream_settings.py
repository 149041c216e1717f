"""Settings of a stream from what people write."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.errors import UsageError
from babelreg.spark.platform.stream.stream_settings import StreamSettings, stream_settings

SECRET = 'org.apache.kafka.common.security.plain.PlainLoginModule required password="hunter2";'


def settings(**options: str) -> StreamSettings:
    return stream_settings("kafka://b/t", "delta", "/tables", "/checkpoint", options=options)


def test_a_value_comes_from_a_file_and_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "jaas").write_text(f"{SECRET}\n")
    made = settings(**{"kafka.sasl.jaas.config": f"@{tmp_path}/jaas"})
    assert made.options == {"kafka.sasl.jaas.config": SECRET}
    assert "hunter2" not in repr(made)


@pytest.mark.parametrize(
    "name", ["subscribe", "startingOffsets", "failOnDataLoss", "kafka.bootstrap.servers", "maxOffsetsPerTrigger"]
)
def test_an_option_with_a_name_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=name) as raised:
        settings(**{name: "x"})
    assert raised.value.fix is not None
    assert raised.value.fix.startswith("use --")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"kafka\.password from .*/none"):
        settings(**{"kafka.password": f"@{tmp_path}/none"})


@pytest.mark.parametrize(
    "to, at, tables",
    [
        pytest.param("delta", "lake.tables", "lake.tables", id="a schema"),
        pytest.param("delta", "./tables", (Path.cwd() / "tables").as_uri(), id="a relative folder"),
        pytest.param("delta", "s3a://b/tables", "s3a://b/tables", id="a bucket"),
        pytest.param("iceberg", "lake.tables", "lake.tables", id="a schema of Iceberg"),
        pytest.param(
            "iceberg", "s3a://b/tables", "babelreg.messages", id="a folder of Iceberg has a catalog of its own"
        ),
    ],
)
def test_tables_have_a_place(to: str, at: str, tables: str) -> None:
    assert stream_settings("in", to, at, "cp").tables_at == tables
