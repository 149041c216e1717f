"""A registry is read whole, and every defect of its files is a finding at its place."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path

import pytest

from babelreg import load
from babelreg.errors import UsageError
from babelreg.load.files.tree import Memory
from babelreg.model import Registry, SparkSettings, Thresholds, Wires

SOUND = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "_services/shop.yaml": "owner: team-shop\nlang: php\n",
    "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\ndata: {type: object}\n",
}


RANGE = "write a share from 0% to 100%"


def read(files: dict[str, str | bytes]) -> Registry:
    return load.from_tree(
        Memory({path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()})
    )


def test_the_example_registry_is_sound():
    registry = load.registry(Path(__file__).parents[3] / "registry.example")
    assert registry.defects == ()
    assert len(registry.messages) >= 10
    assert {service.lang for service in registry.services.values()} == {"php", "go", "python", "java", "dotnet", "node"}


def test_a_message_says_what_its_file_says():
    registry = read(
        SOUND
        | {
            "_services/crm.yaml": "consumes: [{urn: 'urn:babel:orders:created', reads: [id]}]\n",
            "_common/money.yaml": "type: integer\n",
            "orders/created.yaml": (
                "urn: urn:babel:orders:created\nkind: event\nproducers: [shop]\nconsumers: [shop]\n"
                "delivery: {max_attempts: 7, time_limit_seconds: 1.5}\nqueue: q\nheaders: true\n"
                "data:\n  type: object\n  properties:\n    total: {$ref: ../_common/money.yaml}\n"
                "examples: [{total: 1}]\ncounterexamples: [{because: b, data: {total: x}}]\n"
                "upcast: [{rename: {a: b}}]\n"
            ),
        }
    )
    assert registry.defects == ()
    (message,) = registry.messages
    assert (message.owner, message.status, message.queue, message.producers) == (
        "team-orders",
        "active",
        "q",
        ("shop",),
    )
    assert message.headers
    assert registry.consumers(message.urn) == ("crm", "shop")
    assert message.delivery is not None
    assert (message.delivery.max_attempts, message.delivery.time_limit_seconds) == (7, 1.5)
    assert message.schema == {
        "type": "object",
        "properties": {"total": {"$ref": "#/$defs/money"}},
        "$defs": {"money": {"type": "integer"}},
    }
    assert str(message.place(("properties", "total"))) == "orders/created.yaml:11:12"
    assert str(message.place(("$defs", "money", "type"))) == "_common/money.yaml:1:7"
    assert str(message.examples[0].source.place(message.examples[0].pointer)) == "orders/created.yaml:12:12"


@pytest.mark.parametrize(
    "files, rule, place",
    [
        pytest.param({"orders/created.yaml": "urn: [\n"}, "yaml-syntax", "orders/created.yaml:1:6", id="no YAML"),
        pytest.param(
            {"orders/created.yaml": "urn: a\nurn: b\n"},
            "yaml-duplicate-key",
            "orders/created.yaml:2:1",
            id="a key twice",
        ),
        pytest.param(
            {"orders/created.yaml": "[" * 100_000}, "yaml-too-deep", "orders/created.yaml:1:129", id="100,000 levels"
        ),
        pytest.param(
            {"orders/created.yaml": "urn: '" + "a" * 20_000_000},
            "file-too-large",
            "orders/created.yaml",
            id="20 MB in one scalar",
        ),
        pytest.param(
            {"orders/created.yaml": "urn: caf\xe9".encode("latin-1")},
            "file-unreadable",
            "orders/created.yaml:1:9",
            id="Latin-1",
        ),
        pytest.param(
            {"orders/created.yaml": "urn: x".encode("utf-16")},
            "file-unreadable",
            "orders/created.yaml:1:1",
            id="UTF-16",
        ),
        pytest.param({"orders/created.yaml": ""}, "value-invalid", "orders/created.yaml:1:1", id="an empty file"),
        pytest.param({"orders/created.yaml": "- a\n"}, "value-invalid", "orders/created.yaml:1:1", id="a list"),
        pytest.param(
            {"orders/created.yaml": "kind: event\ndata: {}\n"}, "key-missing", "orders/created.yaml:1:1", id="no urn"
        ),
        pytest.param(
            {"orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\n"},
            "key-missing",
            "orders/created.yaml:1:1",
            id="no data",
        ),
        pytest.param(
            {"orders/created.yaml": SOUND["orders/created.yaml"] + "prodcers: [a]\n"},
            "key-unknown",
            "orders/created.yaml:4:1",
            id="a misspelt key",
        ),
        pytest.param(
            {"orders/created.yaml": SOUND["orders/created.yaml"] + "producers: shop\n"},
            "value-invalid",
            "orders/created.yaml:4:12",
            id="text for a list",
        ),
        pytest.param(
            {"orders/created.yaml": SOUND["orders/created.yaml"] + "queue: 5\n"},
            "value-invalid",
            "orders/created.yaml:4:8",
            id="a number for text",
        ),
        pytest.param(
            {"orders/created.yaml": "urn: urn:babel:orders:created\nkind: evnt\ndata: {}\n"},
            "value-invalid",
            "orders/created.yaml:2:7",
            id="an unknown kind",
        ),
        pytest.param(
            {"orders/created.yaml": "urn: urn:babel:orders:created\nstatus: retired\n"},
            "key-missing",
            "orders/created.yaml:1:1",
            id="a tombstone without a date",
        ),
        pytest.param(
            {"orders/created.yml": SOUND["orders/created.yaml"]},
            "file-misplaced",
            "orders/created.yml",
            id="the other ending",
        ),
        pytest.param(
            {"orders/nul.yaml": SOUND["orders/created.yaml"]},
            "file-name-reserved",
            "orders/nul.yaml",
            id="a device name",
        ),
        pytest.param(
            {"orders/con.v2.yaml": SOUND["orders/created.yaml"]},
            "file-name-reserved",
            "orders/con.v2.yaml",
            id="a device name with a version",
        ),
        pytest.param(
            {"orders/_money.yaml": "type: object"}, "file-misplaced", "orders/_money.yaml", id="a fragment in a context"
        ),
        pytest.param(
            {"babelreg.yaml": "version: 2\n"}, "value-invalid", "babelreg.yaml:1:10", id="a version from the future"
        ),
        pytest.param(
            {"babelreg.yaml": "version: 1\ncompatability: {}\n"},
            "key-unknown",
            "babelreg.yaml:2:1",
            id="a misspelt setting",
        ),
        pytest.param(
            {"babelreg.yaml": "version: 1\nimports: []\n"},
            "key-unknown",
            "babelreg.yaml:2:1",
            id="imports are reserved",
        ),
        pytest.param(
            {"_services/shop.yaml": "lang: ruby\n"}, "value-invalid", "_services/shop.yaml:1:7", id="a seventh language"
        ),
        pytest.param(
            {"orders/_context.yaml": "owner: [a]\n"},
            "value-invalid",
            "orders/_context.yaml:1:8",
            id="a list for an owner",
        ),
        pytest.param(
            {"orders/created.yaml": SOUND["orders/created.yaml"] + "examples: {file: a.jsonl}\n"},
            "ref-missing",
            "orders/created.yaml:4:18",
            id="no file of examples",
        ),
        pytest.param(
            {"orders/created.yaml": SOUND["orders/created.yaml"] + "examples: {file: ../../a.jsonl}\n"},
            "ref-outside-registry",
            "orders/created.yaml:4:18",
            id="examples from outside",
        ),
        pytest.param(
            {
                "orders/created.yaml": SOUND["orders/created.yaml"] + "examples: {file: a.jsonl}\n",
                "orders/a.jsonl": "{}\n{nope\n",
            },
            "examples-unreadable",
            "orders/a.jsonl:2:2",
            id="examples that are no JSON",
        ),
    ],
)
def test_a_defect_is_a_finding_at_its_place(files, rule, place):
    registry = read(SOUND | files)
    assert [(f.rule, str(f.place)) for f in registry.defects] == [(rule, place)]
    assert registry.contexts["orders"] is not None


def message(schema: str) -> dict[str, str]:
    return {
        "orders/created.yaml": f"urn: urn:babel:orders:created\nkind: event\ndata:\n  properties:\n    a: {schema}\n"
    }


@pytest.mark.parametrize(
    "files, rule, place",
    [
        pytest.param(
            message("{$ref: ../../secret.yaml}"),
            "ref-outside-registry",
            "orders/created.yaml:5:15",
            id="out of the registry",
        ),
        pytest.param(
            message("{$ref: /etc/passwd}"), "ref-outside-registry", "orders/created.yaml:5:15", id="an absolute path"
        ),
        pytest.param(
            message("{$ref: 'file:///etc/passwd'}"), "ref-outside-registry", "orders/created.yaml:5:15", id="a file URL"
        ),
        pytest.param(
            message("{$ref: 'https://example.com/a.json'}"),
            "ref-outside-registry",
            "orders/created.yaml:5:15",
            id="a web address",
        ),
        pytest.param(
            message("{$ref: '..\\..\\secret.yaml'}"),
            "ref-outside-registry",
            "orders/created.yaml:5:15",
            id="backslashes",
        ),
        pytest.param(
            message("{$ref: ..%2F..%2Fsecret.yaml}"),
            "ref-outside-registry",
            "orders/created.yaml:5:15",
            id="escaped slashes",
        ),
        pytest.param(
            message("{$ref: ../_common/nope.yaml}"), "ref-missing", "orders/created.yaml:5:15", id="no such file"
        ),
        pytest.param(
            message("{$ref: '#/$defs/nope'}"), "ref-missing", "orders/created.yaml:5:15", id="no such definition"
        ),
        pytest.param(message("{$ref: 'money'}"), "ref-missing", "orders/created.yaml:5:15", id="no file ending"),
        pytest.param(message("{$ref: '#/properties/a'}"), "ref-circular", "orders/created.yaml:5:15", id="to itself"),
        pytest.param(
            message("{$ref: ../_common/a.yaml}")
            | {"_common/a.yaml": "$ref: b.yaml\n", "_common/b.yaml": "$ref: a.yaml\n"},
            "ref-circular",
            "orders/created.yaml:5:15",
            id="round through two files",
        ),
        pytest.param(
            message("{$id: 'urn:x', type: string}"), "ref-unsupported", "orders/created.yaml:5:14", id="an $id"
        ),
        pytest.param(
            message("{not: {$schema: 'http://json-schema.org/draft-07/schema#', type: string}}"),
            "ref-unsupported",
            "orders/created.yaml:5:24",
            id="another dialect within",
        ),
        pytest.param(
            message("{type: string, $defs: {b: {$schema: 'https://schemas.example/own', type: string}}}"),
            "ref-unsupported",
            "orders/created.yaml:5:44",
            id="an unknown dialect within",
        ),
        pytest.param(
            message("{$ref: ../_common/a.yaml}")
            | {"_common/a.yaml": "properties:\n  b: {$schema: 'http://json-schema.org/draft-04/schema'}\n"},
            "ref-unsupported",
            "_common/a.yaml:2:16",
            id="another dialect within a fragment",
        ),
        pytest.param(
            message("{$ref: ../_common/a.yaml}") | {"_common/a.yaml": "- 1\n"},
            "ref-missing",
            "orders/created.yaml:5:15",
            id="a fragment that is a list",
        ),
        pytest.param(
            message("{$ref: '#a%ZZ'}"), "ref-missing", "orders/created.yaml:5:15", id="a name instead of a pointer"
        ),
    ],
)
def test_a_reference_that_cannot_be_followed_is_a_finding(files, rule, place):
    registry = read(SOUND | files)
    assert [(f.rule, str(f.place)) for f in registry.defects] == [(rule, place)]
    assert registry.messages[0].schema is None


def test_a_schema_may_refer_to_itself_through_a_property():
    registry = read(
        SOUND | message("{$ref: ../_common/tree.yaml}") | {"_common/tree.yaml": "properties: {child: {$ref: '#'}}\n"}
    )
    assert registry.defects == ()
    assert registry.messages[0].schema["$defs"]["tree"] == {"properties": {"child": {"$ref": "#/$defs/tree"}}}


def test_two_fragments_of_the_same_name_keep_apart():
    files = message("{anyOf: [{$ref: ../_common/a.yaml}, {$ref: ../billing/a.yaml}]}") | {
        "_common/a.yaml": "type: string\n",
        "billing/a.yaml": "type: integer\n",
    }
    (created,) = read(SOUND | files).messages
    assert created.schema["$defs"] == {"common_a": {"type": "string"}, "billing_a": {"type": "integer"}}


def test_a_ref_inside_data_is_data():
    assert read(SOUND | message("{const: {$ref: ../nowhere.yaml}}")).defects == ()


def test_a_broken_fragment_is_reported_once_and_at_each_use():
    second = message("{$ref: ../_common/a.yaml}")["orders/created.yaml"].replace("created", "paid")
    files = message("{$ref: ../_common/a.yaml}") | {"orders/paid.yaml": second, "_common/a.yaml": "a: [\n"}
    assert [(f.rule, f.place.path) for f in read(SOUND | files).defects] == [
        ("yaml-syntax", "_common/a.yaml"),
        ("ref-missing", "orders/created.yaml"),
        ("ref-missing", "orders/paid.yaml"),
    ]


def test_names_of_other_wire_formats_come_with_the_settings():
    names = {
        "flowlayer": {"commands": {"start_service": "urn:a"}, "events": {"log": "urn:b"}},
        "phpmq": {"queues": {"Foo": "urn:c"}},
        "strata": {"Orders": {"createOrder": {"request": "urn:d", "response": "urn:e"}}},
    }
    wires = read(SOUND | {"babelreg.yaml": f"version: 1\nwires: {json.dumps(names)}\n"}).settings.wires
    assert wires.blocks == names
    assert read(SOUND).settings.wires == Wires()


@pytest.mark.parametrize(
    "wires, found",
    [
        pytest.param("{phpmq: {queue: {Foo: urn:a}}}", ("2:17", "did you mean 'queues'?"), id="a misspelt group"),
        pytest.param("{phpmg: {}}", ("2:9", "did you mean 'phpmq'?"), id="a misspelt format"),
        pytest.param("{babelqueue: {}}", ("2:9", "the keys here are: cloudevents, flowlayer, json, phpmq, strata"), id="no foreign format"),
        pytest.param("{phpmq: {queues: {Foo: 7}}}", ("2:31", "put it in quotes"), id="a number for a URN"),
        pytest.param("{phpmq: {queues: {Foo: ''}}}", ("2:31", None), id="an empty URN"),
        pytest.param("{strata: {Orders: urn:a}}", ("2:26", None), id="a context without operations"),
        pytest.param("{strata: {A: {b: {reply: urn:a}}}}", ("2:26", "the keys here are: post, request, response"),
                     id="no type of message"),
        pytest.param("[]", ("2:8", None), id="a list"),
        pytest.param(
            "{json: {id: a}}",
            ("2:15", "add 'urn', the place of the URN or alias: {field: type}, {topic: true} or {file: true}"),
            id="plain JSON without the place of the URN",
        ),
    ],
)  # fmt: skip
def test_wires_of_another_shape_are_a_finding_at_their_place(wires: str, found: tuple[str, str | None]):
    registry = read(SOUND | {"babelreg.yaml": f"version: 1\nwires: {wires}\n"})
    assert registry.settings.wires == Wires()
    assert [(f"{d.place.line}:{d.place.column}", d.fix) for d in registry.defects] == [found]


@pytest.mark.parametrize(
    "spark, expected",
    [
        pytest.param("{}", SparkSettings(), id="nothing"),
        pytest.param("{engine: local}", SparkSettings(engine="local"), id="the engine"),
        pytest.param("{fail_above: 5%}", SparkSettings(fail_above=Thresholds({"total": Decimal(5)})), id="a share"),
        pytest.param(
            "{hold_above: {total: 100%, each: 0%, urn:babel:a:b: 0.25%}}",
            SparkSettings(
                hold_above=Thresholds({"total": Decimal(100), "each": Decimal(0), "urn:babel:a:b": Decimal("0.25")})
            ),
            id="shares by scope",
        ),
    ],
)
def test_settings_of_spark_come_with_the_settings(spark: str, expected: SparkSettings):
    registry = read(SOUND | {"babelreg.yaml": f"version: 1\nspark: {spark}\n"})
    assert (registry.settings.spark, registry.defects) == (expected, ())


@pytest.mark.parametrize(
    "spark, found",
    [
        pytest.param("{fail_above: 5}", ("2:21", "write 5%"), id="a number without its sign"),
        pytest.param("{fail_above: 0.05}", ("2:21", "write 5%"), id="a fraction"),
        pytest.param("{fail_above: 5 %}", ("2:21", "write 5%"), id="a space before the sign"),
        pytest.param("{hold_above: 101%}", ("2:21", RANGE), id="more than everything"),
        pytest.param("{hold_above: many}", ("2:21", RANGE), id="a word"),
        pytest.param("{hold_above: true}", ("2:21", RANGE), id="true"),
        pytest.param("{hold_above: NaN}", ("2:21", RANGE), id="not a number"),
        pytest.param("{hold_above: {urn:babel:a:b: '5'}}", ("2:37", "write 5%"), id="a URN's share without its sign"),
        pytest.param("{hold_above: {totl: 5%}}", ("2:22", "did you mean 'total'?"), id="a misspelt scope"),
        pytest.param("{hold_above: {orders: 5%}}", ("2:22", "the keys here are: each, total, or a URN"),
                     id="a context for a URN"),
        pytest.param("{fail_abov: 5%}", ("2:9", "did you mean 'fail_above'?"), id="a misspelt key"),
        pytest.param("{engine: locl}", ("2:17", "did you mean 'local'?"), id="a misspelt engine"),
        pytest.param("[]", ("2:8", None), id="a list"),
    ],
)  # fmt: skip
def test_settings_of_spark_of_another_shape_are_a_finding_at_their_place(spark: str, found: tuple[str, str | None]):
    registry = read(SOUND | {"babelreg.yaml": f"version: 1\nspark: {spark}\n"})
    assert registry.settings.spark == SparkSettings()
    assert [(f"{d.place.line}:{d.place.column}", d.fix) for d in registry.defects] == [found]


def test_a_registry_without_settings_says_how_to_write_them():
    (defect,) = read({path: text for path, text in SOUND.items() if path != "babelreg.yaml"}).defects
    assert (defect.rule, defect.place.path) == ("settings-missing", "babelreg.yaml")
    assert defect.fix == "printf 'version: 1\\n' > ./babelreg.yaml"


def test_folders_that_speak_of_no_urn_are_left_alone():
    registry = read(SOUND | {"docs/mkdocs.yaml": "a: [", "src/app.yaml": "x: 1", "node_modules/a.yaml": "&a b"})
    assert registry.defects == ()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in SOUND.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_a_file_that_is_a_folder_is_a_finding(folder):
    (folder / "orders/paid.yaml").mkdir()
    assert [(f.rule, str(f.place)) for f in load.registry(folder).defects] == [("file-unreadable", "orders/paid.yaml")]


def test_settings_that_are_a_folder_are_a_finding(folder):
    (folder / "babelreg.yaml").unlink()
    (folder / "babelreg.yaml").mkdir()
    assert [(f.rule, str(f.place)) for f in load.registry(folder).defects] == [("file-unreadable", "babelreg.yaml")]


def test_a_link_out_of_the_registry_is_not_followed(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.yaml"
    outside.write_text("urn: urn:babel:orders:secret\n")
    (folder / "orders/secret.yaml").symlink_to(outside)
    (defect,) = load.registry(folder).defects
    assert (defect.rule, defect.place.path) == ("ref-outside-registry", "orders/secret.yaml")
    assert "secret\n" not in defect.message


def test_a_link_to_nothing_and_a_link_to_itself_are_findings(folder):
    (folder / "orders/a.yaml").symlink_to("nothing.yaml")
    (folder / "orders/b.yaml").symlink_to("b.yaml")
    assert [(f.rule, f.place.path) for f in load.registry(folder).defects] == [
        ("file-unreadable", "orders/a.yaml"),
        ("file-unreadable", "orders/b.yaml"),
    ]


def test_a_fix_names_the_file_by_the_path_from_here(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    (folder / "orders/a.yaml").symlink_to("nothing.yaml")
    (folder / "orders/b.yaml").symlink_to("b.yaml")
    (folder / "orders/c.yaml").mkdir()
    (folder / "orders/d e.yaml").write_bytes(b"\xff")
    os.mkfifo(folder / "orders/f.yaml")
    assert [defect.fix for defect in load.registry(Path(folder.name)).defects] == [
        f"rm {folder.name}/orders/a.yaml",
        f"rm {folder.name}/orders/b.yaml",
        f"rename the folder {folder.name}/orders/c.yaml",
        f"iconv -f ISO-8859-1 -t UTF-8 '{folder.name}/orders/d e.yaml'",
        f"rm {folder.name}/orders/f.yaml",
    ]


def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "orders/pipe.yaml")
    assert [(f.rule, f.place.path) for f in load.registry(folder).defects] == [("file-unreadable", "orders/pipe.yaml")]


def test_the_root_is_found_from_below(folder, monkeypatch):
    assert load.find_root(folder / "orders" / "created.yaml") == folder
    monkeypatch.chdir(folder / "orders")
    assert load.find_root(".").resolve() == folder.resolve()


def test_no_registry_anywhere_says_how_to_start_one(tmp_path):
    with pytest.raises(UsageError, match="no babelreg.yaml") as caught:
        load.find_root(tmp_path)
    assert "babelreg init" in caught.value.fix


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_registry_that_is_no_folder_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="does not exist|not a folder"):
        load.registry(tmp_path / name)


def test_what_a_defect_quotes_is_bounded(folder):
    (folder / "orders/created.yaml").write_text(
        "urn: urn:babel:orders:created\nkind: event\ndata: {$ref: " + "x/" * 100_000 + "x.yaml}\n"
    )
    (defect,) = (d for d in load.registry(folder).defects if d.rule == "ref-missing")
    assert len(defect.message) <= 1001


def test_a_file_of_misspelt_keys_lists_the_first_of_them(folder):
    (folder / "orders/created.yaml").write_text(
        "urn: urn:babel:orders:created\n" + "".join(f"bad{i}: 1\n" for i in range(5000))
    )
    defects = load.registry(folder).defects
    assert len(defects) == 201
    assert "more than the 200 defects listed here" in defects[0].message


@pytest.mark.parametrize(
    "line, why",
    [
        pytest.param('{"a": NaN}', "NaN is not a number", id="not a number"),
        pytest.param('{"a": -Infinity}', "-Infinity is not a number", id="without end"),
        pytest.param('{"a": 1e400}', "1e400 exceeds the range of a double", id="beyond any double"),
        pytest.param(
            '{"a": 12345678901234567.89}',
            "12345678901234567.89 has more digits than a double: it would be read as 1.2345678901234568e+16",
            id="digits that a double drops",
        ),
        pytest.param('{"a": 9007199254740993.0}', None, id="an integer with a fraction of zero"),
        pytest.param('{"a": ' + "1" * 5000 + "}", "a number in it has too many digits", id="thousands of digits"),
        pytest.param('{"a": "\\ud800"}', "it contains an unpaired surrogate", id="half a character"),
        pytest.param('{"\\udfff": 1}', "it contains an unpaired surrogate", id="half a character in a name"),
        pytest.param("[" * 100_000, "it is nested too deeply", id="brackets"),
        pytest.param('{"a": "\\ud83d\\ude00", "b": 1.5e300}', None, id="a whole character, a large number"),
    ],
)
def test_examples_hold_what_can_be_sent(line: str, why: str | None):
    message = SOUND["orders/created.yaml"] + "examples: {file: a.jsonl}\n"
    opened = read({**SOUND, "orders/created.yaml": message, "orders/a.jsonl": f"{line}\n"})
    assert [f.message for f in opened.defects] == ([f"this line is not JSON: {why}"] if why else [])
    assert len(opened.messages[0].examples) == (why is None)


def test_one_file_that_is_missing_everywhere_is_looked_for_once(monkeypatch: pytest.MonkeyPatch):
    import difflib

    asked: list[str] = []
    real = difflib.get_close_matches
    monkeypatch.setattr(difflib, "get_close_matches", lambda word, *rest: asked.append(word) or real(word, *rest))
    message = "urn: urn:babel:orders:m{0}\nkind: event\ndata: {{$ref: ../_common/{1}.yaml}}\n"
    files = {f"orders/m{n}.yaml": message.format(n, f"mony{n % 80}") for n in range(400)}
    opened = read({**SOUND, "_common/money.yaml": "type: object\n", **files})
    fixes = [defect.fix for defect in opened.defects]
    assert len(asked) == 50
    assert fixes.count("did you mean $ref: ../_common/money.yaml?") == 250


@pytest.mark.parametrize(
    "line, fix",
    [
        ("tags: [a]", "the keys here are: "),
        ("id: a", "did you mean 'urn'?"),
        ("schema: {}", "did you mean 'data'?"),
        ("payload: {}", "did you mean 'data'?"),
        ("topic: a", "did you mean 'queue'?"),
        ("type: event", "did you mean 'kind'?"),
        ("desription: a", "did you mean 'description'?"),
        ("state: active", "did you mean 'status'?"),
    ],
)
def test_a_key_is_taken_for_another_only_where_it_is_likely(line, fix):
    registry = read(SOUND | {"orders/created.yaml": SOUND["orders/created.yaml"] + line + "\n"})
    assert [defect.fix.startswith(fix) for defect in registry.defects] == [True]


@pytest.mark.parametrize(
    "value, fix",
    [
        pytest.param("0", "write a number above 0 and up to 86400", id="no time at all"),
        pytest.param("-1", "write a number above 0 and up to 86400", id="negative"),
        pytest.param("86401", "write a number above 0 and up to 86400", id="more than a day"),
        pytest.param("30s", "write 30, without the unit", id="a unit"),
        pytest.param("'2.5'", "write 2.5, without quotes", id="quotes"),
        pytest.param("true", "write a number above 0 and up to 86400", id="a truth value"),
    ],
)
def test_a_time_limit_is_a_positive_number_of_seconds(value, fix):
    text = SOUND["orders/created.yaml"] + f"delivery: {{time_limit_seconds: {value}}}\n"
    (defect,) = read(SOUND | {"orders/created.yaml": text}).defects
    assert (str(defect.place), defect.fix) == ("orders/created.yaml:4:32", fix)


def test_a_number_in_quotes_is_said_how_to_write():
    text = SOUND["orders/created.yaml"] + "delivery: {max_attempts: '5'}\n"
    assert [f.fix for f in read(SOUND | {"orders/created.yaml": text}).defects] == ["write 5, without quotes"]


@pytest.mark.parametrize(
    "aliases, found",
    [
        pytest.param("[Web.Clicked, 'urn:babel:Web.Clicked', 'a b']", [], id="any names"),
        pytest.param("[]", [], id="none"),
        pytest.param("Web.Clicked", ["value-invalid"], id="not a list"),
        pytest.param("['']", ["value-invalid"], id="an empty name"),
        pytest.param("[' ']", ["value-invalid"], id="a blank name"),
        pytest.param("[a, a]", ["value-invalid"], id="a name twice"),
        pytest.param("[1]", ["value-invalid"], id="a number"),
    ],
)
def test_aliases_are_distinct_names(aliases: str, found: list[str]) -> None:
    text = f"urn: urn:babel:web:clicked\naliases: {aliases}\nkind: event\ndata: {{type: object}}\n"
    registry = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n", "web/clicked.yaml": text.encode()}))
    assert [f"{f.rule}" for f in registry.defects] == found
    assert all("web/clicked.yaml:2:" in str(f.place) and f.fix for f in registry.defects), registry.defects
