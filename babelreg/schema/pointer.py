"""JSON pointers: a tuple of keys and indexes, and its RFC 6901 spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

Pointer = tuple[str | int, ...]

_MOST_STEPS, _MOST_CANDIDATES = 100, 64  # an error's path has more steps in hostile data only


def text(pointer: Pointer) -> str:
    """Return the RFC 6901 spelling: ``("a/b", 0)`` is ``/a~1b/0``; the root is the empty string."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)


def parse(spelled: str) -> Pointer:
    """Return the steps of an RFC 6901 pointer. Every step is a string; :func:`find` reads digits as indexes in lists.

    Raises ValueError when it is neither empty nor starts with a slash.
    """
    if not spelled:
        return ()
    if not spelled.startswith("/"):
        raise ValueError(f"{spelled!r} is not a JSON pointer: it must start with '/'")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in spelled[1:].split("/"))


def find(document: Any, pointer: Pointer) -> Any:
    """Return the value at ``pointer``.

    Raises KeyError when there is none.
    """
    value = document
    for step in pointer:
        if isinstance(value, list):
            index = str(step)
            if not (index.isascii() and index.isdigit()) or int(index) >= len(value):
                raise KeyError(step)
            value = value[int(index)]
        elif isinstance(value, dict):
            value = value[str(step)]
        else:
            raise KeyError(step)
    return value


def located(document: Any, error: Any) -> Pointer:
    """Return the pointer to the value in ``document`` that an error of jsonschema-rs is about.

    jsonschema-rs reads a name of digits as an index, ``012`` becomes 12, ``+1`` becomes 1; and it drops empty names,
    which only the value and the message for people show.
    """

    def is_meant(pointer: Pointer, shown: str) -> tuple[bool, bool]:
        return bool(find(document, pointer) == error.instance), f"\n\nOn instance{bracketed(pointer)}:\n" in shown

    return with_empty_names(document, error.instance_path, error, is_meant)


def bracketed(pointer: Pointer) -> str:
    """Return the spelling of jsonschema-rs in messages: ``["a"][0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f'["{step}"]' for step in pointer)


def with_empty_names(
    document: Any, path: Sequence[str | int], error: Any, is_meant: Callable[[Pointer, str], Any]
) -> Pointer:
    """Return ``path`` of an error with names as written, empty ones too; of several, the one most likely meant."""
    found = _with_empty_names(document, tuple(path)) if len(path) < _MOST_STEPS else ()
    candidates = list(islice(found, _MOST_CANDIDATES))
    shown = error.verbose_message if len(candidates) > 1 else ""  # long: it has the value
    return max(candidates, key=lambda pointer: is_meant(pointer, shown), default=_as_written(document, path))


def _as_written(document: Any, path: Sequence[str | int]) -> Pointer:
    steps: list[str | int] = []
    value = document
    for step in path:
        if isinstance(value, Mapping):
            step = step if isinstance(step, str) else _name(value, step)
            value = value.get(step)
        else:
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        steps.append(step)
    return tuple(steps)


def _with_empty_names(value: Any, path: Pointer) -> Iterator[Pointer]:
    """Yield the pointers to values below ``value`` that are ``path`` without their empty names."""
    if not path:
        yield ()
    elif isinstance(value, Mapping):
        name = path[0] if isinstance(path[0], str) else _name(value, path[0])
        if name in value:
            yield from ((name, *rest) for rest in _with_empty_names(value[name], path[1:]))
    elif isinstance(value, list) and isinstance(path[0], int) and path[0] < len(value):
        yield from ((path[0], *rest) for rest in _with_empty_names(value[path[0]], path[1:]))
    if isinstance(value, Mapping) and "" in value:
        yield from (("", *rest) for rest in _with_empty_names(value[""], path))


def _name(members: Mapping[str, Any], number: int) -> str:
    """Return the name that was read as ``number``."""
    if str(number) in members:
        return str(number)
    digits = (name for name in members if name.isascii() and name.removeprefix("+").isdigit())
    return next((name for name in digits if int(name) == number), str(number))


def unquoted(fragment: str) -> str:
    """Return the fragment of a URI without its percent escapes."""
    if "%" not in fragment:
        return fragment
    from urllib.parse import unquote

    return unquote(fragment)
