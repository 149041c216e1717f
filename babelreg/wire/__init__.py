"""Bytes and messages: the interface of a wire format, what formats share, one package per format. No sockets."""
