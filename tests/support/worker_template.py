"""Imported by the process that workers are forked from: a client that is killed while it asks does not end it.

Python's fork server passes over a connection that was aborted; one that was closed before it said anything ends it.
"""

from __future__ import annotations

import errno
from multiprocessing import forkserver, reduction
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from socket import socket


def _receive_fds(client: socket, size: int) -> list[int]:
    try:
        return reduction.recvfds(client, size)
    except EOFError:
        raise ConnectionAbortedError(errno.ECONNABORTED, "the client was killed before it asked") from None


vars(forkserver)["reduction"] = SimpleNamespace(recvfds=_receive_fds, sendfds=reduction.sendfds)
