"""Samples of data from a file: JSON documents or JSON lines, bare data or whole envelopes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from babelreg.errors import InputError
from babelreg.finding import Place

__all__ = ["read_samples"]

_MAX_BYTES = 16 << 20
_MAX_SAMPLES = 1_000


def read_samples(path: Path, urn: str) -> list[dict[str, Any]]:
    """Return the data of each sample in the file at ``path``: of envelopes, those of ``urn``.

    The file is a JSON object, a list of objects, or an object a line. Raises InputError for anything else.
    """
    try:
        content = path.read_bytes()
    except OSError as err:
        raise InputError(
            f"cannot read {path}: {err.strerror}", fix="--from takes a file of samples of the data"
        ) from err
    if len(content) > _MAX_BYTES:
        raise InputError(f"{path} is larger than {_MAX_BYTES >> 20} MB", fix="take some samples of it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise InputError(f"{path} is not UTF-8", place=Place(path.as_posix())) from err
    samples = [_data(value, urn) for value in _values(text, path)]
    wanted = [sample for sample in samples if sample is not None][:_MAX_SAMPLES]
    if not wanted:
        raise InputError(f"{path} has no sample of {urn}", fix="a sample is a JSON object: the data, or an envelope")
    return wanted


def _values(text: str, path: Path) -> list[Any]:
    try:
        whole = json.loads(text)
    except RecursionError as err:
        raise InputError(f"{path} nests too deeply", place=Place(path.as_posix())) from err
    except ValueError:
        return [_line(line, number, path) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def _line(text: str, number: int, path: Path) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as err:
        place = Place(path.as_posix(), number, err.colno)
        raise InputError(f"not JSON: {err.msg}", place=place, fix="pass a JSON document, or one a line") from err


def _data(value: Any, urn: str) -> dict[str, Any] | None:
    """Return the data of a sample; None for an envelope of another message."""
    if not isinstance(value, dict):
        raise InputError(f"a sample is not an object: {json.dumps(value)[:60]}", fix="pass the data of the message")
    data = value.get("data")
    if isinstance(value.get("job"), str) and isinstance(value.get("meta"), dict) and isinstance(data, dict):
        return data if value["job"] == urn else None
    return value
