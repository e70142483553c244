"""Heads of HTTP/1.1 messages, as far as a forward proxy must understand them (RFC 9110, RFC 9112)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

HEAD_BYTES = 256 * 1024
#: What is between two neighbours only (RFC 9110 §7.6.1), and what is meant for the proxy.
_BETWEEN_US = frozenset({b"connection", b"proxy-connection", b"keep-alive", b"proxy-authorization", b"te", b"upgrade"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to a proxy."""

    method: bytes
    host: str
    port: int
    target: str  # path and query; empty for a tunnel
    fields: tuple[tuple[bytes, bytes], ...]

    @property
    def peer(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def is_tunnel(self) -> bool:
        return self.method == b"CONNECT"

    @property
    def body_size(self) -> int:
        """Raises ValueError for a body whose size is not said beforehand."""
        if _first(self.fields, b"transfer-encoding") is not None:
            raise ValueError("a chunked request")
        return int(_first(self.fields, b"content-length") or 0)

    def head(self) -> bytes:
        """The head as its server wants it: no proxy, and one request a connection."""
        return _written(self.method + b" " + self.target.encode("latin-1") + b" HTTP/1.1", self.fields)


def asked(head: bytes) -> Asked:
    """The request that *head* makes. Raises ValueError for what is none, or is not for a proxy."""
    line, fields = _read(head)
    method, target, _ = line.split(b" ")
    address = target.decode("latin-1")
    parts = urlsplit(f"//{address}" if method == b"CONNECT" else address)
    if not parts.hostname or (method == b"CONNECT" and parts.port is None):
        raise ValueError("no host")
    if method == b"CONNECT":
        return Asked(method, parts.hostname, int(parts.port or 0), "", fields)
    if parts.scheme != "http":
        raise ValueError(f"{parts.scheme} is not asked of a proxy")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Asked(method, parts.hostname, parts.port or 80, path, fields)


def status_of(head: bytes) -> int:
    """The status of a response's head. Raises ValueError for what is none."""
    version, _, rest = head.partition(b" ")
    if not version.startswith(b"HTTP/1."):
        raise ValueError("no HTTP/1 response")
    return int(rest[:3])


def answer_head(head: bytes) -> bytes:
    """A response's head, as the last of its connection."""
    line, fields = _read(head)
    return _written(line, fields)


def _read(head: bytes) -> tuple[bytes, tuple[tuple[bytes, bytes], ...]]:
    line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    pairs = (one.partition(b":") for one in rest)
    return line, tuple((name, value.strip()) for name, colon, value in pairs if colon)


def _written(line: bytes, fields: tuple[tuple[bytes, bytes], ...]) -> bytes:
    kept = [name + b": " + value for name, value in fields if name.strip().lower() not in _BETWEEN_US]
    return b"\r\n".join([line, *kept, b"Connection: close", b"", b""])


def _first(fields: tuple[tuple[bytes, bytes], ...], name: bytes) -> bytes | None:
    return next((value for key, value in fields if key.strip().lower() == name), None)
