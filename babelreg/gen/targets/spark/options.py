"""Options of target spark."""

from __future__ import annotations

from babelreg.gen.option import Option

PACKAGE = Option("package", "The name of the package to write.", "spark_schemas", command_line=True, metavar="NAME")
VARIANT = Option("variant", "Views show JSON text as VARIANT, which only Spark reads.", False)
PIPELINES = Option("pipelines", "Also write a project of Spark Declarative Pipelines.", False)
MASK = Option(
    "mask",
    "How masked views show strings, by category of x-gdpr-sensitive: not at all (null), or as a digest with a secret"
    " (hash).",
    {},
)
OPTIONS = (PACKAGE, VARIANT, PIPELINES, MASK)
