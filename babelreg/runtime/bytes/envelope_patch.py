"""Changing one member of an envelope that is handed on, as ``contract.rewrite`` does it."""

from babelreg.contract.rewrite import with_members

__all__ = ["with_members"]
