"""Tables store numbers as they were sent, in both formats."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.model import Registry
from babelreg.spark import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
import exact_rows
from lakehouse import WRITERS

pytestmark = [pytest.mark.spark, pytest.mark.servers]


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_numbers_are_written_as_they_were_sent(
    to: str, written: str, table_session: Any, new_place: Callable[..., Any], make_registry: Callable[..., Registry]
) -> None:
    place, registry = new_place(to), make_registry({exact_rows.URN: exact_rows.SCHEMA})
    rows = [(body, number) for number, body in enumerate(exact_rows.bodies())]
    frame = table_session.createDataFrame(rows, "value binary, line long")
    counts = Tables(registry, to, place.at, position=["line"]).write(frame, application="job", batch=0)
    assert counts.read == len(exact_rows.NUMBERS)
    exact_rows.check(place.read("money_counted__rows"), place.read("babelreg__quarantine"))
