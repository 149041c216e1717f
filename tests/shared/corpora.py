"""Where schema pairs with known answers stand, for the tests that need them: they are not part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CORPORA = Path(os.environ.get("BABELREG_CORPORA") or "no corpora")
"""A folder of JSON lines with ``old``, ``new``, ``draft`` and ``truth``."""
corpora_needed = pytest.mark.skipif(not CORPORA.is_dir(), reason="BABELREG_CORPORA names no folder of schema pairs")
