"""The requirements of generated packages and of the runtime: version ranges for pip, each tested at both ends.

babelreg pins what it is built and tested with; a service has other packages that need the same libraries, so a
generated package accepts every version that its smoke test passes with.
"""

from __future__ import annotations

from babelreg import __version__

__all__ = ["BROKER", "CONTRACT", "DISTRIBUTION", "MODELS", "runtime"]

DISTRIBUTION = "babelreg-runtime"
"""The wheel that contains the runtime."""

CONTRACT = ("jsonschema-rs==0.60.3", "orjson>=3.11,<4")
"""What every package needs."""

BROKER = ("babelqueue==1.24.0",)
"""What a package needs that sends to brokers."""

MODELS = {
    "pydantic": ("pydantic>=2.14,<3",),
    "typeddict": ("typing-extensions>=4.13",),
    "msgspec": ("msgspec>=0.22,<0.23",),
}
"""What a package needs for its kind of models."""


def runtime(extras: list[str]) -> str:
    """Return the requirement of the runtime as a package: at least the version that the code was generated for.

    A later runtime says itself which code is too old for it, at import.
    """
    return f"{DISTRIBUTION}[{','.join(extras)}]>={__version__},<{int(__version__.partition('.')[0]) + 1}"
