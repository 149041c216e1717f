"""The requirements of generated packages and of the runtime: version ranges for pip, tested at both ends.

babelreg pins what it is built with. A service has other packages that need the same libraries, so a generated package
accepts a range; ``tests/runtime/test_installed.py`` runs a service with the lowest and with the highest versions.
"""

from __future__ import annotations

DISTRIBUTION = "babelreg-runtime"
"""The wheel that contains the runtime."""

CONTRACT = ("jsonschema-rs>=0.52,<0.61", "orjson>=3.11,<4")
"""What every package needs. The next jsonschema-rs may change its interface, as each minor version of it may."""

BROKER = ("babelqueue>=1.23.0,<2",)
"""What a package needs that sends to brokers. Before 1.23 a delivery does not tell the broker's count of attempts."""

MODELS = {
    "pydantic": ("pydantic>=2.14,<3",),
    "typeddict": ("typing-extensions>=4.13,<5",),
}
"""What a package needs for its kind of models."""

OPTIONAL = {"otel": ("opentelemetry-api>=1.30,<2",)}
"""What a service may install, by the name of the extra of the runtime."""
