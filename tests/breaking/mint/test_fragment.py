"""The next version of a shared fragment: who refers to it, who stays, what was published."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.check.run import check
from babelreg.breaking.mint.fragment import mint_fragment
from babelreg.breaking.mint.plan import MintPlan
from babelreg.errors import UsageError
from babelreg.finding import Severity
from babelreg.lint import run
from babelreg.load.files.tree import Folder

MONEY = (
    "# Cents.\ntype: object\ndescription: Money.\nproperties:\n  minor: {type: integer, minimum: 0, description: M.}\n"
)
EDITED = MONEY.replace("minimum: 0", "minimum: 5")
PRICE = "type: object\ndescription: Price.\nproperties:\n  net: {$ref: money.yaml, description: Net.}\n"
CREATED, PAID, QUOTED = (f"urn:babel:orders:{name}" for name in ("created", "paid", "quoted"))
FRAGMENT = "_common/money.yaml"


def message(urn: str, fragment: str = "money") -> str:
    name = "net: " if fragment == "price" else ""
    example = f"{{{name}{{minor: 7}}}}" if name else "{minor: 7}"
    return (
        f"urn: {urn}\nkind: event\nstatus: active\ndescription: Something happened.\nproducers: [orders-api]\n"
        "consumers: [crm]\ndata:\n  type: object\n  properties:\n"
        f"    total: {{$ref: ../_common/{fragment}.yaml, description: T.}}  # as agreed\n"
        f"examples:\n  - {{total: {example}}}\n"
    )


@pytest.fixture
def orders(repository: Any) -> Any:
    for name, text in {
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        "_services/crm.yaml": "owner: team-crm\nlang: go\n",
        "_common/money.yaml": MONEY,
        "_common/price.yaml": PRICE,
        "orders/created.yaml": message(CREATED),
        "orders/paid.yaml": message(PAID),
        "orders/quoted.yaml": message(QUOTED, "price"),
    }.items():
        repository.write(name, text)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "one")
    return repository


def minted(repository: Any, *urns: str, fragment: str = FRAGMENT, against: str | None = "HEAD") -> MintPlan:
    registry = load.registry(repository.root)
    found = baseline.of(repository.root, against) if against else None
    done = mint_fragment(registry, Folder(repository.root), fragment, urns, baseline=found)
    for path, text in done.files.items():
        repository.write(path, text)
    return done


def bundled(repository: Any) -> dict[str, str]:
    return {urn: json.dumps(schema) for urn, schema in load.registry(repository.root).schemas.items()}


def refers(repository: Any, name: str) -> str:
    return (repository.root / f"orders/{name}.yaml").read_text().partition("$ref: ")[2].partition(",")[0]


def clean(repository: Any) -> bool:
    published, now = baseline.of(repository.root, "HEAD").registry, load.registry(repository.root)
    worse = [f for f in (*check(published, now), *run(now)) if f.severity is Severity.ERROR]
    assert worse == []
    return True


def test_it_is_copied_and_nobody_is_moved(orders: Any) -> None:
    before = bundled(orders)
    done = minted(orders)
    assert done.files == {"_common/money.v2.yaml": MONEY}
    assert (done.name, bundled(orders)) == ("_common/money.v2.yaml", before)
    assert "babelreg mint --fragment _common/money.yaml --for urn:babel:orders:created" in done.notes[-1]


def test_only_the_messages_asked_for_refer_to_it(orders: Any) -> None:
    done = minted(orders, PAID)
    assert list(done.files) == ["_common/money.v2.yaml", "orders/paid.yaml"]
    expected = message(PAID).replace("../_common/money.yaml", '"../_common/money.v2.yaml"')
    assert done.files["orders/paid.yaml"].replace('"', "") == expected.replace('"', "")
    assert refers(orders, "created") == "../_common/money.yaml"
    assert clean(orders)


def test_what_lies_between_gets_a_next_version_too(orders: Any) -> None:
    done = minted(orders, QUOTED)
    assert list(done.files) == ["_common/money.v2.yaml", "_common/price.v2.yaml", "orders/quoted.yaml"]
    assert "money.v2.yaml" in done.files["_common/price.v2.yaml"]
    assert "price.v2.yaml" in refers(orders, "quoted")
    assert clean(orders)


def test_an_edit_that_breaks_moves_to_the_next_version(orders: Any) -> None:
    before = bundled(orders)
    orders.write(FRAGMENT, EDITED)
    done = minted(orders)
    assert done.files == {"_common/money.v2.yaml": EDITED, FRAGMENT: MONEY}
    assert bundled(orders) == before
    assert clean(orders)


def test_a_published_message_that_asks_for_what_breaks_it_is_superseded(orders: Any) -> None:
    before = bundled(orders)
    orders.write(FRAGMENT, EDITED)
    done = minted(orders, PAID)
    assert list(done.files) == ["_common/money.v2.yaml", FRAGMENT, "orders/paid.v2.yaml", "orders/paid.yaml"]
    after = bundled(orders)
    assert {urn: after[urn] for urn in before} == before
    assert (orders.root / "orders/paid.yaml").read_text() == message(PAID)
    assert "money.v2.yaml" in refers(orders, "paid.v2")
    assert load.registry(orders.root).by_urn[f"{PAID}.v2"].supersedes == PAID
    assert clean(orders)


def test_several_at_once_and_the_superseded_ones_stay_byte_equal(orders: Any) -> None:
    before = bundled(orders)
    orders.write(FRAGMENT, EDITED)
    minted(orders, CREATED, QUOTED)
    after = bundled(orders)
    assert {urn: after[urn] for urn in before} == before
    assert {f"{CREATED}.v2", f"{QUOTED}.v2"} < set(after)
    assert clean(orders)


def test_a_draft_just_refers_to_it(orders: Any) -> None:
    orders.write("orders/paid.yaml", message(PAID).replace("active", "draft"))
    orders.git("commit", "-qam", "two")
    orders.write(FRAGMENT, EDITED)
    done = minted(orders, PAID)
    assert list(done.files) == ["_common/money.v2.yaml", FRAGMENT, "orders/paid.yaml"]
    assert clean(orders)


def test_a_second_call_takes_the_version_that_is_being_worked_on(orders: Any) -> None:
    orders.write(FRAGMENT, EDITED)
    minted(orders)
    done = minted(orders, PAID)
    assert list(done.files) == ["orders/paid.v2.yaml", "orders/paid.yaml"]
    assert "money.v2.yaml" in refers(orders, "paid.v2")
    assert not (orders.root / "_common/money.v3.yaml").exists()
    assert clean(orders)


def test_a_published_version_is_not_edited_any_more(orders: Any) -> None:
    minted(orders)
    orders.git("add", "-A")
    orders.git("commit", "-q", "-m", "two")
    assert list(minted(orders, PAID).files) == ["_common/money.v3.yaml", "orders/paid.yaml"]


def test_without_a_baseline_it_is_copied_as_it_is(orders: Any) -> None:
    orders.write(FRAGMENT, EDITED)
    assert minted(orders, against=None).files == {"_common/money.v2.yaml": EDITED}


@pytest.mark.parametrize(
    "fragment, urns, said, fix",
    [
        pytest.param(
            "_common/mony.yaml", [], "has no fragment", "--fragment _common/money.yaml", id="no such fragment"
        ),
        pytest.param(FRAGMENT, ["urn:babel:orders:payd"], "has no urn", f"--for {PAID}", id="no such message"),
        pytest.param("_common/price.yaml", [PAID], "does not use", None, id="a message that does not use it"),
    ],
)
def test_what_cannot_be_asked_for(orders: Any, fragment: str, urns: list[str], said: str, fix: str | None) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        minted(orders, *urns, fragment=fragment)
    assert fix is None or fix in (raised.value.fix or "")


def test_a_superseded_message_stays(orders: Any) -> None:
    orders.write(FRAGMENT, EDITED)
    minted(orders, PAID)
    with pytest.raises(UsageError, match="is superseded by") as raised:
        minted(orders, PAID)
    assert raised.value.fix == f"babelreg mint --fragment {FRAGMENT} --for {PAID}.v2 --registry {orders.root}"


def test_a_fragment_that_was_never_published_has_no_next_version(orders: Any) -> None:
    orders.write("_common/address.yaml", "type: object\ndescription: Address.\n")
    with pytest.raises(UsageError, match=r"_common/address.yaml was never published"):
        minted(orders, fragment="_common/address.yaml")
    assert not (orders.root / "_common/address.v2.yaml").exists()
