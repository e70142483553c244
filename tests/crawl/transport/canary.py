"""A listener that nobody may reach: it counts the connections that it gets, and says nothing.

On every loopback address of this machine at once: 127.0.0.0/8, 0.0.0.0 and, where there is IPv6, ::1.
"""

from __future__ import annotations

import socket
from threading import Thread
from typing import Self


class Canary:
    """One port, all addresses. `heard` are the peers that connected, and what they said first."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._sockets = _bound()
        self.port: int = self._sockets[0].getsockname()[1]
        self._threads = [Thread(target=self._listen, args=(one,), daemon=True) for one in self._sockets]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._sockets:
            one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join()

    @property
    def hears_ipv6(self) -> bool:
        return len(self._sockets) > 1

    def _listen(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, peer = listening.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    received = connection.recv(200)
                except OSError:
                    received = b""
                self.heard.append(f"{peer[0]}: {received!r}")


def _bound() -> list[socket.socket]:
    """A socket for IPv4 and, where this machine has it, one for IPv6 with the same port."""
    for _ in range(20):
        ipv4 = socket.create_server(("0.0.0.0", 0))
        try:
            return [ipv4, socket.create_server(("::1", ipv4.getsockname()[1]), family=socket.AF_INET6)]
        except OSError as error:
            if error.errno in _NO_IPV6:
                return [ipv4]
            ipv4.close()  # the port is taken there
    raise RuntimeError("no port is free for both IPv4 and IPv6")


#: EAFNOSUPPORT, EADDRNOTAVAIL.
_NO_IPV6 = {97, 99}
