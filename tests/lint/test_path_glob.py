"""Patterns for paths, as gitignore reads them, and in bounded time."""

from __future__ import annotations

import pytest
from hang import in_a_child
from hypothesis import given
from hypothesis import strategies as st
from steps import steps

from babelreg.lint.path_glob import matches


@pytest.mark.parametrize(
    "pattern, path, meant",
    [
        pytest.param("orders/", "orders/created.yaml", True, id="a folder with a slash"),
        pytest.param("orders", "orders/created.yaml", True, id="a folder without"),
        pytest.param("orders/", "orders", False, id="a slash at the end asks for a folder"),
        pytest.param("order", "orders/created.yaml", False, id="a beginning is no folder"),
        pytest.param("orders/created.yaml", "orders/created.yaml", True, id="one file"),
        pytest.param("created.yaml", "orders/created.yaml", True, id="a name is looked for in every folder"),
        pytest.param("/created.yaml", "orders/created.yaml", False, id="a slash in front ties it to the top"),
        pytest.param("/babelreg.yaml", "babelreg.yaml", True, id="a file at the top"),
        pytest.param("orders/created.yaml", "old/orders/created.yaml", False, id="a slash within ties it too"),
        pytest.param("*.v1.yaml", "orders/created.v1.yaml", True, id="a star in a name"),
        pytest.param("*.v1.yaml", "orders/created.v11.yaml", False, id="a star is not everything"),
        pytest.param("*.yaml", "orders/created.jsonl", False, id="another ending"),
        pytest.param("or*/cr*d.yaml", "orders/created.yaml", True, id="stars in folder and name"),
        pytest.param("*/paid.yaml", "orders/old/paid.yaml", False, id="a star stays within one name"),
        pytest.param("a*a", "a", False, id="what stands around a star does not overlap"),
        pytest.param("a*b*c", "aXbYbZc", True, id="two stars"),
        pytest.param("a*bc*c", "abc", False, id="the last part stands behind the middle one"),
        pytest.param("create?.yaml", "orders/created.yaml", True, id="a question mark is one letter"),
        pytest.param("create?.yaml", "orders/create.yaml", False, id="a question mark is not none"),
        pytest.param("*e?re*", "created.yaml", False, id="a question mark between stars finds nothing"),
        pytest.param("*e?t*", "created.yaml", True, id="a question mark between stars"),
        pytest.param("**/created.yaml", "orders/created.yaml", True, id="any folder"),
        pytest.param("**/created.yaml", "created.yaml", True, id="any folder, or none"),
        pytest.param("orders/**", "orders/created.yaml", True, id="all below"),
        pytest.param("orders/**", "orders", False, id="all below is not the thing itself"),
        pytest.param("a/**/d.yaml", "a/b/c/d.yaml", True, id="folders between"),
        pytest.param("a/**/d.yaml", "a/d.yaml", True, id="no folders between"),
        pytest.param("a/**/b/**/c", "a/x/b/b/c", True, id="folders between, twice"),
        pytest.param("/", "orders/created.yaml", True, id="the registry"),
        pytest.param(".", "orders/created.yaml", True, id="the registry as a dot"),
        pytest.param("./orders", "orders/created.yaml", True, id="a dot in front"),
        pytest.param("", "orders/created.yaml", False, id="nothing"),
        pytest.param("Orders/", "orders/created.yaml", False, id="case counts"),
        pytest.param("[o]rders/", "orders/created.yaml", False, id="brackets are letters"),
    ],
)
def test_a_pattern_means_a_file(pattern: str, path: str, meant: bool) -> None:
    assert matches(pattern, path) is meant


names = st.text("ab.?*[", min_size=1, max_size=6).filter(lambda name: name not in (".", ".."))


@given(st.lists(names, min_size=1, max_size=4))
def test_a_path_without_wildcards_means_itself_and_what_is_below(parts: list[str]) -> None:
    plain = "/" + "/".join(part.replace("*", "a").replace("?", "b") for part in parts)
    assert matches(plain, plain[1:])
    assert matches(plain, f"{plain[1:]}/below")
    assert not matches(plain, f"{plain[1:]}x")


@given(st.lists(names, min_size=1, max_size=4), st.data())
def test_a_star_may_stand_for_any_part_of_a_name(parts: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(parts) - 1))
    start = data.draw(st.integers(0, len(parts[at])))
    end = data.draw(st.integers(start, len(parts[at])))
    starred = [*parts[:at], parts[at][:start] + "*" + parts[at][end:], *parts[at + 1 :]]
    assert matches("/" + "/".join(starred), "/".join(parts))


@pytest.mark.parametrize(
    "pattern, path",
    [
        pytest.param("*a" * 120 + "b", "a" * 250, id="stars in one name"),
        pytest.param("**/" * 80 + "b", "a/" * 2000 + "a", id="stars for folders"),
        pytest.param("*?a" * 80 + "b", "a" * 250, id="stars and question marks"),
    ],
)
def test_no_pattern_is_slow(pattern: str, path: str) -> None:
    def match() -> None:
        assert steps(lambda: matches.__wrapped__(pattern, path), most=len(pattern) * len(path)) > 0
        assert not matches(pattern, path)

    in_a_child(match, cpu_seconds=5)
