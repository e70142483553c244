"""Imported by the process that workers are forked from: a client that is killed while it asks does not end it.

Python's fork server passes over a connection that was aborted; one that was closed before it said anything ends it.
It compiles the rules of verdicts, which each worker would for its first page; those of plug-ins belong to a project.
"""

from __future__ import annotations

import errno
from multiprocessing import forkserver, reduction
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rori_spiders.content.citations import find
from rori_spiders.verdicts.judge import RULES

if TYPE_CHECKING:
    from socket import socket


def _receive_fds(client: socket, size: int) -> list[int]:
    try:
        return reduction.recvfds(client, size)
    except EOFError:
        raise ConnectionAbortedError(errno.ECONNABORTED, "the client was killed before it asked") from None


vars(forkserver)["reduction"] = SimpleNamespace(recvfds=_receive_fds, sendfds=reduction.sendfds)
assert all(rule.regex and rule.needed is not None for rule in RULES)
assert find("See Roe v. Wade, 410 U.S. 113 (1973).")
