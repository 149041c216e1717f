"""Samples of data from a file: JSON documents or JSON lines, bare data or whole envelopes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelreg.contract.parse import ParseError, bare
from babelreg.errors import InputError
from babelreg.finding import Place
from babelreg.load.files.defect import Defect
from babelreg.load.registry.document import decode
from babelreg.schema.values import json_type

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_BYTES = 16 << 20


def read_samples(path: Path, urn: str) -> list[dict[str, Any]]:
    """Return the data of each sample in the file at ``path``: of envelopes, those of ``urn``.

    The file is a JSON object, a list of objects, or an object a line. Raises InputError for anything else.
    """
    try:
        content = path.read_bytes()
    except OSError as err:
        raise InputError(
            f"cannot read {path}: {err.strerror}", fix="--from expects a file with samples of the data"
        ) from err
    if len(content) > _MAX_BYTES:
        raise InputError(f"{path} is larger than {_MAX_BYTES >> 20} MB", fix="use some of its samples")
    samples = [_data(value, urn) for value in _values(content.removeprefix(_BYTE_ORDER_MARK), path)]
    wanted = [sample for sample in samples if sample is not None]
    if not wanted:
        raise InputError(f"{path} has no sample of {urn}", fix="a sample is a JSON object: the data, or an envelope")
    return wanted


def _values(content: bytes, path: Path) -> list[Any]:
    lines = content.split(b"\n")
    try:
        whole = bare(content, _MAX_BYTES)
    except ParseError as err:
        if err.reason != "invalid_json" or not _is_json(next(filter(bytes.strip, lines), b"")):
            raise _error(err, content, 1, path) from err
        return [_line(line, number, path) for number, line in enumerate(lines, 1) if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def _line(line: bytes, number: int, path: Path) -> Any:
    try:
        return bare(line, _MAX_BYTES)
    except ParseError as err:
        raise _error(err, line, number, path) from err


def _is_json(line: bytes) -> bool:
    try:
        bare(line, _MAX_BYTES)
    except ParseError:
        return False
    return True


def _error(err: ParseError, text: bytes, number: int, path: Path) -> InputError:
    before = text[: err.offset or 0]
    column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    place = Place(path.as_posix(), number + before.count(b"\n"), column)
    fix = "pass a JSON document, or one per line"
    if err.reason == "invalid_utf8":
        try:
            decode(text)
        except Defect as defect:
            fix = defect.fix_of(path.as_posix()) or fix
    return InputError(err.detail.partition(", at line")[0], place=place, fix=fix)


def _data(value: Any, urn: str) -> dict[str, Any] | None:
    """Return the data of a sample; None for an envelope of another message."""
    if isinstance(value, dict) and isinstance(value.get("meta"), dict) and "data" in value:
        named = value.get("job", value.get("urn"))
        if isinstance(named, str):
            if named != urn:
                return None
            value = value["data"]
    if not isinstance(value, dict):
        kind = json_type(value)
        article = "an" if kind[0] in "ai" else "a"
        raise InputError(f"a sample is {article} {kind}, not an object", fix="pass the data of the message")
    return value
