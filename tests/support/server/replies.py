"""What a test server can answer: the reply, the ways of sending it, and the choice among those of a path."""

from __future__ import annotations

import zlib
from collections import defaultdict, deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import sha256
from threading import Event, Lock
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Way = Literal["whole", "truncated", "reset", "endless"]


class Held:
    """A reply held back until the test releases it, or for *seconds* at most."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._released = Event()

    def wait(self) -> None:
        self._released.wait(self._seconds)

    def release(self) -> None:
        self._released.set()


@dataclass(frozen=True)
class Reply:
    """One answer. `modified` asks for an ETag and a Last-Modified, and for 304 to those who have them.

    `retry_after_s` asks for a Retry-After that is a date, so many seconds after the answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    way: Way = "whole"
    held: Held | None = None
    modified: datetime | None = None
    retry_after_s: float | None = None

    def all_headers(self) -> dict[str, str]:
        """The headers to send, validators included; those that the test wrote win."""
        if self.retry_after_s is not None:
            later = datetime.now(UTC) + timedelta(seconds=self.retry_after_s)
            return {"Retry-After": format_datetime(later, usegmt=True), **self.headers}
        if self.modified is None:
            return dict(self.headers)
        etag = f'"{sha256(self.body).hexdigest()[:16]}"'
        return {"ETag": etag, "Last-Modified": format_datetime(self.modified, usegmt=True), **self.headers}

    def is_known(self, asked: Mapping[str, str]) -> bool:
        """Whether the client's conditional headers (names lower case) say that it has this version (RFC 9110 §13)."""
        headers = {name.lower(): value for name, value in self.all_headers().items()}
        if self.status != 200:
            return False
        if "if-none-match" in asked:
            tags = {tag.strip().removeprefix("W/") for tag in asked["if-none-match"].split(",")}
            return "*" in tags or headers.get("etag", "").removeprefix("W/") in tags
        if "if-modified-since" in asked and "last-modified" in headers:
            since = parsedate_to_datetime(asked["if-modified-since"])
            return parsedate_to_datetime(headers["last-modified"]) <= since
        return False


class Replies:
    """The replies by path: those that count down, the one that stays, that of "/folder/*"; 404 for the rest."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stays: dict[str, Reply] = {}
        self._first: defaultdict[str, deque[Reply]] = defaultdict(deque)

    def stays(self, path: str, reply: Reply) -> None:
        with self._lock:
            self._stays[path] = reply

    def first(self, path: str, reply: Reply, times: int) -> None:
        with self._lock:
            self._first[path].extend([reply] * times)

    def change(self, path: str, body: bytes, modified: datetime) -> None:
        """Another body for a path that has a reply (KeyError), with its headers."""
        with self._lock:
            old = self._stays[path]
            self._stays[path] = replace(old, body=body, modified=modified if old.modified else None)

    def at(self, path: str) -> Reply | None:
        with self._lock:
            return self._stays.get(path)

    def take(self, target: str) -> Reply:
        """The reply for a request's *target*: its path with the query if that was scripted, else the path alone."""
        with self._lock:
            for key in (target, target.partition("?")[0]):
                if self._first[key]:
                    return self._first[key].popleft()
                if key in self._stays:
                    return self._stays[key]
            if of_folder := self._stays.get(f"{target.partition('?')[0].rpartition('/')[0]}/*"):
                return of_folder
        return Reply(404, {"Content-Type": "text/html; charset=utf-8"}, b"<title>Not found</title><p>Not found</p>")


def bomb(decoded_bytes: int) -> bytes:
    """A gzip body that unpacks to *decoded_bytes* spaces."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * 65536
    whole, rest = divmod(decoded_bytes, len(block))
    parts = [packer.compress(block) for _ in range(whole)]
    return b"".join([*parts, packer.compress(block[:rest]), packer.flush()])
