"""The generated views, over tables that were ingested: what they show, and what they do not."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from babelreg.gen.target import generated_messages
from babelreg.gen.targets.spark import target as target
from babelreg.gen.write import write
from babelreg.model import Registry
from babelreg.spark import all_files, dataset, ingest, versions

pytestmark = pytest.mark.spark

SHAPES = 10
ORDERS, MADE = "urn:babel:orders:created", "urn:babel:shapes:n{}"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "integer", "description": "Order number; it's \\ ${env:HOME} `x`."},
        "lang": {"type": "string"},
        "total": {"type": "object", "properties": {"minor": {"type": "integer"}, "currency": {"type": "string"}}},
        "total_minor": {"type": "integer"},
        "a.b": {"type": "string"},
        "at_ms": {"type": "integer", "x-unit": "epoch-ms"},
        "price": {"type": "string", "x-spark-type": "decimal(10,2)"},
        "free": {},
        "own": {"type": "object", "x-spark-type": "variant"},
        "email": {"type": "string", "x-gdpr-sensitive": "email"},
        "never_s": {"type": "integer", "x-unit": "epoch-s"},
        "born_ms": {"type": "integer", "x-unit": "epoch-ms", "x-gdpr-sensitive": "birth_date"},
        "people": {"type": "array", "items": {"type": ["object", "null"], "properties": {"name": {"type": "string", "x-gdpr-sensitive": "name"}, "role": {"type": "string"}}}},
        "phones": {"type": "array", "items": {"type": "string", "x-gdpr-sensitive": "phone"}},
        "by_email": {"type": "object", "additionalProperties": {"type": "integer"}, "x-gdpr-sensitive": "email"},
        "notes": {"type": "object", "additionalProperties": {"type": "object", "properties": {"text": {"type": "string", "x-gdpr-sensitive": "note"}, "n": {"type": "integer"}}}},
    },
}  # fmt: skip
DATA: dict[str, Any] = {
    "order_id": 7,
    "lang": "sv",
    "total": {"minor": 12, "currency": "EUR"},
    "total_minor": 99,
    "a.b": "dotted",
    "at_ms": 1_780_000_000_123,
    "price": "12.50",
    "free": {"x": [1, None]},
    "own": {"y": 2},
    "email": "ada@example.com",
    "never_s": 2**62,
    "born_ms": 1_000_000_000_000,
    "people": [{"name": "Ada", "role": "buyer"}, {"role": "payer"}, None],
    "phones": ["+46 1"],
    "by_email": {"bob@example.com": 1},
    "notes": {"k": {"text": "secret", "n": 3}},
    "undeclared": "only in JSON",
}
Make = Callable[..., Registry]


def _shapes() -> ModuleType:
    spec = importlib.util.spec_from_file_location("marked_shapes", Path(__file__).with_name("marked_shapes.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


MARKED = {MADE.format(number): _shapes().shape(number) for number in range(SHAPES)}


def _envelope(urn: str, data: Any) -> bytes:
    meta = {"id": urn, "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


@pytest.fixture(scope="module")
def registry(make_registry: Make) -> Registry:
    return make_registry({ORDERS: SCHEMA, **{urn: one.schema for urn, one in MARKED.items()}})


@pytest.fixture(scope="module")
def lake(spark: Any, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("views {a,b} [c]")
    _ingested(spark, registry, home, {ORDERS: DATA, **{urn: one.data for urn, one in MARKED.items()}})
    return home / "out"


def _ingested(spark: Any, registry: Registry, home: Path, documents: dict[str, Any]) -> None:
    (home / "in").mkdir(parents=True)
    (home / "in" / "a.jsonl").write_bytes(b"".join(_envelope(urn, data) for urn, data in documents.items()))
    summary = ingest(spark, registry, home / "in", home / "out")
    assert summary.accepted == len(documents), summary.reasons


@pytest.fixture(scope="module")
def generated(registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ModuleType]:
    def made(**options: Any) -> ModuleType:
        folder = tmp_path_factory.mktemp("generated")
        package = f"made_{folder.name.replace('-', '_')}"
        write(folder, "spark", target.files(registry, {**options, "package": package}))
        with pytest.MonkeyPatch.context() as patched:
            patched.syspath_prepend(str(folder))
            return importlib.import_module(f"{package}.views")

    return made


def _session(spark: Any) -> Any:
    """A session of its own, for queries that are run once: compiling them takes longer than they do."""
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.session.timeZone", "UTC")
    return own


def _row(frame: Any) -> dict[str, Any]:
    (row,) = frame.collect()
    return dict(row.asDict(recursive=True))


def test_a_view_shows_every_property_and_a_masked_one_nothing_personal(
    spark: Any, lake: Path, generated: Callable[..., ModuleType]
) -> None:
    own = _session(spark)
    names = generated().register(own, all_files(lake), urns=[ORDERS])
    assert names == ("orders_created", "orders_created__masked")
    view = own.table("orders_created")
    row = _row(view)
    assert json.loads(row.pop("data_json")) == DATA
    assert row.pop("own").toPython() == DATA["own"]
    assert row == {
        "urn": ORDERS,
        "message_id": ORDERS,
        "trace_id": "t",
        "lang": "go",
        "queue": "q",
        "attempts": 0,
        "created_at": row["created_at"],
        "source_file": "a.jsonl",
        "source_offset": 0,
        "order_id": 7,
        "data_lang": "sv",
        "data.total.minor": 12,
        "total_currency": "EUR",
        "data.total_minor": 99,
        "a_b": "dotted",
        "at_ms": 1_780_000_000_123,
        "price": row["price"],
        "at_ms_timestamp": row["at_ms_timestamp"],
        "free": '{"x":[1,null]}',
        "email": "ada@example.com",
        "never_s": 2**62,
        "never_s_timestamp": None,
        "born_ms": 1_000_000_000_000,
        "born_ms_timestamp": row["born_ms_timestamp"],
        "people": [{"name": "Ada", "role": "buyer"}, {"name": None, "role": "payer"}, None],
        "phones": ["+46 1"],
        "by_email": {"bob@example.com": 1},
        "notes": {"k": {"text": "secret", "n": 3}},
    }
    assert str(row["price"]) == "12.50"
    instant = own.sql("SELECT at_ms_timestamp = timestamp'2026-05-28T20:26:40.123Z' AS same FROM orders_created")
    assert _row(instant) == {"same": True}
    comments = {field.name: field.metadata.get("comment") for field in view.schema}
    assert comments["order_id"] == SCHEMA["properties"]["order_id"]["description"]
    assert comments["message_id"].startswith("meta.id")

    masked = _row(own.table("orders_created__masked"))
    assert masked.pop("own").toPython() == DATA["own"]
    hidden = {"email": None, "born_ms": None, "born_ms_timestamp": None, "phones": [None], "by_email": None}
    nested = {
        "people": [{"name": None, "role": "buyer"}, {"name": None, "role": "payer"}, None],
        "notes": {"k": {"text": None, "n": 3}},
    }
    assert masked == {**row, **hidden, **nested}
    assert [(f.name, f.dataType.simpleString()) for f in own.table("orders_created__masked").schema] == [
        (f.name, f.dataType.simpleString()) for f in view.schema if f.name != "data_json"
    ]


def test_json_text_is_variant_and_text_a_digest_where_the_settings_say_so(
    spark: Any, lake: Path, generated: Callable[..., ModuleType]
) -> None:
    own = _session(spark)
    views = generated(variant=True, mask={"email": "hash", "phone": "hash", "name": None})
    with pytest.raises(ValueError, match="pass mask_key"):
        views.register(own, all_files(lake), urns=[ORDERS])
    views.register(own, all_files(lake), urns=[ORDERS], mask_key="it's \\ a ${secret}")
    assert _row(own.sql("SELECT variant_get(free, '$.x[0]', 'int') AS x FROM orders_created")) == {"x": 1}
    row = _row(own.sql("SELECT email, phones, by_email, people FROM orders_created__masked"))
    import hashlib

    digest = hashlib.sha256(b"it's \\ a ${secret}ada@example.com").hexdigest()
    assert row["email"] == digest
    assert [len(phone) for phone in row["phones"]] == [64]
    assert (row["by_email"], row["people"][0]) == (None, {"name": None, "role": "buyer"})


def test_the_sql_takes_the_secret_of_digests_from_the_session(
    spark: Any, lake: Path, registry: Registry, generated: Callable[..., ModuleType]
) -> None:
    from pyspark.errors import ParseException

    views, own = generated(mask={"email": "hash"}), _session(spark)
    views.register(own, all_files(lake), urns=[ORDERS], mask_key="it's")
    wanted = _row(own.sql("SELECT email FROM orders_created__masked"))
    text = Path(str(views.__file__)).with_name("orders_created.sql").read_text("utf-8")
    assert "-- Digests need a secret: SET babelreg.mask_key='a secret';\n" in text
    masked = text.split(";\n")[-2]
    with pytest.raises(ParseException):
        own.sql(masked)
    own.sql("SET babelreg.mask_key='it\\'s'")
    own.sql("DROP VIEW orders_created__masked")
    own.sql(masked)
    assert _row(own.sql("SELECT email FROM orders_created__masked")) == wanted


def test_no_personal_word_of_any_document_is_in_a_masked_view(
    spark: Any, lake: Path, generated: Callable[..., ModuleType]
) -> None:
    _held_to_marks(spark, lake, generated(), MARKED)


@pytest.mark.long
def test_no_personal_word_of_many_documents_is_in_a_masked_view(
    spark: Any, make_registry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for start in range(0, 200, 50):
        shapes = {MADE.format(number): _shapes().shape(number) for number in range(1000 + start, 1050 + start)}
        made = make_registry({urn: one.schema for urn, one in shapes.items()})
        home = tmp_path / str(start)
        _ingested(spark, made, home, {urn: one.data for urn, one in shapes.items()})
        package = f"many_{start}"
        write(home, "spark", target.files(made, {"package": package}))
        monkeypatch.syspath_prepend(str(home))
        _held_to_marks(spark, home / "out", importlib.import_module(f"{package}.views"), shapes)


def _held_to_marks(spark: Any, lake: Path, views: ModuleType, shapes: dict[str, Any]) -> None:
    own = _session(spark)
    views.register(own, all_files(lake), urns=list(shapes))
    names = {urn: urn.split(":", 2)[2].replace(":", "_") for urn in shapes}
    selects = [f"SELECT urn, to_json(struct(*)) AS row FROM {name}__masked" for name in names.values()]
    masked = {row["urn"]: row["row"] for row in own.sql(" UNION ALL ".join(selects)).collect()}
    plain = {urn: repr(dataset(lake, urn).to_table(columns=["data"]).to_pylist()) for urn in shapes}
    assert masked.keys() == shapes.keys()
    assert sum(len(one.personal) for one in shapes.values()) > len(shapes)
    for urn, one in shapes.items():
        assert {word for word in one.personal | one.open if word not in plain[urn]} == set(), urn
        assert {word for word in one.personal if word in masked[urn]} == set(), (urn, one.schema)
    # What is not personal stays, but for JSON text of which a part is.
    kept = sum(word in masked[urn] for urn, one in shapes.items() for word in one.open)
    assert kept > 0.5 * sum(len(one.open) for one in shapes.values())


def test_a_table_without_files_has_no_rows_and_views_show_other_rows_put_below_them(
    spark: Any, lake: Path, registry: Registry, generated: Callable[..., ModuleType]
) -> None:
    own = _session(spark)
    generated().register(own, {}, urns=[ORDERS])
    assert own.table("orders_created__masked").collect() == []
    versions(own, registry, lake, ORDERS).createOrReplaceTempView("orders_created__rows")
    assert _row(own.sql("SELECT order_id, email FROM orders_created__masked")) == {"order_id": 7, "email": None}


ODD, FINE = "urn:babel:odd:named", "urn:babel:odd:plain"
SUBSTITUTE = "spark.sql.variable.substitute"


@pytest.fixture
def odd(tmp_path: Path, make_registry: Make, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """A function that makes the views of two messages, one with names that Spark would expand, and imports them."""

    def made(left_out: dict[str, str] | None = None, spoil: str = "") -> ModuleType:
        schemas: dict[str, Any] = {FINE: {"type": "object", "properties": {"a": {"type": "string"}}}}
        if not left_out:
            names = ["${env:HOME}", "${x", "y}"]
            nested = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
            schemas[ODD] = {"type": "object", "properties": {**nested["properties"], "in": nested}}
        package = f"odd_{tmp_path.name}"
        options = {"package": package, "left_out": left_out or {}}
        write(tmp_path, "spark", target.files(make_registry(schemas), options))
        if spoil:
            sql = tmp_path / package / "odd_named.sql"
            sql.write_text(sql.read_text("utf-8").replace("\nAS SELECT", f"\nAS {spoil}"))
        monkeypatch.syspath_prepend(str(tmp_path))
        return importlib.import_module(f"{package}.views")

    return made


@pytest.mark.parametrize("before", ["true", "false"])
def test_names_with_variables_are_taken_as_they_are(spark: Any, odd: Callable[..., ModuleType], before: str) -> None:
    own = _session(spark)
    own.conf.set(SUBSTITUTE, before)
    made = odd().register(own, {}, urns=[ODD, FINE])
    assert made == ("odd_named", "odd_named__masked", "odd_plain", "odd_plain__masked")
    columns = own.table("odd_named").columns
    assert [name for name in columns if name not in own.table("odd_plain").columns] == [
        *("_env_HOME_", "_x", "y_", "in__env_HOME_", "in__x", "in_y_"),
    ]
    assert own.conf.get(SUBSTITUTE) == before


def test_one_view_that_fails_takes_no_other_with_it(spark: Any, odd: Callable[..., ModuleType]) -> None:
    own, views = _session(spark), odd(spoil="SELECT nothing FROM nowhere;")
    with pytest.raises(views.ViewError, match=f"(?s)no view for 1 of the messages:\n  {ODD}: .+") as raised:
        views.register(own, {}, urns=[ODD, FINE])
    assert (list(raised.value.failed), raised.value.made) == ([ODD], ("odd_plain", "odd_plain__masked"))
    assert own.table("odd_plain__masked").collect() == []
    assert own.conf.get(SUBSTITUTE) == "true"


def test_a_message_that_was_left_out_is_named_when_the_others_are_there(
    spark: Any, odd: Callable[..., ModuleType]
) -> None:
    own, views = _session(spark), odd(left_out={ODD: "its schema cannot be used"})
    with pytest.raises(views.ViewError, match=f"{ODD}: its schema cannot be used"):
        views.register(own, {})
    assert own.table("odd_plain").collect() == []
    assert views.register(own, {}, urns=tuple(views.VIEWS)) == ("odd_plain", "odd_plain__masked")
    with pytest.raises(KeyError, match="urn:babel:no:such"):
        views.register(own, {}, urns=["urn:babel:no:such"])


def test_every_message_has_its_view(registry: Registry, generated: Callable[..., ModuleType]) -> None:
    assert set(generated().VIEWS) == {message.urn for message in generated_messages(registry)}
