"""Tables of many small cases as one test: starting a test costs more than thousands of these cases do.

Each case runs, and the failure shows every case that fails, by its name. Fixtures are made once, so it is for functions
that take none but those whose state cases may share.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]
MOST_SHOWN = 10


def each(
    names: str, cases: Iterable[Any], ids: Iterable[str] | Callable[[Any], str] | None = None
) -> Callable[[Test], Test]:
    """Call the test with each of ``cases``; the arguments are those of ``pytest.mark.parametrize``."""
    words = [name.strip() for name in names.split(",")]
    table = list(_table(words, list(cases), ids))
    assert len(table) > 1

    def decorated(test: Test) -> Test:
        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in words]
        assert len(left) + len(words) == len(signature.parameters), f"{test.__name__} does not take all of {names}"

        @functools.wraps(test)
        def together(**fixtures: Any) -> None:
            failed = [err for name, case in table if (err := _failure(test, name, {**fixtures, **case}))]
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} cases fail", failed[:MOST_SHOWN])

        together.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return together

    return decorated


def _failure(test: Test, name: str, arguments: Mapping[str, Any]) -> Exception | None:
    try:
        test(**arguments)
    except Exception as err:
        err.add_note(f"case: {name}")
        return err
    return None


def _table(words: list[str], cases: list[Any], ids: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    named = ids if ids is None or callable(ids) else list(ids)
    for number, case in enumerate(cases):
        given = ParameterSet.extract_from(case, force_tuple=len(words) == 1)
        assert not given.marks, "a case with a mark is a test of its own"
        name = given.id or (named(case) if callable(named) else named[number] if named else None)
        yield (
            str(name or f"{number}: {', '.join(map(repr, given.values))}"),
            dict(zip(words, given.values, strict=True)),
        )
