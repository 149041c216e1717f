"""Translation of schemas into the newest dialect."""

from babelreg.schema.upgrade.translation import Loss, Upgraded, in_one_dialect, upgraded

__all__ = ["Loss", "Upgraded", "in_one_dialect", "upgraded"]
