"""Renew templates/catalog/catalog.min.js, the script in the page of ``gen catalog``, from catalog.js.

    python tools/catalog_script.py [--esbuild PATH]

esbuild (``npm install esbuild``) takes out comments and white space and shortens names. The first line of the result
names the digest of its source: a test compares it, so that nobody forgets this step.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1] / "templates" / "catalog"
SOURCE, TARGET = ROOT / "catalog.js", ROOT / "catalog.min.js"

__all__ = ["SOURCE", "TARGET", "first_line"]


def first_line(source: bytes) -> str:
    """Return the comment that the script begins with."""
    return f"/* templates/catalog/catalog.js, sha256 {hashlib.sha256(source).hexdigest()[:32]} */\n"


def main() -> None:
    """Write the minified script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--esbuild", default="esbuild", help="the program; default: the one on the path")
    command = [parser.parse_args().esbuild, "--minify", "--target=es2022", "--charset=utf8", str(SOURCE)]
    script = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    TARGET.write_text(first_line(SOURCE.read_bytes()) + script, "utf-8")


if __name__ == "__main__":
    main()
