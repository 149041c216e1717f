"""Renew or check README.md and docs/: command blocks are run, reference tables are generated.

    python tools/docs.py --write [PAGE ...]    # renew the pages named, or all
    python tools/docs.py --check [PAGE ...]    # exit 1 and name the pages that are out of date

Text between ``<!-- generated: NAME -->`` and ``<!-- /generated -->`` comes from ``tools/reference.py``; output of
command blocks comes from ``tools/command_blocks.py``. Everything else is written by hand.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import command_blocks  # noqa: E402
import reference  # noqa: E402

__all__ = ["GENERATED", "PAGES", "generated", "renew"]

_FOLLOWED = ROOT / "docs/extending"  # by tests/test_contributing.py
PAGES = [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent != _FOLLOWED)]
GENERATED = re.compile(r"(<!-- generated: ([\w -]+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


def generated(text: str) -> str:
    """Return the page with its generated tables renewed."""
    return GENERATED.sub(lambda match: f"{match[1]}\n{reference.TABLES[match[2]]()}\n\n{match[3]}", text)


def renew(text: str) -> str:
    """Return the page with its tables and the output of its command blocks renewed."""
    with tempfile.TemporaryDirectory(prefix="babelreg-docs-") as home:
        return command_blocks.renew(generated(text), Path(home).resolve())


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", default=PAGES)
    options = parser.parse_args(arguments)
    outdated = []
    for page in options.pages:
        text = page.read_text("utf-8")
        renewed = renew(text)
        if renewed != text:
            outdated.append(page)
            if options.write:
                page.write_text(renewed, "utf-8")
    for page in outdated:
        print(f"{'wrote' if options.write else 'out of date'}: {page}")
    if outdated and options.check:
        print("fix: python tools/docs.py --write")
    return 1 if outdated and options.check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
