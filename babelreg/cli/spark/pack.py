"""``babelreg spark pack``: what a cluster needs of babelreg, in one archive."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import LocalPath, dry_run_option, examples
from babelreg.cli.shared.registry_options import (
    open_registry,
    registry_option,
    sound,
)
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.spark.deploy.pack import Packed


@click.command(epilog=examples("babelreg spark pack", "babelreg spark pack --arrow --out /shared/babelreg.tar.gz"))
@click.option(
    "--out",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    default="babelreg.tar.gz",
    show_default=True,
    help="The archive to write.",
)
@click.option("--arrow", is_flag=True, help="Also pack pyarrow and pandas, about 100 MB, for workers without them.")
@dry_run_option("what the archive would hold")
@registry_option
def command(out: Path, arrow: bool, dry_run: bool, registry: Path | None) -> None:
    """Pack babelreg, its validation packages and the registry into an archive for a cluster.

    The archive contains the packages installed here, so run it with the same Python and operating system as the
    workers. Pass it to --archives of spark-submit, with the job.py that `babelreg gen spark` writes.
    """
    loaded = sound(open_registry(registry))
    from babelreg.lake.ingest.schema_check import spec_of
    from babelreg.load.registry.json_bundle import pack
    from babelreg.spark.deploy import pack as archive

    if loaded.schemas:
        spec_of(loaded, digests=True)
    done = archive.write(out, pack(loaded), arrow=arrow, dry_run=dry_run)
    click.echo("\n".join(_lines(done, f"{loaded.root} ({counted(len(loaded.messages), 'message')})")))


def _lines(done: Packed, registry: str) -> list[str]:
    packages = [f"{name} {version}" for name, version in done.packages.items()]
    archive_option = shlex.quote(f"{done.path}#babelreg")
    return [
        f"{done.path}: {done.size / 1e6:,.1f} MB for Python {done.python}, {done.system}",
        *(f"  {package}" for package in packages),
        f"  registry {registry}",
        "",
        "next, with job.py of `babelreg gen spark` and folders that all workers can access:",
        f"  spark-submit --master spark://HOST:7077 --archives {archive_option} job.py --input IN --lake LAKE",
        "",
        "for your own session:",
        f"  spark.archives                  {done.path}#babelreg",
        "  spark.executorEnv.PYTHONPATH    ./babelreg",
    ]
