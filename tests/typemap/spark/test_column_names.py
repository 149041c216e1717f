from __future__ import annotations

import pytest

from babelreg.typemap import spark
from babelreg.typemap.spark.column_names import folded

# What Java's equalsIgnoreCase says of each pair.
ONE = ["aA", "äÄ", "ıİ", "ıi", "İI", "σς", "ſs", "\u212ak", "µμ", "ᾳᾼ"]
TWO = [("ß", "ss"), ("é", "e\u0301"), ("ŉ", "ʼn"), ("a", "ä")]


@pytest.mark.parametrize("pair", ONE)
def test_names_that_are_one_to_java(pair: str) -> None:
    assert folded(f"x{pair[0]}") == folded(f"X{pair[1]}")


@pytest.mark.parametrize("pair", TWO)
def test_names_that_are_two(pair: tuple[str, str]) -> None:
    assert folded(pair[0]) != folded(pair[1])


def test_of_names_that_spark_takes_for_one_the_first_is_a_column() -> None:
    schema = {"type": "object", "properties": {"ı": {"type": "integer"}, "İ": {"type": "string"}, "ß": {}}}
    assert [column.name for column in spark.columns(schema).fields] == ["ı", "ß"]
