from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding


def data(*properties: str) -> str:
    return "data:\n  type: object\n  properties:\n" + "".join(f"    {line}\n" for line in properties)


BOXES = "qty: {type: integer, description: Boxes.}"
LONG = "How many of the articles there were when it was sold of all those that were ordered; in"
ITEMS = BOXES.replace("Boxes.", "Single items.")


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            data(BOXES),
            data(ITEMS),
            ['the description of \'qty\' changed from "Boxes." to "Single items."'],
            id="other words",
        ),
        pytest.param(
            data(BOXES),
            data("qty: {type: integer}"),
            ["the description of 'qty' changed from \"Boxes.\""],
            id="no words",
        ),
        pytest.param(
            data(BOXES.replace("Boxes.", f"{LONG} boxes of twelve.")),
            data(BOXES.replace("Boxes.", f"{LONG} single items.")),
            [
                "the description of 'qty' changed from \"…that were ordered; in boxes of twelve.\""
                ' to "…that were ordered; in single items."'
            ],
            id="long words that begin alike",
        ),
        pytest.param(data("qty: {type: integer}"), data(BOXES), [], id="words for the first time"),
        pytest.param(data(BOXES), data(BOXES.replace("Boxes.", '"Boxes.\\n "')), [], id="lines broken otherwise"),
        pytest.param("status: draft\n" + data(BOXES), data(ITEMS), [], id="a draft"),
        pytest.param("status: deprecated\n" + data(BOXES), "status: deprecated\n" + data(ITEMS), [], id="deprecated"),
        pytest.param("description: A.\n" + data(BOXES), "description: B.\n" + data(BOXES), [], id="of the message"),
    ],
)
def test_description_changed(old: str, new: str, found: list[str], breaks: Callable[..., list[Finding]]) -> None:
    assert [f.message for f in breaks(old, new) if f.rule == "description-changed"] == found


def test_it_is_placed_at_the_words_and_hurts_nobody(breaks: Callable[..., list[Finding]]) -> None:
    (found,) = breaks(data(BOXES), data(ITEMS))
    assert (str(found.place), str(found.against)) == ("orders/created.yaml:8:39", "orders/created.yaml:8:39")
    assert (found.breaks, found.rollout) == ((), None)
