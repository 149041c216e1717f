"""Data of messages in foreign wire formats, for the packages of `gen python --wire`. No sockets, no babelqueue."""
