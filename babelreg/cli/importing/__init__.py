"""``babelreg import``: schemas of other tools become messages of the registry."""
