"""Bytes and messages, one module per wire format. No sockets."""
