"""Jars that a stream needs, and the settings that bring them."""

from __future__ import annotations

import pytest

from babelreg.errors import UsageError
from babelreg.spark.platform.stream.place import source_place
from babelreg.spark.platform.stream.spark_jars import needed, packages, settings


@pytest.mark.parametrize(
    "source, to, places, titles",
    [
        pytest.param("kafka://b/t", "delta", ["/t", "/c"], ["Kafka's source", "Delta Lake"], id="Kafka to Delta"),
        pytest.param("s3a://b/in", "iceberg", ["/t", "/c"], ["S3", "Apache Iceberg"], id="S3 in"),
        pytest.param("in", "delta", ["/t", "s3a://b/c"], ["S3", "Delta Lake"], id="a checkpoint in S3"),
        pytest.param("in", "delta", ["/t", "/c"], ["Delta Lake"], id="folders"),
    ],
)
def test_a_stream_needs_the_jars_of_its_places(source: str, to: str, places: list[str], titles: list[str]) -> None:
    assert [jars.title for jars in needed(source_place(source), to, places, "4.1.4", "3.4.2")] == titles


def test_s3_comes_without_the_bundle_of_all_of_aws() -> None:
    made = packages(needed(source_place("s3a://b/in"), "delta", [], "4.1.4", "3.4.2"))
    assert "org.apache.hadoop:hadoop-aws:3.4.2" in made["spark.jars.packages"].split(",")
    assert made["spark.jars.excludes"] == "software.amazon.awssdk:bundle"


def test_a_spark_without_jars_is_refused_with_the_line_that_helps() -> None:
    with pytest.raises(UsageError, match=r"Spark 4\.3\.0, only for Spark 4\.0, 4\.1") as raised:
        needed(source_place("in"), "iceberg", [], "4.3.0", "3.4.2")
    assert raised.value.fix is not None
    assert "babelreg[platform]" in raised.value.fix


def test_a_folder_of_iceberg_gets_a_catalog_and_a_schema_does_not() -> None:
    assert settings("iceberg", "s3a://b/t")["spark.sql.catalog.babelreg.warehouse"] == "s3a://b/t"
    assert settings("iceberg", "lake.t") == {}
