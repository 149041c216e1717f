"""Questions about a JSON Schema that every verb shares: pointers, dialects, walking, resolving."""
