"""URNs in source code of any language, against what the registry declares.

Files are read as text, never executed or fully parsed: comments are skipped, string literals are searched, and a call
of an SDK around a literal shows whether the URN is produced or consumed. Cases of doubt are not reported.
"""

from babelreg.scan.file_selection import SourceFiles, source_files
from babelreg.scan.scanner import ScanResult, scan
from babelreg.scan.urn_use import UrnUse

__all__ = ["ScanResult", "SourceFiles", "UrnUse", "scan", "source_files"]
