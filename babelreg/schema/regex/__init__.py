"""Regular expressions of JSON Schema (ECMA 262): parsed, and checked for portability and cost."""
