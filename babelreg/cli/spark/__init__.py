"""``babelreg spark``: its group of commands, and the parts that they share."""
