"""A way to a PostgreSQL server that breaks when it is told to: before the server hears a message, or before it answers.

In: the folder of the server's socket, and which message of the client it is to break at. Out: the folder of its own.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path

_SOCKET = ".s.PGSQL.5432"


class Cutting:
    """Listens in *folder*. Use it as a context manager."""

    def __init__(self, server: Path, folder: Path) -> None:
        self._server = str(server / _SOCKET)
        self._own = socket.socket(socket.AF_UNIX)
        self._own.bind(str(folder / _SOCKET))
        self._own.listen()
        self._lock = threading.Lock()
        self._left: int | None = None
        self._hears = False
        self.cuts = 0

    def cut(self, at: int, *, hears: bool) -> None:
        """Break at the *at*-th message from now on; where the server *hears* it, its answer is lost."""
        with self._lock:
            self._left, self._hears = at, hears

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._own.shutdown(socket.SHUT_RDWR)
        self._own.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._own.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _is_now(self) -> bool:
        with self._lock:
            if self._left is None:
                return False
            self._left -= 1
            if self._left:
                return False
            self._left = None
            self.cuts += 1
            return True

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self._server)
            back = threading.Thread(target=_answers, args=(server, client), daemon=True)
            back.start()
            while message := client.recv(1 << 16):
                if self._is_now():
                    client.shutdown(socket.SHUT_RDWR)
                    if self._hears:
                        server.sendall(message)
                    break
                server.sendall(message)
            server.shutdown(socket.SHUT_WR)  # the server finishes what it has heard
            back.join()


def _answers(server: socket.socket, client: socket.socket) -> None:
    """Until the server is done with the client; what the client does not hear any more is lost."""
    with suppress(OSError):
        while answer := server.recv(1 << 16):
            with suppress(OSError):
                client.sendall(answer)
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
