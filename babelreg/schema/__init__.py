"""JSON Schema, for every verb: dialects, keywords, references, walks, types, field paths, annotations."""
