"""Report for programs: one JSON document, ``{"findings": [...], "summary": {"error": 1, "warning": 0, "info": 0}}``.

The summary also has the counts of the run, such as ``messages`` and ``waived``; ``breaking`` adds ``compared``,
``drafts``, ``new`` and ``unreadable``, which together are all ``messages``; of plain schemas ``schemas``, of which
``compared`` and ``new`` are parts, and the files beside them: ``not_schemas`` and ``unreadable``.
A finding has the keys ``id``, ``rule``, ``severity``, ``path``, ``line``, ``column``, ``message`` and, where they are
known, ``urn``, ``pointer``, ``fix``, ``reason``, ``against``, ``direction``, ``breaks``, ``hurts``, ``rollout``,
``messages``, ``witness``, ``witnesses``; for messages of wire formats ``code``, ``offset``, ``excerpt``. Line 0 means
the whole file.
``id`` is the same in every run as long as rule, file, pointer, direction and message are.
The document is ASCII, so that neither a console nor broken text in a finding can corrupt it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from babelreg.finding import Finding, counts
from babelreg.report.fingerprint import with_id
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo

_NOT_ASCII = re.compile(r"[^\n -~]+")


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    if run_info.json_array:
        return _indented(with_id(findings)) + "\n"
    summary = {severity.value: number for severity, number in counts(findings).items()} | dict(run_info.counts)
    return _indented({"findings": with_id(findings), "summary": summary}) + "\n"


def _indented(document: Any) -> str:
    # With an indent, the encoder of json is pure Python: a hundred times slower for many findings.
    import orjson

    try:
        text = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    except TypeError:  # a witness may hold an unpaired surrogate, or an integer beyond 64 bits
        return json.dumps(document, indent=2)
    return _NOT_ASCII.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]
