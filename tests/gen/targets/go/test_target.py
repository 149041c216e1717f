from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.go import target
from babelreg.model import Message, Registry, Urn
from babelreg.model.service_subset import share_of

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "go"


def texts(registry: Registry, **options: Any) -> dict[str, str]:
    return {path: file.text for path, file in files_by_path(target.files(registry, options)).items()}


class Source:
    path = "orders/x.yaml"


def of(*urns: str, schema: Any = None, **more: Any) -> Registry:
    """Return a registry with messages of ``urns``."""
    data = schema or {"type": "object"}
    messages = tuple(
        Message(urn=urn, parsed=Urn.parse(urn), source=Source(), data=data, schema=data, **more)  # type: ignore[arg-type]
        for urn in urns
    )
    return Registry("", messages=messages)


@pytest.mark.parametrize(
    "name", ["orders-created-v2.go", "common.go", "registry_index.go", "messages.go", "json_values.go"]
)
def test_what_a_user_reads(name: str) -> None:
    text = texts(load.registry(EXAMPLE))[f"messages/{name}"]
    golden = GOLDEN / name
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


@pytest.mark.parametrize(
    "urn, file",
    [
        pytest.param("urn:babel:orders:created.windows", "orders-created-windows.go", id="an operating system"),
        pytest.param("urn:babel:orders:created_linux_amd64", "orders-created-linux-amd64.go", id="a processor, too"),
        pytest.param("urn:babel:orders:created.test", "orders-created-test.go", id="a test"),
    ],
)
def test_no_name_of_a_message_makes_go_leave_its_file_out(urn: str, file: str) -> None:
    # Go builds x_windows.go on Windows alone, and x_test.go for tests alone.
    assert f"messages/{file}" in texts(of(urn))


def test_a_message_named_like_what_the_package_defines_gets_another_name() -> None:
    body = texts(of("urn:babel:new:int"))["messages/new-int.go"]
    assert "type MessageNewInt struct {" in body


def test_messages_that_would_share_a_type_are_refused() -> None:
    with pytest.raises(BabelregError, match="would both be OrdersCreatedTwice in Go"):
        texts(of("urn:babel:orders:created.twice", "urn:babel:orders:created-twice"))


def test_a_part_of_one_message_never_has_the_name_of_another_message() -> None:
    schema = {"type": "object", "properties": {"v2": {"type": "object", "properties": {"a": {}}}}}
    bodies = texts(of("urn:babel:orders:created", "urn:babel:orders:created.v2", schema=schema))
    declared = [
        line.split()[1] for body in bodies.values() for line in body.splitlines() if line.startswith("type Orders")
    ]
    assert sorted(declared) == ["OrdersCreated", "OrdersCreatedV2", "OrdersCreatedV2_V2", "OrdersCreated_V2"]


def test_a_service_gets_its_messages_its_inboxes_and_its_roles() -> None:
    share = share_of(load.registry(EXAMPLE), "media-worker")
    made = texts(share.part, service="media-worker", **share.urns)
    index = made["messages/registry_index.go"]
    assert sorted(made) == [
        "messages/json_values.go",
        "messages/media-thumbnail-generate.go",
        "messages/media-thumbnail-generated.go",
        "messages/messages.go",
        "messages/registry_index.go",
    ]
    assert [line.split('"')[1] for line in index.splitlines() if "Service: " in line] == ["media-worker"]
    assert [line for line in index.splitlines() if line.startswith("func")] == [
        "func (MediaThumbnailGenerated) isProduced() {}",
        "func (MediaThumbnailGenerate) isConsumed() {}",
    ]


def test_the_files_of_a_message_depend_on_no_other_message() -> None:
    alone, both = of("urn:babel:orders:a"), of("urn:babel:orders:a", "urn:babel:orders:b")
    assert texts(alone)["messages/orders-a.go"] == texts(both)["messages/orders-a.go"]


_MONEY = "type: object\nrequired: [minor]\nproperties: {minor: {type: integer}, note: {enum: [a, b]}}\n"
_MESSAGE = "urn: urn:babel:shop:NAME\nkind: event\nowner: t\nqueue: q\ndata: {type: object, properties: {PROPERTIES}}\n"


def _with_money(money: str = _MONEY, **properties: str) -> dict[str, str]:
    files = {"babelreg.yaml": "version: 1\n", "shop/_context.yaml": "owner: t\n", "_common/money.yaml": money}
    for name, text in properties.items():
        files[f"shop/{name}.yaml"] = _MESSAGE.replace("NAME", name).replace("PROPERTIES", text)
    return texts(load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()})))


_TOTAL = "total: {$ref: ../_common/money.yaml}"


def test_messages_share_the_struct_of_a_fragment() -> None:
    made = _with_money(a=_TOTAL, b=_TOTAL)
    assert [line for body in made.values() for line in body.splitlines() if "Money" in line and "type " in line] == [
        "type Common_Money struct {",
        "type Common_MoneyNote string",
    ]
    assert "\tTotal Optional[Common_Money] " in made["messages/shop-a.go"]


def test_a_message_whose_fragment_means_something_else_has_a_struct_of_its_own() -> None:
    narrower = "total: {$ref: ../_common/money.yaml, properties: {minor: {maximum: 5}, tax: {type: integer}}}"
    made = _with_money(a=_TOTAL, b=narrower)
    assert "type ShopB_Total struct {" in made["messages/shop-b.go"]
    assert "Common_Money" not in made["messages/shop-b.go"]


def test_a_change_of_a_fragment_renews_the_files_of_its_users_and_no_other() -> None:
    wider = _MONEY.replace("note:", "more: {type: string}, note:")
    before, after = _with_money(a=_TOTAL, b="n: {type: integer}"), _with_money(wider, a=_TOTAL, b="n: {type: integer}")
    assert [path for path in before if before[path] != after[path]] == ["messages/common.go", "messages/shop-a.go"]


def test_a_deprecated_message_says_so_to_tools() -> None:
    body = texts(of("urn:babel:orders:a", status="deprecated", sunset="2027-01-01"))["messages/orders-a.go"]
    assert "//\n// Deprecated: the message goes away on 2027-01-01.\ntype OrdersA struct {" in body


@pytest.mark.parametrize("name", ["", "My Package", "func", "main", "../evil", "a-b", "Orders", "internal", 7, "a\n"])
def test_a_name_that_no_go_package_can_have_is_refused(name: Any) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a Go package") as error:
        target.own_folder({"package": name})
    assert "--package messages" in str(error.value.fix)


def test_the_package_is_in_a_folder_of_its_name() -> None:
    made = texts(of("urn:babel:orders:a"), package="events")
    assert {path.partition("/")[0] for path in made} == {"events"}
    assert all("\npackage events\n" in body for body in made.values())


def test_a_message_with_aliases_is_handled_under_each() -> None:
    text = texts(of("urn:babel:web:clicked", aliases=("Web.Clicked",)))
    assert 'return []string{"Web.Clicked"}' in text["messages/web-clicked.go"]
    assert "range other.Aliases()" in text["messages/messages.go"]
    without = texts(of("urn:babel:web:clicked"))
    assert "Aliases" not in "".join(without.values())
