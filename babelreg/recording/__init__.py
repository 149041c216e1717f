"""Recordings of messages, from queues and exchanges into files of frames, and redrive of dead letters.

It is the command line's side of brokers, on the transports of ``runtime``; services import nothing of it.
"""

from __future__ import annotations

from babelreg.recording.drain import Drained, drain

__all__ = ["Drained", "drain"]
