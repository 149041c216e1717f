from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.php import target
from babelreg.model import Message, Registry, Urn
from babelreg.model.service_subset import share_of

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "php"


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
    "name",
    ["OrdersCancelled", "OrdersCreatedV2", "OrdersCreatedV2/Line", "Common/Address", "Registry", "Handlers", "Publisher", "Message",
     "Received", "JsonObject", "JsonType"],
)  # fmt: skip
def test_what_a_user_reads(name: str) -> None:
    text = texts(load.registry(EXAMPLE))[f"{name}.php"]
    golden = GOLDEN / f"{name}.php"
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


@pytest.mark.parametrize(
    "urn, name",
    [
        pytest.param("urn:babel:for:each", "MessageForEach", id="a keyword, in another case"),
        pytest.param("urn:babel:json:type", "MessageJsonType", id="a class of the namespace"),
        pytest.param("urn:babel:inbound:message", "MessageInboundMessage", id="a class of the SDK"),
        pytest.param("urn:babel:2nd:made", "Message2ndMade", id="a digit in front"),
    ],
)
def test_a_message_whose_name_has_a_meaning_gets_another_name(urn: str, name: str) -> None:
    assert f"final class {name} extends Message" in texts(of(urn))[f"{name}.php"]


def test_messages_that_would_share_a_class_are_refused() -> None:
    with pytest.raises(BabelregError, match="would both be OrdersCreatedTwice in PHP"):
        texts(of("urn:babel:orders:created.twice", "urn:babel:orders:created-twice"))


def test_a_part_of_one_message_never_has_the_name_of_another_message() -> None:
    schema = {"type": "object", "properties": {"v2": {"type": "object", "properties": {"a": {}}}}}
    paths = texts(of("urn:babel:orders:created", "urn:babel:orders:created.v2", schema=schema))
    assert sorted(path for path in paths if path.startswith("Orders")) == [
        "OrdersCreated.php", "OrdersCreated/V2.php", "OrdersCreatedV2.php", "OrdersCreatedV2/V2.php",
    ]  # fmt: skip


def test_a_service_gets_its_messages_its_inboxes_and_its_roles() -> None:
    share = share_of(load.registry(EXAMPLE), "media-worker")
    made = texts(share.part, service="media-worker", **share.urns)
    shared = ["Consumed.php", "Handlers.php", "InvalidData.php", "JsonObject.php", "JsonType.php", "Message.php"]
    assert sorted(made) == sorted([
        *shared, "MediaThumbnailGenerate.php", "MediaThumbnailGenerated.php", "Produced.php", "Publisher.php", "Received.php",
        "Registry.php"
    ])  # fmt: skip
    roles = re.findall(r"final class (\w+) extends Message implements (.*)", "".join(made.values()))
    assert sorted(roles) == [("MediaThumbnailGenerate", "Consumed"), ("MediaThumbnailGenerated", "Produced")]
    services = made["Registry.php"].partition("INBOXES = [")[2]
    assert re.findall(r"(?m)^        '(.*)' => \[$", services) == ["media-worker"]
    # A handler that is left out is an error, not null.
    assert "        callable $mediaThumbnailGenerate,\n" in made["Handlers.php"]


def test_without_a_service_every_handler_may_be_left_out() -> None:
    assert "        ?callable $ordersA = null,\n" in texts(of("urn:babel:orders:a"))["Handlers.php"]


def test_the_files_of_a_message_depend_on_no_other_message() -> None:
    alone, both = of("urn:babel:orders:a"), of("urn:babel:orders:a", "urn:babel:orders:b")
    assert texts(alone)["OrdersA.php"] == texts(both)["OrdersA.php"]


def test_a_deprecated_message_says_so_to_tools() -> None:
    body = texts(of("urn:babel:orders:a", status="deprecated", sunset="2027-01-01"))["OrdersA.php"]
    assert " *\n * @deprecated Goes away on 2027-01-01.\n */\nfinal class OrdersA" in body


def test_the_accessors_of_a_deprecated_property_say_so_to_tools() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string", "deprecated": True}}}
    assert texts(of("urn:babel:orders:a", schema=schema))["OrdersA.php"].count("    /** @deprecated */\n") == 4


@pytest.mark.parametrize("name", ["", "My Messages", "class", "Acme\\List", "../evil", "a-b", "\\Acme", 7, "a\n"])
def test_a_name_that_no_namespace_of_php_can_have_is_refused(name: Any) -> None:
    with pytest.raises(UsageError, match="cannot be a namespace of PHP") as error:
        texts(of("urn:babel:orders:a"), namespace=name)
    assert "--namespace" in str(error.value.fix)


def test_the_classes_are_in_the_namespace_that_is_asked_for() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "object", "properties": {"up": {"$ref": "#"}}}}}
    made = texts(of("urn:babel:orders:a", schema=schema), namespace="Acme\\Events")
    assert {re.findall(r"(?m)^namespace (.*);$", body)[0] for body in made.values()} == {
        "Acme\\Events", "Acme\\Events\\OrdersA"
    }  # fmt: skip
    assert "use Acme\\Events\\JsonObject;" in made["OrdersA/X.php"]
    assert "?\\Acme\\Events\\OrdersA\n" in made["OrdersA/X.php"]


def test_a_file_name_never_ends_the_code() -> None:
    class Hostile:
        path = "orders/?><?php evil();.yaml"

    data = {"type": "object"}
    urn = "urn:babel:orders:a"
    message = Message(urn=urn, parsed=Urn.parse(urn), source=Hostile(), data=data, schema=data)  # type: ignore[arg-type]
    assert "?>" not in texts(Registry("", messages=(message,)))["OrdersA.php"]


def test_with_symfony_messages_are_those_of_its_adapter() -> None:
    plain, symfony = (texts(of("urn:babel:orders:a"), symfony=value) for value in (False, True))
    assert "abstract class Message extends JsonObject implements PolyglotJob\n" in plain["Message.php"]
    assert "abstract class Message extends JsonObject implements PolyglotMessage\n" in symfony["Message.php"]
    assert "use BabelQueue\\Symfony\\Contracts\\PolyglotMessage;" in symfony["Message.php"]
    assert "function fromBabelPayload(array $data): static" in symfony["Message.php"]
    assert {path for path in plain if plain[path].splitlines()[4:] != symfony[path].splitlines()[4:]} == {"Message.php"}


def test_messages_share_the_classes_of_fragments() -> None:
    made = texts(load.registry(EXAMPLE))
    assert [path for path in made if path.startswith("Common/")] == ["Common/Address.php", "Common/Money.php"]
    assert [path for path in made if path.endswith("/Money.php")] == ["Common/Money.php"]
    assert "JsonType::object(Common\\Money::class)" in made["BillingPaymentCaptured.php"]
    assert "JsonType::object(Common\\Money::class)" in made["OrdersCreatedV2.php"]


def test_a_part_names_a_shared_class_in_full(tmp_path: Path) -> None:
    money = "type: object\nproperties: {minor: {type: integer}}\n"
    message = "properties:\n    lines: {items: {type: object, properties: {price: {$ref: ../_common/money.yaml}}}, type: array}\n"
    files = {
        "babelreg.yaml": "version: 1\n", "_common/money.yaml": money,
        "orders/a.yaml": f"urn: urn:babel:orders:a\nkind: event\ndata:\n  type: object\n  {message}",
    }  # fmt: skip
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    made = texts(load.registry(tmp_path), namespace="Acme\\Events")
    assert "?\\Acme\\Events\\Common\\Money\n" in made["OrdersA/Line.php"]
    assert "namespace Acme\\Events\\Common;" in made["Common/Money.php"]


def test_a_change_of_one_part_changes_no_file_of_another() -> None:
    def schema(type_: str) -> dict[str, Any]:
        parts = {
            name: {"type": "object", "properties": {"a": {"type": type_ if name == "x" else "string"}}} for name in "xy"
        }
        return {"type": "object", "properties": parts}

    old, new = (texts(of("urn:babel:orders:a", schema=schema(type_))) for type_ in ("string", "integer"))
    assert [path for path in old if old[path] != new[path]] == ["OrdersA/X.php"]


def test_a_message_with_aliases_is_handled_under_each() -> None:
    text = texts(of("urn:babel:web:clicked", aliases=("Web.Clicked", "it's")))["Handlers.php"]
    assert "$this->set(WebClicked::class, WebClicked::URN, $webClicked);" in text
    assert "$this->set(WebClicked::class, 'Web.Clicked', $webClicked);" in text
    assert r"$this->set(WebClicked::class, 'it\'s', $webClicked);" in text
