"""The import of a generated package of 200 messages, in both forms, beside the package of an earlier commit.

    python benchmarks/package_import.py [--commit e6a0d8cf] [--messages 200] [--rounds 15]

Generates the same registry with the earlier commit (of the git repository that this checkout is) and with this
checkout. Then new processes import the three packages in turn: the index alone, and every message that it offers.
Prints processor time and the middle ratio of the rounds, and exits with 1 where one is above the bar of 1.1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared")]

import registry_of  # noqa: E402
from generated import FORMS, write_runtime  # noqa: E402

BAR = 1.1
BEFORE = "before"
USE = """
import sys, time
start = time.process_time()
import messages
index = time.process_time() - start
for name in open("names.txt").read().split():
    getattr(messages, name)
print(index, time.process_time() - start)
"""


def generate(checkout: Path, registry: Path, out: Path, *options: str) -> None:
    """Generate the package with the babelreg of ``checkout``."""
    command = [sys.executable, "-m", "babelreg", "gen", "python", "--registry", str(registry), "--out", str(out)]
    env = {**os.environ, "PYTHONPATH": str(checkout), "BABELREG_CACHE_DIR": str(out.parent / f"{out.name}-cache")}
    subprocess.run([*command, "--quiet", *options], env=env, cwd=checkout, check=True, stdout=subprocess.DEVNULL)


def checkout_of(commit: str, folder: Path) -> Path:
    """A folder with the files of ``commit``."""
    archive = folder.with_suffix(".tar")
    subprocess.run(["git", "archive", "--output", archive, commit, "babelreg", "templates"], cwd=ROOT, check=True)
    shutil.unpack_archive(archive, folder, filter="data")
    return folder


def prepared(registry: Path, scratch: Path, commit: str) -> dict[str, Path]:
    """The folders of the packages by name, compiled, with the names of the messages that all of them offer."""
    folders = {name: scratch / name for name in (BEFORE, *FORMS)}
    generate(checkout_of(commit, scratch / "checkout"), registry, folders[BEFORE])
    for form in FORMS:
        generate(ROOT, registry, folders[form], "--runtime", form)
    write_runtime(folders["package"])
    modules = [path.stem for path in (folders[BEFORE] / "messages").glob("*_*.py") if path.stem != "__init__"]
    index = (folders[BEFORE] / "messages" / "__init__.py").read_text("utf-8")
    names = [line.split('"')[1] for line in index.splitlines() if any(f': "{module}"' in line for module in modules)]
    for folder in folders.values():
        (folder / "names.txt").write_text("\n".join(names), "utf-8")
        (folder / "use.py").write_text(USE, "utf-8")
        seconds(folder)
    print(f"{len(modules)} messages, {len(names)} names")
    return folders


def seconds(folder: Path) -> tuple[float, float]:
    """Processor seconds of the import of the index, and of every message, in a new process."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    said = subprocess.run([sys.executable, "use.py"], cwd=folder, env=env, check=True, capture_output=True, text=True)
    index, used = map(float, said.stdout.split())
    return index, used


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="e6a0d8cf")
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        registry_of.write(scratch / "registry", args.messages)
        folders = prepared(scratch / "registry", scratch, args.commit)
        rounds = []
        for number in range(args.rounds):
            names = list(folders)[:: 1 if number % 2 else -1]
            rounds.append({name: seconds(folders[name]) for name in names})
    missed = False
    for which, what in enumerate(("index", "every message")):
        before = statistics.median(times[BEFORE][which] for times in rounds)
        print(f"{what:<14} {BEFORE:<9} {before * 1000:8.1f} ms")
        for form in FORMS:
            own = statistics.median(times[form][which] for times in rounds)
            ratio = statistics.median(times[form][which] / times[BEFORE][which] for times in rounds)
            missed = missed or ratio > BAR
            print(f"{what:<14} {form:<9} {own * 1000:8.1f} ms  {ratio:5.2f}x  (bar {BAR}x)")
    sys.exit(missed)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    main()
