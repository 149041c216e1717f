"""Classes of shared fragments: one in the whole package where it means the same, a message's own where it does not."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from generated import FORMS, write_package

from babelreg import load
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.gen.targets.python import target
from babelreg.model import Registry

MONEY = "type: object\nrequired: [minor]\nproperties: {minor: {type: integer, minimum: 0}, note: {type: string}}\n"
MESSAGE = "urn: urn:babel:shop:NAME\nkind: event\nowner: t\nqueue: q\ndata: {type: object, properties: {PROPERTIES}}\n"
TOTAL = "total: {$ref: ../_common/money.yaml}"


def registry(messages: dict[str, str], files: dict[str, str]) -> Registry:
    """A registry with a message for each name, with these properties."""
    all_files = {"babelreg.yaml": "version: 1\n", "shop/_context.yaml": "owner: t\n", **files}
    for name, properties in messages.items():
        text = MESSAGE.replace("NAME", name.replace("_", ".")).replace("PROPERTIES", properties)
        all_files[f"shop/{name.replace('_', '.')}.yaml"] = text
    found = load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in all_files.items()}))
    assert not found.defects, found.defects
    return found


@pytest.fixture(autouse=True)
def _clean_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    for name in [name for name in sys.modules if name.split(".")[0] in ("messages", "babelreg_runtime")]:
        del sys.modules[name]


def imported(folder: Path, found: Registry, monkeypatch: pytest.MonkeyPatch, **options: str) -> ModuleType:
    """The package ``messages`` of a registry."""
    write_package(
        folder,
        found,
        {key: value for key, value in options.items() if key != "form"},
        form=options.get("form", "vendored"),
    )
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    return importlib.import_module("messages")


def defined(found: Registry, **options: str) -> dict[str, list[str]]:
    """The classes that each module of the package defines, but for the consumer and the relay of the service."""
    modules = {}
    for file in target.files(found, options):
        names = re.findall(r"^class (\w+)\(", file.text, re.MULTILINE) if file.path.count("/") == 1 else []
        if names and Path(file.path).stem not in ("_consumer", "_outbox"):
            modules[Path(file.path).stem] = [name for name in names if not name.endswith("Producer")]
    return modules


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("models", KINDS)
def test_a_fragment_is_one_class_that_the_package_exports(
    models: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = registry(
        {"paid": TOTAL, "sent": f"parts: {{type: array, items: {TOTAL[7:]}}}"}, {"_common/money.yaml": MONEY}
    )
    package = imported(tmp_path, found, monkeypatch, models=models, form=form)
    paid, sent = (importlib.import_module(f"messages.shop_{name}") for name in ("paid", "sent"))
    assert paid.Money is sent.Money is package.Money is importlib.import_module("messages.common").Money
    assert "Money" in package.__all__
    for module, data in ((paid, {"total": {"minor": 1}}), (sent, {"parts": [{"minor": 1, "note": "x"}]})):
        message = getattr(module, module.__name__.rpartition(".")[2].upper())
        assert message.dump(message.parse(data)) == data
    if models != "typeddict":
        value = package.Money(minor=5)
        assert package.ShopPaid(total=value).total is value
        assert package.ShopSent(parts=[value]).parts[0] is value


@pytest.mark.parametrize(
    "messages, files, expected",
    [
        pytest.param(
            {"paid": TOTAL},
            {"_common/money.yaml": MONEY},
            {"common": ["Money"], "shop_paid": ["ShopPaid"]},
            id="one message alone",
        ),
        pytest.param(
            {"paid": TOTAL},
            {
                "_common/money.yaml": "type: object\nproperties: {by: {$ref: people/person.yaml}, at: {type: object, properties: {a: {}}}}\n",
                "_common/people/person.yaml": "type: object\nproperties: {owes: {$ref: ../money.yaml}}\n",
            },
            {"common": ["Person", "MoneyAt", "Money"], "shop_paid": ["ShopPaid"]},
            id="fragments that refer to each other",
        ),
        pytest.param(
            {"paid": "a: {$ref: '../_common/types.yaml#/$defs/point'}, b: {$ref: '../_common/types.yaml#/$defs/text'}"},
            {"_common/types.yaml": "$defs: {point: {type: object, properties: {x: {}}}, text: {type: string},"
             " unused: {type: object, properties: {y: {}}}}\n"},
            {"common": ["Point"], "shop_paid": ["ShopPaid"]},
            id="a part of a file, but not the others",
        ),
        pytest.param(
            {"paid": "total: {allOf: [{$ref: ../_common/money.yaml}, {type: object, properties: {x: {}}}]}"},
            {"_common/money.yaml": MONEY},
            {"shop_paid": ["ShopPaidTotal", "ShopPaid"]},
            id="a fragment that only adds to another class",
        ),
        pytest.param(
            {"paid": "tax: {type: string}"}, {"_common/money.yaml": MONEY}, {"shop_paid": ["ShopPaid"]},
            id="a fragment that no message uses",
        ),
        pytest.param(
            {"paid": f"{TOTAL}, other: {{$ref: ../_common/more/money.yaml}}", "sent": TOTAL},
            {"_common/money.yaml": MONEY, "_common/more/money.yaml": "type: object\nproperties: {x: {}}\n"},
            {"common": ["CommonMoreMoney", "Money"], "shop_paid": ["CommonMoney", "ShopPaid"], "shop_sent": ["ShopSent"]},
            id="two files of one name",
        ),
    ],
)  # fmt: skip
def test_a_package_has_the_classes_of_the_fragments_that_it_uses(
    messages: dict[str, str], files: dict[str, str], expected: dict[str, list[str]]
) -> None:
    assert {module: sorted(names) for module, names in defined(registry(messages, files)).items()} == {
        module: sorted(names) for module, names in expected.items()
    }


def test_a_context_that_reads_strictly_has_classes_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = {
        "bank/_context.yaml": "owner: t\ncompatibility: {reader: strict}\n",
        "bank/paid.yaml": MESSAGE.replace("shop:NAME", "bank:paid").replace("PROPERTIES", TOTAL),
    }
    found = registry({"paid": TOTAL}, {"_common/money.yaml": MONEY, **bank})
    assert defined(found)["bank_paid"] == ["Money", "BankPaid"]
    package = imported(tmp_path, found, monkeypatch)
    bank_paid = importlib.import_module("messages.bank_paid")
    assert bank_paid.Money is not package.Money
    assert package.BankPaid(total=bank_paid.Money(minor=1, more=2)).total.more == 2
    with pytest.raises(TypeError, match="more"):
        package.Money(minor=1, more=2)


@pytest.mark.parametrize("name", ["context", "missing", "shop.paid"])
def test_a_fragment_that_is_called_as_another_export_stays_in_its_module(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = registry({"paid": f"a: {{$ref: ../_common/{name}.yaml}}"}, {f"_common/{name}.yaml": MONEY})
    package = imported(tmp_path, found, monkeypatch)
    paid = importlib.import_module("messages.shop_paid")
    assert paid.SHOP_PAID.dump(paid.SHOP_PAID.parse({"a": {"minor": 1}})) == {"a": {"minor": 1}}
    assert package.Context.__name__ == "Context"
    assert hasattr(package.Context, "trace_id")
    assert package.ShopPaid is paid.ShopPaid


def test_the_docstring_of_the_package_imports_the_class_from_the_package() -> None:
    example = "examples: [{total: {minor: 1}}]\n"
    found = registry(
        {},
        {
            "_common/money.yaml": MONEY,
            "shop/paid.yaml": MESSAGE.replace("NAME", "paid").replace("PROPERTIES", TOTAL) + example,
        },
    )
    text = next(file.text for file in target.files(found, {}) if file.path == "messages/__init__.py")
    about = text.partition('"""\n#')[0]
    assert "Money(minor=1)" in about
    assert "messages.shop_paid" not in about
