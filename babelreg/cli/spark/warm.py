"""``babelreg spark warm``: build the archive of Spark's classes that shortens its start."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import examples, style_option
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.spark.session.cds_archive import Archive

__all__ = ["command"]


@click.command(epilog=examples("babelreg spark warm", "babelreg spark warm --format json"))
@style_option("result")
def command(style: str) -> None:
    """Build an archive of Spark's classes, so that Spark starts in about half the time.

    Runs Spark once, for about half a minute, and stores the classes it loaded (about 190 MB) with the other caches, for
    this Java and this Spark version. If the archive exists, nothing happens. Sessions that babelreg starts use it
    automatically. It may be deleted at any time.
    """
    from babelreg.spark.session import cds_build, java
    from babelreg.spark.session import local as session

    session.check_installed()
    archive = session.archive_of(java.find())
    if archive is None:
        raise UsageError(
            "no class archive can be stored here: it needs a cache folder without ':' in its path, a system other than "
            "Windows, and BABELREG_CLASS_ARCHIVE not set to off",
            fix="set BABELREG_CACHE_DIR to such a folder; Spark also starts without",
        )
    cds_build.build(archive)
    facts = _facts(archive)
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if style == "json" else "\n".join(_lines(facts)))


def _facts(archive: Archive) -> dict[str, Any]:
    import pyspark

    from babelreg.spark.session import cds_archive

    return {
        "archive": str(archive.folder),
        "bytes": sum(path.stat().st_size for path in archive.folder.glob("*.jsa")),
        "java": archive.java.release,
        "java_origin": archive.java.origin,
        "spark": pyspark.__version__,
        "java_home": str(archive.java.home),
        "java_options": " ".join(map(cds_archive.quoted, archive.options())),
    }


def _lines(facts: dict[str, Any]) -> list[str]:
    options = shlex.quote(f"spark.driver.extraJavaOptions={facts['java_options']}")
    return [
        f"{facts['archive']}: {facts['bytes'] / 1e6:,.0f} MB for Spark {facts['spark']} on Java {facts['java']} "
        f"({facts['java_origin']})",
        "",
        "sessions of babelreg use it automatically; for spark-submit on this machine:",
        f"  export JAVA_HOME={shlex.quote(facts['java_home'])}",
        f"  spark-submit --conf {options} ...",
    ]
