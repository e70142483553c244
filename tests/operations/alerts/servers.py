"""Servers that alerts are sent to: a real SMTP server that keeps its mails, and TCP servers that behave badly."""

from __future__ import annotations

import asyncio
import email
import socket
import threading
from contextlib import contextmanager
from email import policy
from typing import TYPE_CHECKING, Any

from aiosmtpd.controller import Controller

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage


class _Controller(Controller):
    """On the port that the system gave; aiosmtpd would ask port 0 whether it listens."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, asyncio.Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


class Mailbox:
    """An SMTP server on loopback: ``mails`` are those that it took; ``answer`` is its answer to DATA."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.answer = "250 OK"
        self._controller = _Controller(self, hostname="127.0.0.1", port=0)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802  (aiosmtpd's name)
        if self.answer.startswith("2"):
            self.mails.append(email.message_from_bytes(envelope.content, policy=policy.default))
        return self.answer

    @property
    def url(self) -> str:
        """For RORI_SMTP_URL."""
        return f"smtp://127.0.0.1:{self._controller.port}"

    @property
    def texts(self) -> list[str]:
        # aiosmtpd reads every attribute for each connection: an error here would leave its client waiting.
        return [body.get_content() for mail in self.mails if (body := mail.get_body(("plain",))) is not None]

    @property
    def titles(self) -> list[str]:
        return [str(mail["Subject"]) for mail in self.mails]


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    box = Mailbox()
    box._controller.start()
    try:
        yield box
    finally:
        box._controller.stop()


@contextmanager
def says(greeting: bytes) -> Iterator[str]:
    """A server that accepts, says *greeting*, and nothing more; gives its address as ``host:port``."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.sendall(greeting)
                held.append(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        for connection in held:
            connection.close()


def refusing() -> str:
    """The address of a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"
