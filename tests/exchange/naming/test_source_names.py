"""Names, versions and contexts by the paths of sources."""

from __future__ import annotations

import pytest

from babelreg.exchange.message_sources import SourceMessage
from babelreg.exchange.naming.source_names import SourceName, name_sources, source_name


@pytest.mark.parametrize(
    "path, expected",
    [
        pytest.param(
            "order/1-0-0", SourceName((), "order", (1, 0, 0)), id="a file that is a version, without an ending"
        ),
        pytest.param("order/3.0.0.json", SourceName((), "order", (3, 0, 0)), id="a file that is a version"),
        pytest.param("shop/order/v2.json", SourceName(("shop",), "order", (2,)), id="a file that is a version with v"),
        pytest.param("order.4.schema.json", SourceName((), "order", (4,)), id="a number between dots"),
        pytest.param("order.v1.json", SourceName((), "order", (1,)), id="a dot and v"),
        pytest.param("v2/order.json", SourceName((), "order", (2,)), id="a folder with v"),
        pytest.param("1.2/order.json", SourceName((), "order", (1, 2)), id="a folder of numbers"),
        pytest.param("order_v2.json", SourceName((), "order", (2,)), id="an underscore and v"),
        pytest.param("order-2.1.json", SourceName((), "order", (2, 1)), id="a hyphen and numbers"),
        pytest.param("OrderV3.json", SourceName((), "Order", (3,)), id="a capital V"),
        pytest.param(
            "a/order/jsonschema/1-0-2.json", SourceName(("a",), "order", (1, 0, 2)), id="below a generic folder"
        ),
        pytest.param("shop/order/schema.json", SourceName(("shop",), "order"), id="a file that only says what it is"),
        pytest.param("shop/order/order.json", SourceName(("shop",), "order"), id="a file named as its folder"),
        pytest.param("order-66.json", SourceName((), "order-66"), id="a number that may be part of the name"),
        pytest.param("log-2024-01-02.json", SourceName((), "log-2024-01-02"), id="a date"),
        pytest.param("2024/order.json", SourceName(("2024",), "order"), id="a folder that may be a year"),
    ],
)
def test_a_path_tells_the_name_and_the_version(path: str, expected: SourceName) -> None:
    assert source_name(path) == expected


def named(*paths: str, depth: int | None = None) -> dict[str, str]:
    messages = [SourceMessage(path, (number, ""), "", "") for number, path in enumerate(paths)]
    return {m.key: f"{m.context}:{m.words}" for m in name_sources(messages, "top", depth).messages}


def test_versions_count_from_one_and_the_newest_revision_counts() -> None:
    paths = ["order/1-0-0.json", "order/1-0-1.json", "order/3-0-0.json", "order/1-0-10.json"]
    assert named(*paths) == {"order/1-0-10.json": "top:order", "order/3-0-0.json": "top:order.v2"}
    result = name_sources([SourceMessage(path, (0, ""), "", "") for path in paths], "top")
    assert result.older == {"order/1-0-10.json": ("order/1-0-0.json", "order/1-0-1.json")}
    assert result.renumbered == ["order/3-0-0.json"]
    assert next(m.former_keys for m in result.messages if m.words == "order") == (
        "order/1-0-0.json",
        "order/1-0-1.json",
    )


def test_sources_of_one_name_without_a_version_are_messages_of_their_own() -> None:
    assert len(named("Order.json", "order.yaml", "ORDER.json")) == 3
    assert len(named("order-1.0.json", "order.v1.0.json")) == 2


@pytest.mark.parametrize(
    "paths, contexts",
    [
        pytest.param(["orders/a.json", "orders/b.json"], ["orders:a", "orders:b"], id="a folder of messages"),
        pytest.param(["orders/a.json", "billing/b.json"], ["orders:a", "billing:b"], id="few folders of one message"),
        pytest.param(
            [f"{name}/message.json" for name in "abcde"],
            [f"top:{name}" for name in "abcde"],
            id="a folder for each message",
        ),
        pytest.param(
            [f"{name}/x-{name}.json" for name in "abcde"],
            [f"top:{name}.x-{name}" for name in "abcde"],
            id="folders of one message, whose names are kept",
        ),
        pytest.param(
            ["acme/orders/a.json", "acme/orders/b.json", "acme/billing/c.json", "acme/billing/d.json"],
            ["orders:a", "orders:b", "billing:c", "billing:d"],
            id="the innermost folders that group messages",
        ),
        pytest.param(
            ["acme/orders/a.json", "acme/billing/c.json", "acme/other/d.json", "other/x.json", "other/y.json"],
            ["acme:orders.a", "acme:billing.c", "acme:other.d", "other:x", "other:y"],
            id="the folder above those of one message",
        ),
        pytest.param(["a.json", "schemas/b.json"], ["top:a", "top:b"], id="no telling folder"),
    ],
)
def test_the_context_is_a_folder_that_groups_messages(paths: list[str], contexts: list[str]) -> None:
    assert named(*paths) == dict(zip(paths, contexts, strict=True))


def test_the_depth_of_contexts_can_be_said() -> None:
    paths = ["acme/orders/a.json", "acme/orders/b.json", "c.json"]
    assert list(named(*paths, depth=1).values()) == ["acme:orders.a", "acme:orders.b", "top:c"]
    assert list(named(*paths, depth=0).values()) == ["top:acme.orders.a", "top:acme.orders.b", "top:c"]
