"""Report styles, one module each. The table is ``report/style_table.py``, so that importing one imports no other."""
