"""Tables of cases as one test fail for each wrong case by its name; numbers of drawn cases follow the profile."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import examples
import pytest
from each import MOST_SHOWN, each
from examples import fewer
from hypothesis import settings


def test_every_wrong_case_is_named_and_the_others_run() -> None:
    seen: list[int] = []

    @each("number, text", [pytest.param(1, "a", id="one"), pytest.param(2, "b", id="two"), (3, "c")])
    def table(number: int, text: str) -> None:
        seen.append(number)
        assert number == 2, text

    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail") as failed:
        table()  # type: ignore[call-arg]
    assert seen == [1, 2, 3]
    assert [err.__notes__ for err in failed.value.exceptions] == [["case: one"], ["case: 2: 3, 'c'"]]


def test_a_table_without_a_wrong_case_passes_and_takes_fixtures(tmp_path: Any) -> None:
    @each("text", ["a", "b"], ids=["first", "second"])
    def table(text: str, tmp_path: Any) -> None:
        (tmp_path / text).touch()

    assert list(inspect.signature(table).parameters) == ["tmp_path"]
    table(tmp_path=tmp_path)  # type: ignore[call-arg]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_the_cases_of_two_tables_are_crossed() -> None:
    seen: list[tuple[str, int]] = []

    @each("text", ["a", "b"], ids=str.upper)
    @each("number", [1, 2])
    def table(text: str, number: int) -> None:
        seen.append((text, number))
        assert (text, number) != ("b", 1)

    with pytest.raises(ExceptionGroup) as failed:
        table()  # type: ignore[call-arg]
    assert seen == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    (inner,) = failed.value.exceptions
    assert inner.__notes__ == ["case: B"]
    assert isinstance(inner, ExceptionGroup)
    assert inner.exceptions[0].__notes__ == ["case: 0: 1"]


def test_of_many_wrong_cases_some_are_shown() -> None:
    @each("number", range(100))
    def table(number: int) -> None:
        assert number < 0

    with pytest.raises(ExceptionGroup, match="100 of 100 cases fail") as failed:
        table()  # type: ignore[call-arg]
    assert len(failed.value.exceptions) == MOST_SHOWN


@pytest.mark.parametrize(
    "names, cases",
    [
        pytest.param("other", [1, 2], id="a name that the test does not take"),
        pytest.param("number", [1], id="a single case"),
        pytest.param("number", [pytest.param(1, marks=pytest.mark.long), 2], id="a mark"),
    ],
)
def test_what_is_no_table_is_refused(names: str, cases: list[Any]) -> None:
    def table(number: int) -> None: ...

    with pytest.raises(AssertionError):
        each(names, cases)(table)


@pytest.mark.parametrize(
    "profile, numbers", [pytest.param("suite", (20, 20), id="suite"), pytest.param("random", (500, 70), id="random")]
)
def test_dear_cases_are_fewer_in_the_suite_alone(
    profile: str, numbers: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    default = SimpleNamespace(max_examples=500)
    chosen = SimpleNamespace(get_current_profile_name=lambda: profile, default=default)
    monkeypatch.setattr(examples, "settings", chosen)
    assert (fewer(20), fewer(20, 70)) == numbers


def test_the_suite_has_its_profile() -> None:
    assert settings.get_current_profile_name() in ("suite", "random")
