"""Tables whose files the validation pass itself writes and whose commits need no job of Spark."""
