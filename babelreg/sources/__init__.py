"""Bytes of messages: files, folders, compression, frames and standard input. Without Arrow."""
