"""Creation of Delta tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.spark.platform.tables import delta_table, table_layout

pytestmark = [pytest.mark.spark, pytest.mark.servers]


def test_a_table_whose_creation_was_killed_is_created(table_session: Any, new_place: Callable[..., Any]) -> None:
    place = new_place("delta")
    layout = table_layout.counts_layout()
    table = place.table(layout.name)
    (Path(place.at) / layout.name / "_delta_log").mkdir(parents=True)
    assert delta_table.stored(table_session, table) is None
    delta_table.create(table_session, table, layout)
    created = delta_table.stored(table_session, table)
    assert created is not None
    assert created.properties[table_layout.TABLE_OF] == layout.holds
