"""Generated JSON files. JSON has no comments, so a member holds the header."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from babelreg.gen.target import File, header


def json_file(
    path: str,
    target: str,
    source: str,
    inputs: Any,
    content: Callable[[], Mapping[str, Any]],
    *,
    comment: str = "$comment",
) -> File:
    """Return the file at ``path``, whose content is generated only if ``inputs`` have changed.

    ``source`` is the registry file, ``inputs`` (JSON) are all values that the content depends on. ``comment`` is the
    member that holds the header.
    """
    head = header(target, source, inputs, sign="").replace("\n", " ")
    line = json.dumps(head, ensure_ascii=False)[1:-1]

    def text() -> str:
        return json.dumps({comment: head, **content()}, ensure_ascii=False, indent=2) + "\n"

    return File(path, text, line)
