"""A program for shells that runs ``babelreg`` by the server of commands: ``python -I -S command_client.py SOCKET ARGUMENT ...``.

It imports nothing that is not built in: it exists to start fast.
"""

import _socket
import array
import marshal
import os
import sys

connection = _socket.socket(_socket.AF_UNIX)
connection.connect(sys.argv[1])
request = marshal.dumps((sys.argv[2:], os.getcwd(), dict(os.environ)))  # noqa: PTH109 -- pathlib is not built in
message = b"%08d" % len(request) + request
streams = array.array("i", (0, 1, 2))
sent = connection.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
while sent < len(message):
    sent += connection.send(message[sent:])
code = int(connection.recv(8) or 1)
os._exit(code if code >= 0 else 128 - code)
