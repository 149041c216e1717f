from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


def marked(*categories: str) -> str:
    return "\n".join(f"f{n}: {{type: string, x-gdpr-sensitive: {c}}}" for n, c in enumerate(categories))


@pytest.mark.parametrize(
    "categories, found",
    [
        pytest.param(["birth_date", "birth_date", "BirthDate"], ["f2"], id="capitals"),
        pytest.param(["birth_date", "birth-date", "birth_date"], ["f1"], id="separators"),
        pytest.param(["emails", "email", "email"], ["f0"], id="a plural"),
        pytest.param(["name", "Name"], ["f1"], id="of two alike lower case is right"),
        pytest.param(["email", "phone", "name"], [], id="three categories"),
        pytest.param(["email", "email"], [], id="one category"),
        pytest.param(["address", "address_line"], [], id="one in another"),
        pytest.param(["true", "false", "true"], [], id="no category at all"),
    ],
)
def test_category_lookalike(categories: list[str], found: list[str], in_data: InData) -> None:
    reported = in_data("category-lookalike", marked(*categories))
    assert [path.partition(".")[0] for path in reported] == found
