"""All breaks mended at once: what is written, and what is left to a person."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against
from babelreg.breaking.check.run import check
from babelreg.breaking.mint.fix import fix
from babelreg.breaking.mint.plan import MintPlan
from babelreg.finding import Finding, Place, Severity
from babelreg.load.files.tree import MAX_BYTES, Folder

PAID = "urn:babel:orders:paid"
MONEY = "type: object\nproperties:\n  minor: {type: integer, minimum: 0}\n"


def message(name: str, required: str = "[]") -> str:
    return (
        f"urn: urn:babel:orders:{name}\nkind: event\nproducers: [orders-api]\nconsumers: [crm]\ndata:\n"
        f"  type: object\n  required: {required}\n  properties:\n    id: {{type: integer}}\n"
        "    total: {$ref: ../_common/money.yaml}\n"
    )


@pytest.fixture
def orders(repository: Any) -> Any:
    for name, text in {
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        "_services/crm.yaml": "owner: team-crm\nlang: go\n",
        "_common/money.yaml": MONEY,
        "orders/created.yaml": message("created"),
        "orders/paid.yaml": message("paid"),
    }.items():
        repository.write(name, text)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "one")
    return repository


def fixed(repository: Any) -> MintPlan:
    found = against.of(repository.root, "HEAD")
    done = fix(load.registry(repository.root), Folder(repository.root), found, lambda now: check(found.registry, now))
    for path, text in done.files.items():
        repository.write(path, text)
    return done


def left(repository: Any) -> list[str]:
    found = check(against.of(repository.root, "HEAD").registry, load.registry(repository.root))
    return [finding.rule for finding in found]


def test_every_message_that_breaks_is_minted(orders: Any) -> None:
    for name in ("created", "paid"):
        orders.write(f"orders/{name}.yaml", message(name, "[id]"))
    assert set(fixed(orders).files) == {f"orders/{n}{v}.yaml" for n in ("created", "paid") for v in ("", ".v2")}
    assert left(orders) == []


def test_a_fragment_is_put_back_once_and_moves_nobody(orders: Any) -> None:
    orders.write("_common/money.yaml", MONEY.replace("minimum: 0", "minimum: 5"))
    done = fixed(orders)
    assert set(done.files) == {"_common/money.yaml", "_common/money.v2.yaml"}
    assert left(orders) == []
    assert done.notes[-2].endswith("and 1 more: unchanged; to use _common/money.v2.yaml in one:")


def test_a_fragment_and_a_message_of_it_at_once(orders: Any) -> None:
    orders.write("_common/money.yaml", MONEY.replace("minimum: 0", "minimum: 5"))
    orders.write("orders/paid.yaml", message("paid", "[id]"))
    done = fixed(orders)
    assert set(done.files) == {"_common/money.yaml", "_common/money.v2.yaml", "orders/paid.yaml", "orders/paid.v2.yaml"}
    assert left(orders) == []


def test_what_no_new_version_mends_is_left(orders: Any) -> None:
    (orders.root / "orders/paid.yaml").unlink()
    orders.write("orders/created.yaml", message("created").replace("kind: event", "kind: command"))
    assert fixed(orders).files == {}
    assert left(orders) == ["kind-changed", "urn-removed"]


def test_what_cannot_be_minted_is_said_and_the_rest_goes_on(orders: Any) -> None:
    orders.write("orders/created.v2.yaml", message("created.v2"))
    for name in ("created", "paid"):
        orders.write(f"orders/{name}.yaml", message(name, "[id]"))
    done = fixed(orders)
    assert set(done.files) == {"orders/paid.yaml", "orders/paid.v2.yaml"}
    assert any("urn:babel:orders:created: not fixed: " in note and "already exists" in note for note in done.notes)
    assert left(orders) == ["property-required"]


def test_a_finding_that_is_not_about_a_change_mints_nothing(orders: Any) -> None:
    about = Finding("breaking-waiver-expired", Severity.ERROR, "it is over", Place("babelreg.yaml", 1, 1), urn=PAID)
    found = against.of(orders.root, "HEAD")
    assert fix(load.registry(orders.root), Folder(orders.root), found, lambda _: [about]).files == {}


class Counting(Folder):
    """A folder that counts how often each file is read."""

    def __init__(self, root: Any) -> None:
        super().__init__(root)
        self.reads: Counter[str] = Counter()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        self.reads[path] += 1
        return super().read(path, limit)


def test_a_message_that_is_not_mended_is_not_read_again_for_each_that_is(orders: Any) -> None:
    for number in range(12):
        orders.write(f"orders/m{number}.yaml", message(f"m{number}"))
    orders.git("add", "-A")
    orders.git("commit", "-q", "-m", "two")
    for number in range(12):
        orders.write(f"orders/m{number}.yaml", message(f"m{number}", "[id]"))
    found, tree = against.of(orders.root, "HEAD"), Counting(orders.root)
    done = fix(load.registry(orders.root), tree, found, lambda now: check(found.registry, now))
    assert len(done.files) == 24
    assert tree.reads["orders/paid.yaml"] == tree.reads["_services/crm.yaml"] == 0


def test_nothing_breaks_and_nothing_is_written(orders: Any) -> None:
    done = fixed(orders)
    assert (done.files, done.notes) == ({}, ())
