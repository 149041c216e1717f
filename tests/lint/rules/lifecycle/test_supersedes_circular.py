from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


def links(**after: str) -> str:
    """Messages of which each supersedes the named one."""
    one = "# file: orders/{0}.yaml\nurn: urn:babel:orders:{0}\nsupersedes: urn:babel:orders:{1}\n"
    return "".join(one.format(name, other) for name, other in after.items())


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(links(a="b", b="a"), 1, id="two"),
        pytest.param(links(a="b", b="c", c="d", d="a"), 1, id="four"),
        pytest.param(links(a="b", b="c", c="b"), 1, id="a way into a circle"),
        pytest.param(links(a="b", b="a", c="d", d="c"), 2, id="two circles"),
        pytest.param(links(a="a"), 0, id="itself, which is said elsewhere"),
        pytest.param(links(a="b", b="c"), 0, id="a way that ends"),
        pytest.param(links(a="c", b="c"), 0, id="two ways to one end"),
    ],
)
def test_supersedes_circular(block: str, found: int, findings: Lint) -> None:
    assert len(findings(block, "supersedes-circular")) == found


def test_it_shows_the_way_round(findings: Lint) -> None:
    (found,) = findings(links(a="b", b="c", c="b"), "supersedes-circular")
    assert found.message.endswith("urn:babel:orders:b -> urn:babel:orders:c -> urn:babel:orders:b")
    assert str(found.place) == "orders/b.yaml:2:13"


def test_a_large_circle_is_not_shown_whole(findings: Lint) -> None:
    names = [f"n{number}" for number in range(50)]
    (found,) = findings(links(**dict(zip(names, names[1:] + names[:1], strict=True))), "supersedes-circular")
    assert found.message.count(" -> ") == 5
