"""The next version of a message: what is written where, and what stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.check.run import check
from babelreg.breaking.mint.message import mint
from babelreg.breaking.mint.plan import MintPlan
from babelreg.errors import UsageError
from babelreg.finding import Severity
from babelreg.lint import run
from babelreg.load.files.tree import Folder

URN = "urn:babel:orders:created"
ONE = """\
# The message that starts it all.
urn: urn:babel:orders:created
kind: event
status: active
description: An order was accepted.
owner: team-orders
queue: orders
producers: [orders-api]
data:
  type: object
  required: [order_id]  # more later
  properties:
    order_id: {type: integer, minimum: 1, description: Order number.}
    note: {type: string, description: What the customer wrote.}
examples:
  - {order_id: 1042}
  - {order_id: 1043, note: hello}  # with a note
counterexamples:
  - {because: no number, data: {}}
"""
EDITED = ONE.replace("required: [order_id]", "required: [order_id, total]").replace(
    "    note:", "    total: {type: integer, minimum: 0, description: Cents. Mind the unit.}\n    note:"
)


@pytest.fixture
def orders(repository: Any) -> Any:
    repository.write("_services/orders-api.yaml", "owner: team-orders\nlang: php\n")
    repository.write("orders/created.yaml", ONE)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "one")
    return repository


def minted(repository: Any, urn: str = URN, sunset: str | None = None, against: str | None = "HEAD") -> MintPlan:
    registry = load.registry(repository.root)
    found = baseline.of(repository.root, against) if against else None
    done = mint(registry, Folder(repository.root), urn, sunset=sunset, baseline=found)
    for path, text in done.files.items():
        repository.write(path, text)
    return done


def test_an_unchanged_message_is_copied(orders: Any) -> None:
    done = minted(orders)
    assert list(done.files) == ["orders/created.v2.yaml"]
    expected = ONE.replace(URN, f"{URN}.v2").replace("queue: orders\n", f"queue: orders\nsupersedes: {URN}\n")
    assert done.files["orders/created.v2.yaml"] == expected


def test_the_aliases_stay_with_the_old_version_and_a_note_says_so(orders: Any) -> None:
    aliased = ONE.replace("kind: event", "aliases: [Orders.Created]\nkind: event")
    orders.write("orders/created.yaml", aliased)
    orders.git("commit", "-qam", "aliases")
    orders.write("orders/created.yaml", aliased.replace("[order_id]", "[order_id, note]"))
    done = minted(orders)
    assert "aliases" not in done.files["orders/created.v2.yaml"]
    assert done.files["orders/created.yaml"] == aliased
    assert any(f"messages sent under those of {URN} have the old shape" in note for note in done.notes)
    registry = load.registry(orders.root)
    assert [f for f in check(baseline.of(orders.root, "HEAD").registry, registry) if f.rule == "alias-removed"] == []


def test_an_edit_that_breaks_moves_to_the_new_file(orders: Any) -> None:
    orders.write("orders/created.yaml", EDITED)
    done = minted(orders)
    assert list(done.files) == ["orders/created.v2.yaml", "orders/created.yaml"]
    assert done.files["orders/created.yaml"] == ONE
    assert "total: {type: integer" in done.files["orders/created.v2.yaml"]
    assert "# more later" in done.files["orders/created.v2.yaml"]
    assert "restored as published" in done.notes[0]


def test_an_edit_that_breaks_nothing_stays(orders: Any) -> None:
    orders.write("orders/created.yaml", ONE.replace("    note:", "    memo: {type: string}\n    note:"))
    assert list(minted(orders).files) == ["orders/created.v2.yaml"]


def test_without_a_baseline_nothing_is_put_back(orders: Any) -> None:
    orders.write("orders/created.yaml", EDITED)
    assert list(minted(orders, against=None).files) == ["orders/created.v2.yaml"]


@pytest.mark.parametrize("text", [ONE, EDITED], ids=["unchanged", "edited"])
@pytest.mark.parametrize("sunset", [None, "2099-06-30"])
def test_the_result_is_clean(orders: Any, text: str, sunset: str | None) -> None:
    orders.write("orders/created.yaml", text)
    minted(orders, sunset=sunset)
    registry = load.registry(orders.root)
    assert [f for f in run(registry) if f.severity is not Severity.INFO] == []
    assert check(baseline.of(orders.root, "HEAD").registry, registry) == []


def test_a_sunset_deprecates_the_old_version(orders: Any) -> None:
    done = minted(orders, sunset="2099-06-30")
    old = done.files["orders/created.yaml"]
    assert old == ONE.replace("status: active\n", 'status: deprecated\nsunset: "2099-06-30"\n')
    assert "status: active" in done.files["orders/created.v2.yaml"]


def test_a_third_version_follows_the_second(orders: Any) -> None:
    minted(orders, sunset="2099-06-30")
    second = (orders.root / "orders/created.v2.yaml").read_text()
    orders.write("orders/created.v2.yaml", second + "upcast:\n  - set: {note: none}\n")
    done = minted(orders, f"{URN}.v2", sunset="2099-12-31", against=None)
    third = load.registry(orders.root).by_urn[f"{URN}.v3"]
    assert (third.supersedes, third.status, third.upcast) == (f"{URN}.v2", "active", ())
    assert done.name == f"{URN}.v3"


def test_examples_that_no_longer_fit_are_mended(orders: Any) -> None:
    orders.write("orders/created.yaml", EDITED)
    done = minted(orders)
    examples = [example.data for example in load.registry(orders.root).by_urn[f"{URN}.v2"].examples]
    assert examples == [{"order_id": 1042, "total": 0}, {"order_id": 1043, "note": "hello", "total": 0}]
    assert any("examples" in note for note in done.notes)


def test_examples_in_a_file_of_their_own_are_not_shared_by_two_shapes(orders: Any) -> None:
    head, _, tail = ONE.partition("examples:\n")
    text = head + "examples: {file: created.examples.jsonl}\n" + tail[tail.index("counterexamples") :]
    orders.write("orders/created.yaml", text)
    orders.write("orders/created.examples.jsonl", '{"order_id": 1}\n')
    orders.git("add", "-A")
    orders.git("commit", "-q", "-m", "two")
    orders.write("orders/created.yaml", text.replace("required: [order_id]", "required: [order_id, note]"))
    minted(orders)
    registry = load.registry(orders.root)
    assert [example.data for example in registry.by_urn[f"{URN}.v2"].examples] == [{"order_id": 1, "note": ""}]
    assert [f for f in run(registry) if f.severity is Severity.ERROR] == []


def test_a_counterexample_that_is_valid_now_is_left_out(orders: Any) -> None:
    orders.write("orders/created.yaml", ONE.replace("required: [order_id]", "required: []"))
    done = minted(orders)
    assert load.registry(orders.root).by_urn[f"{URN}.v2"].counterexamples == ()
    assert any("counterexample" in note for note in done.notes)


def test_services_that_read_it_are_named(orders: Any) -> None:
    orders.write("_services/crm.yaml", f"owner: team-crm\nlang: go\nconsumes: [{{urn: '{URN}'}}]\n")
    assert any("_services/crm.yaml" in note for note in minted(orders).notes)


def test_line_ends_and_the_byte_order_of_others_survive(orders: Any) -> None:
    (orders.root / "orders/created.yaml").write_bytes(ONE.replace("\n", "\r\n").encode())
    text = minted(orders, against=None).files["orders/created.v2.yaml"]
    assert "\n" not in text.replace("\r\n", "")


@pytest.mark.parametrize(
    "urn, text, said, fix",
    [
        pytest.param("urn:babel:orders:creatd", ONE, "the registry has no", URN, id="a typing error"),
        pytest.param(URN, ONE.replace("active", "draft"), "is draft", None, id="a draft"),
        pytest.param(URN, f"urn: {URN}\nstatus: retired\nretired_on: '2026-01-01'\n", "is retired", None, id="retired"),
    ],
)
def test_what_cannot_be_minted(orders: Any, urn: str, text: str, said: str, fix: str | None) -> None:
    orders.write("orders/created.yaml", text)
    with pytest.raises(UsageError, match=said) as raised:
        minted(orders, urn, against=None)
    assert fix is None or fix in (raised.value.fix or "")


def test_a_version_that_is_there_already(orders: Any) -> None:
    minted(orders)
    minted(orders, f"{URN}.v2", against=None)
    with pytest.raises(UsageError, match="already exists") as raised:
        minted(orders)
    assert raised.value.fix == f"babelreg mint {URN}.v3 --registry {orders.root}"


@pytest.mark.parametrize("sunset", ["2099", "20990630", "tomorrow", "2099-02-30"])
def test_a_sunset_that_is_no_date(orders: Any, sunset: str) -> None:
    with pytest.raises(UsageError, match="is not a date"):
        minted(orders, sunset=sunset)


MONEY = "type: object  # cents\nproperties:\n  minor: {type: integer, minimum: 0}\n"
PRICE = 'type: object\nproperties:\n  net: {$ref: money.yaml}\n  gross: {$ref: "money.yaml#/properties/minor"}\n'
WITH_PRICE = ONE.replace("    note:", "    price: {$ref: ../_common/price.yaml, description: Its price.}\n    note:")


@pytest.fixture
def priced(orders: Any) -> Any:
    """Two messages that share a fragment, which refers to another one."""
    orders.write("_common/money.yaml", MONEY)
    orders.write("_common/price.yaml", PRICE)
    orders.write("orders/created.yaml", WITH_PRICE)
    orders.write("orders/paid.yaml", WITH_PRICE.replace("created", "paid"))
    orders.git("add", "-A")
    orders.git("commit", "-q", "-m", "two")
    return orders


def test_an_edit_of_a_fragment_moves_to_its_next_version(priced: Any) -> None:
    priced.write("_common/money.yaml", MONEY.replace("minimum: 0", "minimum: 5"))
    done = minted(priced)
    expected = ["_common/money.v2.yaml", "_common/price.v2.yaml", "_common/money.yaml", "orders/created.v2.yaml"]
    assert list(done.files) == expected
    assert done.files["_common/money.yaml"] == MONEY
    assert done.files["_common/money.v2.yaml"] == MONEY.replace("minimum: 0", "minimum: 5")
    assert done.files["_common/price.v2.yaml"] == PRICE.replace("money.yaml", "money.v2.yaml")
    assert '{$ref: "../_common/price.v2.yaml", description: Its price.}' in done.files["orders/created.v2.yaml"]
    assert "_common/money.yaml: restored as published" in done.notes[0]


def test_with_the_fragment_put_back_nobody_else_is_broken(priced: Any) -> None:
    priced.write("_common/money.yaml", MONEY.replace("minimum: 0", "minimum: 5"))
    published = baseline.of(priced.root, "HEAD").registry
    (found,) = check(published, load.registry(priced.root))
    assert [use.urn for use in found.messages] == [URN, "urn:babel:orders:paid"]
    minted(priced)
    assert check(published, load.registry(priced.root)) == []
    assert run(load.registry(priced.root)) == []


def test_a_fragment_and_the_message_edited_at_once_are_both_put_back(priced: Any) -> None:
    priced.write("_common/money.yaml", MONEY.replace("minimum: 0", "minimum: 5"))
    priced.write("_common/money.v2.yaml", MONEY)
    priced.write("orders/created.yaml", WITH_PRICE.replace("required: [order_id]", "required: [order_id, price]"))
    done = minted(priced)
    assert "_common/money.v3.yaml" in done.files
    assert done.files["orders/created.yaml"] == WITH_PRICE
    assert check(baseline.of(priced.root, "HEAD").registry, load.registry(priced.root)) == []


EXAMPLE = Path(__file__).parents[3] / "registry.example"


@pytest.mark.skipif(not EXAMPLE.is_dir(), reason="the example registry is not in this checkout")
def test_every_message_of_the_example_registry_can_be_minted() -> None:
    registry = load.registry(EXAMPLE)
    for message in registry.messages:
        newest = message.published and registry.successor(message.urn) is None
        if newest:
            done = mint(registry, Folder(EXAMPLE), message.urn, sunset="2099-01-01", baseline=None)
            assert len(done.files) == 2, json.dumps(done.notes)


def upcast_of(orders: Any) -> Any:
    return load.registry(orders.root).by_urn[f"{URN}.v2"].upcast


def test_a_rename_is_drafted_as_an_upcast_that_every_example_fits(orders: Any) -> None:
    orders.write("orders/created.yaml", ONE.replace("note:", "remark:"))
    done = minted(orders)
    assert upcast_of(orders) == ({"rename": {"note": "remark"}},)
    assert done.files["orders/created.v2.yaml"].endswith("upcast:\n  - rename: {note: remark}\n")
    assert f"orders/created.v2.yaml: upcast drafted (rename); all 2 examples of {URN} fit it" in done.notes


def test_what_the_upcast_cannot_know_is_said(orders: Any) -> None:
    orders.write("orders/created.yaml", EDITED)
    done = minted(orders)
    assert upcast_of(orders) == ()
    (said,) = [note for note in done.notes if "upcast" in note]
    assert "upcast is incomplete" in said
    assert "nothing fills 'total', add `- default: {total: …}`" in said


def test_old_data_that_is_valid_as_it_is_needs_no_upcast(orders: Any) -> None:
    orders.write("orders/created.yaml", ONE.replace("{type: string, desc", '{type: [string, "null"], desc'))
    done = minted(orders)
    assert f"orders/created.v2.yaml: needs no upcast; all 2 examples of {URN} fit as they are" in done.notes


def test_who_is_to_move_is_said_with_language_and_owner(orders: Any) -> None:
    orders.write("_services/crm.yaml", f"owner: team-crm\nlang: go\nconsumes: [{{urn: '{URN}'}}]\n")
    notes = minted(orders).notes
    assert f"orders-api (php, team-orders) is to send {URN}.v2" in notes
    at = notes.index(f"consumers that migrate: add `- urn: {URN}.v2` under `consumes` in")
    assert notes[at + 1 :] == ("  _services/crm.yaml: crm (go, team-crm)",)


def test_an_edit_of_a_description_alone_stays(orders: Any) -> None:
    orders.write("orders/created.yaml", ONE.replace("Order number.", "The number of the order."))
    assert list(minted(orders).files) == ["orders/created.v2.yaml"]


def test_a_message_that_was_never_published_has_no_next_version(orders: Any) -> None:
    orders.write("orders/paid.yaml", ONE.replace("created", "paid"))
    before = sorted(path.name for path in orders.root.rglob("*"))
    with pytest.raises(UsageError, match="urn:babel:orders:paid was never published") as raised:
        minted(orders, "urn:babel:orders:paid")
    assert raised.value.fix is not None
    assert sorted(path.name for path in orders.root.rglob("*")) == before


def test_a_message_that_only_a_draft_was_published_of_has_none_either(orders: Any) -> None:
    orders.write("orders/paid.yaml", ONE.replace("created", "paid").replace("status: active", "status: draft"))
    orders.git("add", "-A")
    orders.git("commit", "-q", "-m", "draft")
    orders.write("orders/paid.yaml", ONE.replace("created", "paid"))
    with pytest.raises(UsageError, match="was never published"):
        minted(orders, "urn:babel:orders:paid")


def test_a_message_of_a_new_registry_has_none_either(repository: Any) -> None:
    repository.git("commit", "-q", "--allow-empty", "-m", "before")
    repository.write("orders/created.yaml", ONE)
    with pytest.raises(UsageError, match="the registry is new"):
        minted(repository)


@pytest.mark.parametrize("against", [None, "main"])
def test_a_message_that_the_last_commit_of_the_branch_published_has_one(orders: Any, against: str | None) -> None:
    orders.write("orders/paid.yaml", ONE.replace("created", "paid"))
    orders.git("add", "-A")
    orders.git("commit", "-q", "-m", "paid")
    registry = load.registry(orders.root)
    done = mint(registry, Folder(orders.root), "urn:babel:orders:paid", baseline=baseline.of(orders.root, against))
    assert done.name == "urn:babel:orders:paid.v2"


def test_a_message_that_was_published_once_and_is_back_has_one(orders: Any) -> None:
    orders.git("rm", "-q", "registry/orders/created.yaml")
    orders.git("commit", "-q", "-m", "gone")
    orders.write("orders/created.yaml", ONE)
    assert minted(orders).name == f"{URN}.v2"


def test_a_file_that_declares_something_else_is_not_overwritten(orders: Any) -> None:
    orders.write("orders/created.v2.yaml", ONE.replace(URN, "urn:babel:orders:other"))
    with pytest.raises(UsageError, match="already exists and declares something else"):
        minted(orders, against=None)
