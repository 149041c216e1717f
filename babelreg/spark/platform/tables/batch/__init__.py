"""One batch of messages: its identity, its log, its frame, its repeated messages, and the order of its commits."""
