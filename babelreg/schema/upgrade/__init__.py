"""Translation of schemas into the newest dialect."""

from babelreg.schema.upgrade.translation import Loss, Upgraded, upgraded

__all__ = ["Loss", "Upgraded", "upgraded"]
