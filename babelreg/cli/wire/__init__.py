"""``babelreg wire``: messages in the formats of other systems."""
