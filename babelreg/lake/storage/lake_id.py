"""Identity of a lake: a random id, made once, by which tables elsewhere know the lake that they follow.

``OUTPUT/manifest/lake.id`` is one line. A lake gets its id when it is first published, also one that an earlier version
wrote. A copy of a lake has the id of the original.
"""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

from babelreg.errors import InputError
from babelreg.lake.durable_files import write_whole
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.batch_record import RESTORE

_NAME = "lake.id"
_ID = re.compile(r"[0-9a-f]{32}")


def read(output: Path) -> str | None:
    """Return the id of the lake ``output``; None where it has none yet. Raises InputError for a damaged one."""
    path = output / manifest.FOLDER / _NAME
    try:
        text = path.read_text("ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as err:
        raise InputError(f"cannot read {path}: {err}", fix=RESTORE) from err
    if not _ID.fullmatch(text):
        raise InputError(f"{path} is not the id of a lake", fix=RESTORE)
    return text


def ensure(output: Path) -> str:
    """Return the id of the lake ``output``, made where it has none. Only for the holder of a lock."""
    known = read(output)
    if known is None:
        known = uuid4().hex
        write_whole(output / manifest.FOLDER / _NAME, f"{known}\n".encode())
    return known
