"""Certificate files: the certificates of a comparison, made and verified for two schemas.

A file is one JSON object: ``format``, ``version``, the options of the comparison (``reader``, ``formats``), and for
``backward`` and ``forward`` a certificate, or null where that direction has none. docs/proofs.md describes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.certificates.content import VERSION
from babelreg.errors import InputError
from babelreg.place import Place
from babelreg.schema.values import identical, number_as_written

DIRECTIONS = ("backward", "forward")
FORMAT = "babelreg-certificate"
_MAX_BYTES = 64 << 20
_FIX = "write one with `babelreg compare OLD NEW --certificate FILE`"

Views = Mapping[str, tuple[Any, Any]]
"""By direction, the inner and the outer view."""


def document(certificates: Mapping[str, dict[str, Any] | None], *, reader: str, formats: bool) -> dict[str, Any]:
    """Return the file of the certificates by direction."""
    return {"format": FORMAT, "version": VERSION, "reader": reader, "formats": formats, **certificates}


def text(content: dict[str, Any]) -> str:
    """Return a file as it is written: the same certificates, the same bytes."""
    lines = (f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in content.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> dict[str, Any]:
    """Return the content of a certificate file. Raises InputError."""
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except OSError as err:
        raise InputError(f"cannot be read: {err.strerror or err}", place=Place(str(path)), fix=_FIX) from err
    try:
        content = json.loads(body, parse_float=number_as_written) if len(body) <= _MAX_BYTES else None
    except (ValueError, RecursionError):
        content = None
    if defect := _defect(content):
        message, fix = defect
        raise InputError(message, place=Place(str(path)), fix=fix)
    return cast("dict[str, Any]", content)


def _defect(content: Any) -> tuple[str, str] | None:
    """Return why ``content`` is not what :func:`document` returned, as the end of a sentence, with a fix."""
    keys = {"format", "version", "reader", "formats", *DIRECTIONS}
    if not isinstance(content, dict) or content.keys() != keys or content["format"] != FORMAT:
        return "is not a file of certificates", _FIX
    if content["version"] == VERSION:
        return None
    return (
        f"has certificates of version {content['version']!r}; this release reads version {VERSION}",
        "write them again with `babelreg compare OLD NEW --certificate FILE`, with the options of this command",
    )


def verify(content: Any, views: Views, dialect: str, *, reader: str, formats: bool) -> list[str]:
    """Return the directions that the file certifies for ``views``, made from two schemas of ``dialect``.

    Raises CertificateRefused where one is not valid, is of other schemas, or where there is none.
    """
    if defect := _defect(content):
        raise CertificateRefused(f"the file {defect[0]}")
    for option, given in (("reader", reader), ("formats", formats)):
        if content[option] != given:
            raise CertificateRefused(f"the certificate was made with {option} {json.dumps(content[option])}")
    certified = [direction for direction in DIRECTIONS if content[direction] is not None]
    if not certified:
        raise CertificateRefused("the file certifies no direction")
    for direction in certified:
        certificate = content[direction]
        try:
            check(certificate)
        except CertificateRefused as refused:
            raise CertificateRefused(f"{direction}: {refused}") from refused
        inner, outer = views[direction]
        if (certificate["formats"], certificate["dialect"]) != (formats, dialect) or not (
            identical(certificate["inner"], inner) and identical(certificate["outer"], outer)
        ):
            raise CertificateRefused(f"{direction}: the certificate is for other schemas")
    return certified
