"""A web site for tests: pages and behaviours by path, on a loopback address of its own.

In: what a test scripts. Out: answers over HTTP, and the log of what was asked.
"""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, Self

from tests.support.server.listener import Listener
from tests.support.server.log import Log, Report, report
from tests.support.server.replies import Held, Reply, bomb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HTML = "text/html; charset=utf-8"
_BORN = datetime(2026, 1, 1, tzinfo=UTC)


class Site:
    """One site. Paths without a script answer 404. Header names are written as keywords: `content_type="..."`."""

    def __init__(self, address: str = "127.0.0.1", port: int = 0) -> None:
        self._listener = Listener(address, port)
        self._changes = 0
        self._held: list[Held] = []
        self.host = address
        self.port = self._listener.server_port
        self.netloc = f"[{address}]:{self.port}" if ":" in address else f"{address}:{self.port}"
        self.url = f"http://{self.netloc}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop. Raises ExceptionGroup when the server itself went wrong: then its figures prove nothing."""
        for held in self._held:
            held.release()
        self._listener.stop()
        if self._listener.faults:
            raise BaseExceptionGroup("the test server failed", self._listener.faults)

    @property
    def log(self) -> Log:
        return self._listener.log

    def report(self) -> Report:
        return report(self.log.hits())

    def at(self, path: str) -> str:
        """The absolute URL of *path*."""
        return self.url + path

    def page(
        self, path: str, html: str | bytes, *, status: int = 200, validators: bool = False, **headers: str
    ) -> None:
        """Serve *html* at *path*; with *validators*, with ETag and Last-Modified, and 304 to those who have it."""
        self._page(path, html, status=status, headers=headers, modified=self._now() if validators else None)

    def set(self, path: str, html: str | bytes) -> None:
        """Change the body of a page; its headers stay, its validators follow."""
        self._changes += 1
        self._listener.replies.change(path, html.encode() if isinstance(html, str) else html, self._now())

    def robots(self, text: str | bytes, *, status: int = 200, content_type: str = "text/plain", **headers: str) -> None:
        self._page("/robots.txt", text, status=status, headers={"content_type": content_type, **headers})

    def sitemap(self, paths: Iterable[str], *, at: str = "/sitemap.xml") -> None:
        """A sitemap of *paths*; absolute URLs stay as they are."""
        urls = (path if "://" in path else self.at(path) for path in paths)
        rows = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
        text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SITEMAPS}">{rows}</urlset>\n'
        self.page(at, text, content_type="application/xml")

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        """Send *path* elsewhere: *to* goes into Location as it is."""
        self._listener.replies.stays(path, Reply(status, {"Location": to}))

    def status(
        self,
        path: str,
        status: int,
        *,
        times: int | None = None,
        body: str = "",
        retry_after_s: float | None = None,
        **headers: str,
    ) -> None:
        """Answer *status*: always, or the next *times* times, and then what the path had before.

        *retry_after_s*: with a Retry-After that is a date, so many seconds after the answer.
        """
        reply = Reply(status, {"Content-Type": _HTML, **_names(headers)}, body.encode(), retry_after_s=retry_after_s)
        self._script(path, reply, times)

    def drop(self, path: str, *, times: int | None = None) -> None:
        """Reset the connection instead of answering."""
        self._script(path, Reply(way="reset"), times)

    def truncated(self, path: str, html: str, *, times: int | None = None, content_type: str = _HTML) -> None:
        """Promise the whole of *html*, send half, hang up."""
        self._script(path, Reply(200, {"Content-Type": content_type}, html.encode(), way="truncated"), times)

    def endless(self, path: str, html: str = "<p>and so on</p>") -> None:
        """A body that never ends."""
        self._script(path, Reply(200, {"Content-Type": _HTML}, html.encode(), way="endless"), None)

    def gzip(self, path: str, html: str, **headers: str) -> None:
        body = gzip.compress(html.encode(), mtime=0)
        self._page(path, body, headers={"content_encoding": "gzip", **headers})

    def bomb(self, path: str, decoded_bytes: int) -> None:
        """A small gzip body that unpacks to *decoded_bytes*."""
        self.page(path, bomb(decoded_bytes), content_encoding="gzip")

    def slow(self, path: str, html: str = "", *, seconds: float = 60.0, times: int | None = None) -> Held:
        """Hold the reply back until the test calls `release()` on what this returns, *seconds* at most.

        Without *html*, what the path had before is sent then.
        """
        held = Held(seconds)
        self._held.append(held)
        before = self._listener.replies.at(path)
        reply = Reply(200, {"Content-Type": _HTML}, html.encode()) if html or before is None else before
        self._script(path, Reply(reply.status, reply.headers, reply.body, reply.way, held, reply.modified), times)
        return held

    def _page(
        self,
        path: str,
        html: str | bytes,
        *,
        headers: Mapping[str, str],
        status: int = 200,
        modified: datetime | None = None,
    ) -> None:
        body = html.encode() if isinstance(html, str) else html
        named = {"Content-Type": _HTML, **_names(headers)}
        self._listener.replies.stays(path, Reply(status, named, body, modified=modified))

    def _script(self, path: str, reply: Reply, times: int | None) -> None:
        if times is None:
            self._listener.replies.stays(path, reply)
        else:
            self._listener.replies.first(path, reply, times)

    def _now(self) -> datetime:
        # Last-Modified counts in seconds, tests change pages faster: each change is a minute of the site's own time.
        return _BORN + timedelta(minutes=self._changes)


_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def _names(headers: Mapping[str, str]) -> dict[str, str]:
    return {"ETag" if name == "etag" else name.replace("_", "-").title(): value for name, value in headers.items()}
