"""Three applications that write batches into the same tables at the same time: every message in one place, once."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from babelreg.model import Registry
from babelreg.spark.platform.tables import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import WRITERS, Lakehouse, envelope

pytestmark = [pytest.mark.spark, pytest.mark.servers, pytest.mark.usefixtures("written")]

URN = "urn:babel:shop:paid"
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
APPLICATIONS = ("orders", "refunds", "imports")


def _bodies(application: str, batch: int) -> list[bytes]:
    """Two new messages, the first of them twice, one of the batch before again, and a refused one."""
    new = [envelope(URN, f"{application}-{batch}-{n}", {"n": n}) for n in range(2)]
    before = envelope(URN, f"{application}-{max(0, batch - 1)}-1", {"n": 1})
    return [*new, new[0], before, envelope(URN, f"{application}-{batch}", {"n": "text"})]


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
@pytest.mark.parametrize("batches", [2, pytest.param(8, marks=pytest.mark.long)])
def test_applications_at_once_lose_nothing_and_store_nothing_twice(
    batches: int,
    to: str,
    written: str,
    make_registry: Callable[..., Registry],
    new_place: Callable[[str], Lakehouse],
) -> None:
    place, registry = new_place(to), make_registry({URN: SCHEMA})
    together = threading.Barrier(len(APPLICATIONS))

    def write(application: str) -> Counter[str]:
        session, total = place.spark, Counter[str]()
        tables = Tables(registry, to, place.at, position=["n"])
        for batch in range(batches):
            rows: list[Any] = [(body, number) for number, body in enumerate(_bodies(application, batch))]
            frame = session.createDataFrame(rows, "value binary, n long")
            together.wait(600)
            try:
                counts = tables.write(frame, application=application, batch=batch)
                assert tables.write(frame, application=application, batch=batch).repeated
            except BaseException:
                together.abort()
                raise
            total.update(read=counts.read, accepted=counts.accepted, duplicates=counts.duplicates)
        return total

    with ThreadPoolExecutor(len(APPLICATIONS)) as threads:
        totals = list(threads.map(write, APPLICATIONS))
    assert totals == [Counter(read=5 * batches, accepted=2 * batches, duplicates=2 * batches)] * len(APPLICATIONS)
    numbers = [(application, batch) for application in APPLICATIONS for batch in range(batches)]
    stored = Counter(row["message_id"] for row in place.read("shop_paid__rows"))
    assert stored == Counter(f"{application}-{batch}-{n}" for application, batch in numbers for n in range(2))
    refused = Counter(row["message_id"] for row in place.read("babelreg__quarantine"))
    assert refused == Counter(f"{application}-{batch}" for application, batch in numbers)
    assert sum(row["messages"] for row in place.read("babelreg__counts")) == 5 * len(numbers)
