"""Fetch GitHub's webhook payloads and their schemas from npm: ``python fetch_octokit.py FOLDER``. Needs ``npm``.

``@octokit/webhooks-examples`` and ``@octokit/webhooks-schemas`` are under the MIT licence, (c) Gregor Martynus and others.
Nothing of them is kept in this repository. Afterwards:
``BABELREG_OCTOKIT=FOLDER python -m pytest -m long tests/gen/targets/python/test_octokit.py tests/spark/test_octokit.py``.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

_PACKAGES = ("@octokit/webhooks-examples@7.6.1", "@octokit/webhooks-schemas@7.6.1")


def main(folder: Path) -> None:
    """Fill ``folder``, which is made when it is not there: one folder per package."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--ignore-scripts", "--pack-destination", str(folder), *_PACKAGES]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for name in ("webhooks-examples", "webhooks-schemas"):
        archive = next(folder.glob(f"octokit-{name}-*.tgz"))
        with tarfile.open(archive) as packed:
            packed.extractall(folder / name, filter="data")
    print(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
