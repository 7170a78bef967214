"""cutter.py <port> <limit>: a ProxyCommand of ssh that relays to 127.0.0.1:<port> and breaks off.

The file <limit> says after how many bytes, in both directions together. It serves one connection:
<limit>.passed then has the number of bytes that passed. Without it nothing breaks.
"""
import os
import pathlib
import select
import socket
import sys


def relay(port: int, limit: float) -> int:
    host = socket.create_connection(("127.0.0.1", port))
    targets = {0: host.fileno(), host.fileno(): 1}
    passed = 0
    while passed < limit:
        for source in select.select(list(targets), [], [])[0]:
            data = os.read(source, int(min(65536, limit - passed)))
            if not data:
                return passed
            passed += len(data)
            while data:
                data = data[os.write(targets[source], data):]
    return passed


port, plan = int(sys.argv[1]), pathlib.Path(sys.argv[2])
try:
    limit = float(plan.read_text())
    plan.unlink()
except FileNotFoundError:
    relay(port, float("inf"))
else:
    passed = 0
    try:
        passed = relay(port, limit)
    finally:
        plan.with_suffix(".passed").write_text(f"{passed}\n")
