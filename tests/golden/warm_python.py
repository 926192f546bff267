# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Python that has imported torch already, for tests that let the program start many.

    warm_python.py SOCKET

The program that WarmPython writes takes the arguments of Python, "-B SCRIPT" or "-B -c CODE". A fork of this process
executes them with the caller's files, folder and environment, and the program ends with its status.
"""

import json
import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path

CLIENT = """#!{python} -S
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({path!r})
    socket.send_fds(server, [json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()], [0, 1, 2])
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(16) or 1))
"""


class WarmPython:
    """The server while it is entered; `program` is the path that stands for Python."""

    def __init__(self, python, folder):
        self.path, self.program = (os.path.join(folder, name) for name in ("socket", "python3"))
        Path(self.program).write_text(CLIENT.format(python=sys.executable, path=self.path), encoding="utf-8")
        os.chmod(self.program, 0o755)
        self.server = subprocess.Popen([python, "-B", __file__, self.path], stdout=subprocess.PIPE)

    def __enter__(self):
        assert self.server.stdout.readline() == b"listening\n"
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.communicate()


def execute(arguments, folder, environment, files):
    """Execute the arguments of Python as its start would, in a process of its own; does not return."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    status = 1
    try:
        assert arguments[0] == "-B", arguments
        sys.argv = arguments[1:]
        if arguments[1] == "-c":
            exec(arguments[2], {"__name__": "__main__"})
        else:
            runpy.run_path(arguments[1], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        os._exit(status)


def serve(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("listening", flush=True)
        while True:
            client, _ = listener.accept()
            with client:
                data, files, _, _ = socket.recv_fds(client, 1 << 16, 3)
                while more := client.recv(1 << 16):
                    data += more
                child = os.fork()
                if child == 0:
                    execute(*json.loads(data), files)
                for file in files:
                    os.close(file)
                client.sendall(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    import torch  # noqa: F401
    sys.path[0] = ""
    serve(sys.argv[1])
