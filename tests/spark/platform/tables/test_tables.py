"""What cannot be written is refused before a session is asked, with what to do."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from babelreg.errors import BabelregError, UsageError
from babelreg.model import Registry
from babelreg.spark import BatchCounts, Tables
from babelreg.spark.platform.formats.batch_key import query_id
from babelreg.spark.platform.formats.jar_coordinates import check_spark, missing_jars

URN = "urn:babel:shop:paid"


@pytest.fixture(scope="module")
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({URN: {"type": "object", "properties": {"n": {"type": "integer"}}}})


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param({"to": "hudi"}, "to= one of: delta, iceberg", id="an unknown format"),
        pytest.param({"at": "shop"}, "at='catalog.schema'", id="a place without a schema"),
        pytest.param(
            {"position": ["offset", "Reason"]},
            "'Reason' cannot be kept: the tables have",
            id="a column of the quarantine",
        ),
        pytest.param(
            {"position": ["batch"]}, "'batch' cannot be kept: the tables have", id="a column that tells batches apart"
        ),
        pytest.param({"position": ["created_day"]}, "rename it: df.withColumnRenamed", id="the partition of tables"),
        pytest.param({"position": [URN]}, "cannot be kept", id="a column of typed data"),
        pytest.param({"position": ["__BabelReg_n"]}, "reserved for babelreg", id="a name of an internal column"),
        pytest.param({"position": ["n", "N"]}, "contains 'N' twice", id="a name twice, but for its case"),
        pytest.param({"position": [1]}, "a column name is a string, not int", id="a number"),
        pytest.param({"position": "offset"}, "position is a list of columns", id="a text"),
        pytest.param({"wire": "strata"}, "received_at=", id="foreign messages without a time"),
    ],
)
def test_misuse_is_refused_at_once(options: dict[str, Any], message: str, registry: Registry) -> None:
    with pytest.raises(BabelregError, match=message):
        Tables(registry, **{"to": "delta", "at": "/lake", **options})


@pytest.mark.parametrize(
    "given, lacking",
    [
        pytest.param({}, "an application", id="neither"),
        pytest.param({"batch": 1}, "an application", id="no application"),
        pytest.param({"application": "nightly"}, "the number of the batch", id="no number"),
    ],
)
def test_a_batch_job_names_its_batch(given: dict[str, Any], lacking: str, registry: Registry) -> None:
    with pytest.raises(UsageError) as caught:
        Tables(registry, "delta", "/lake").write(object(), **given)  # type: ignore[arg-type]
    assert f"write() needs {lacking}" in str(caught.value)
    assert "batch=20261122" in str(caught.value)


def test_a_query_of_connect_must_be_named_and_the_error_says_why() -> None:
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    with pytest.raises(UsageError) as caught:
        query_id(frame)
    assert "count from 0 again" in str(caught.value)
    assert "application=" in str(caught.value)


@pytest.mark.parametrize(
    "title, version, named",
    [
        pytest.param("Delta Lake", "4.1.4", "io.delta:delta-spark_4.1_2.13:4.4.0", id="Delta"),
        pytest.param("Apache Iceberg", "4.0.1", "iceberg-spark-runtime-4.0_2.13:1.12.0", id="Iceberg"),
        pytest.param("Delta Lake", "4.3.0", "pip install 'babelreg[platform]'", id="too new for Delta"),
        pytest.param("Apache Iceberg", "4.2.0", "only for Spark 4.0, 4.1", id="too new for Iceberg"),
    ],
)
def test_missing_jars_are_named_for_the_version_of_spark(title: str, version: str, named: str) -> None:
    try:
        error: UsageError = missing_jars(title, version, {"spark.sql.extensions": "x"})
        assert check_spark(title, version) in str(error)
    except UsageError as err:
        error = err
    assert named in str(error)


def test_counts_add_up() -> None:
    rows = (
        (URN, "accepted", None, 5),
        (URN, "duplicate", None, 2),
        (URN, "quarantined", "not_an_integer", 3),
        (None, "quarantined", "invalid_json", 4),
        (None, "empty", None, 1),
    )
    counts = BatchCounts("nightly", 7, rows)
    assert counts.read == counts.accepted + counts.duplicates + counts.quarantined + counts.empty == 15
    assert counts.tables == {URN: 5}
    assert list(counts.reasons.items()) == [("invalid_json", 4), ("not_an_integer", 3)]


def test_tables_travel_to_a_connect_server(registry: Registry) -> None:
    tables = Tables(registry, "iceberg", "ice.shop", application="orders-1", position=["offset"])
    again = pickle.loads(pickle.dumps(tables.foreach_batch)).__self__
    assert vars(again).keys() == vars(tables).keys()
    assert again._spec.key == tables._spec.key
