"""The lifecycle of ids in one FlowLayer session: command, ack, and a result only if accepted.

The codes are babelreg's own; the documents name none. A recording that begins mid-session, or holds one direction,
breaks these rules without being wrong, so they are applied on request only. Source: facts F7, F25.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from babelreg.finding import Severity
from babelreg.wire.format import Diagnostic


class _Stage(Enum):
    """The last message that a command's id has been seen on."""

    COMMANDED = "command"
    ACCEPTED = "ack"
    REJECTED = "rejection"
    FINISHED = "result"


class FlowLayerSession:
    """The stage of every id of one session. Memory grows with the number of ids, not with that of messages."""

    def __init__(self) -> None:
        self._stages: dict[str, _Stage] = {}

    def observe(self, value: Mapping[str, Any]) -> list[Diagnostic]:
        """See Session. A message with defects of its own has no place in the lifecycle and changes nothing."""
        kind, identity = value.get("type"), value.get("id")
        if not isinstance(identity, str) or not identity:
            return []
        payload = value.get("payload")
        if kind == "command":
            return self._command(identity)
        if kind == "ack" and isinstance(payload, dict) and isinstance(payload.get("accepted"), bool):
            return self._ack(identity, payload["accepted"])
        if kind == "result" and isinstance(payload, dict) and isinstance(payload.get("ok"), bool):
            return self._result(identity)
        return []

    def close(self) -> list[Diagnostic]:
        waiting = {_Stage.COMMANDED: "no ack", _Stage.ACCEPTED: "no result"}
        counts = {stage: sum(current is stage for current in self._stages.values()) for stage in waiting}
        return [
            Diagnostic("command_open", "/id", f"{_commands(counts[stage])} {missing} at the end", Severity.INFO)
            for stage, missing in waiting.items()
            if counts[stage]
        ]

    def open_ids(self) -> list[str]:
        """Return the ids whose lifecycle has not ended, in the order of their first message."""
        ended = (_Stage.REJECTED, _Stage.FINISHED)
        return [identity for identity, stage in self._stages.items() if stage not in ended]

    def _command(self, identity: str) -> list[Diagnostic]:
        reused = identity in self._stages
        self._stages[identity] = _Stage.COMMANDED
        return [_defect("id_reused", "the id has been used before in this session")] if reused else []

    def _ack(self, identity: str, accepted: bool) -> list[Diagnostic]:
        stage = self._stages.get(identity)
        if stage in (None, _Stage.COMMANDED):
            self._stages[identity] = _Stage.ACCEPTED if accepted else _Stage.REJECTED
        if stage is None:
            return [_defect("ack_without_command", "no command has this id")]
        if stage is not _Stage.COMMANDED:
            return [_defect("ack_repeated", "the command has been acknowledged before")]
        return []

    def _result(self, identity: str) -> list[Diagnostic]:
        stage = self._stages.get(identity)
        if stage is _Stage.REJECTED:
            return [_defect("result_after_rejection", "the command was rejected, so no result may follow")]
        self._stages[identity] = _Stage.FINISHED
        if stage is _Stage.FINISHED:
            return [_defect("result_repeated", "the command has had its result")]
        if stage is not _Stage.ACCEPTED:
            return [_defect("result_without_ack", "no ack has accepted a command with this id")]
        return []


def _defect(code: str, detail: str) -> Diagnostic:
    return Diagnostic(code, "/id", detail)


def _commands(count: int) -> str:
    return "1 command has" if count == 1 else f"{count} commands have"
