"""Upcast operations as SQL over typed columns: for views, which hold no Python.

The operations are evaluated once, on symbols: a tree of SQL expressions of the old columns takes the place of the data.
The newest columns are then read from the tree.

A column does not tell a property that is absent from one that is null. So ``default`` also fills a null, ``rename``
onto a null succeeds and moves no null, and an object that is null is created like an absent one, where
``contract.upcast`` keeps the null or refuses the data. A property that the old schema does not declare has no column
and counts as absent. ``string->integer`` takes at most 38 digits, those of a DECIMAL. The newest schema is not checked:
only its types are. Everything else is as in ``contract.upcast``; what SQL cannot say the same way is refused with
UntranslatableUpcast.
"""

from babelreg.typemap.spark.upcast.translation import UpcastSql, translated
from babelreg.typemap.spark.upcast.value_tree import RowFailure, UntranslatableUpcast

__all__ = ["RowFailure", "UntranslatableUpcast", "UpcastSql", "translated"]
