"""Pages from files, served by nginx on loopback. In: HTML files, plain or gzipped. Out: URLs, and what nginx logged."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
_ADDRESS = "127.0.0.1"
_CONFIGURATION = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/errors.log;
events {{ worker_connections 512; }}
http {{
    types {{ text/html html; text/plain txt; application/xml xml; }}
    log_format timed '$msec $request_time $status $body_bytes_sent $uri';
    access_log {folder}/access.log timed;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/fast;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{ listen {address}:{port}; root {folder}/site; }}
}}
"""
_MAIN = re.compile(rb".*?<main\b[^>]*>(.*)</main>.*", re.DOTALL | re.IGNORECASE)
_PARAGRAPH_END = re.compile(rb"</p\s*>|</body\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageLog:
    """What nginx logged of pages (robots.txt and sitemap left out): requests, seconds from first to last, by status."""

    requests: int
    seconds: float
    statuses: dict[int, int]


class PageServer:
    """nginx over *count* pages of the files in *folders*. Use it as a context manager; it needs *folder* for itself.

    Pages of fewer than *size* bytes are lengthened with the main content of others.
    """

    def __init__(self, folder: Path, folders: Sequence[Path], count: int, size: int = 0) -> None:
        if NGINX is None:
            raise FileNotFoundError("nginx is not installed: sudo apt-get install nginx")
        self._folder = folder
        self._nginx = NGINX
        with socket.socket() as free:
            free.bind((_ADDRESS, 0))
            port = free.getsockname()[1]
        self.netloc = f"{_ADDRESS}:{port}"
        site = folder / "site"
        (site / "page").mkdir(parents=True)
        self.paths = [f"/page/{at:05}.html" for at in range(count)]
        self.page_bytes = 0
        for path, body in zip(self.paths, _bodies(folders, count, size), strict=True):
            (site / path[1:]).write_bytes(body)
            self.page_bytes += len(body)
        (site / "robots.txt").write_text("User-agent: *\nAllow: /\n", encoding="ascii")
        entries = "".join(f"<url><loc>{url}</loc></url>" for url in self.urls)
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        (site / "sitemap.xml").write_text(sitemap, encoding="ascii")
        # As root, nginx' own workers would be another user's, who may not read a temporary folder.
        user = "user root;" if os.getuid() == 0 else ""
        written = _CONFIGURATION.format(user=user, folder=folder, address=_ADDRESS, port=port)
        (folder / "nginx.conf").write_text(written, encoding="utf-8")

    @property
    def page_folder(self) -> Path:
        """Where the pages lie, as they are served."""
        return self._folder / "site" / "page"

    @property
    def sitemap(self) -> str:
        return f"http://{self.netloc}/sitemap.xml"

    @property
    def urls(self) -> list[str]:
        return [f"http://{self.netloc}{path}" for path in self.paths]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [self._nginx, "-p", str(self._folder), "-c", str(self._folder / "nginx.conf")], stderr=subprocess.DEVNULL
        )
        host, _, port = self.netloc.partition(":")
        while self._process.poll() is None:
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return self
        sys.exit(f"nginx did not start: {(self._folder / 'errors.log').read_text('utf-8')}")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def take_log(self) -> PageLog:
        """What was logged since this was last called."""
        log = self._folder / "access.log"
        lines = log.read_text("utf-8").splitlines()
        os.truncate(log, 0)
        times, statuses = [], dict[int, int]()
        for line in lines:
            ended, took, status, _, path = line.split(" ", 4)
            if path.startswith("/page/"):
                times += [float(ended) - float(took), float(ended)]
                statuses[int(status)] = statuses.get(int(status), 0) + 1
        return PageLog(sum(statuses.values()), max(times, default=0.0) - min(times, default=0.0), statuses)


def _bodies(folders: Sequence[Path], count: int, size: int) -> list[bytes]:
    """*count* pages of at least *size* bytes: of more files every so manieth, of fewer each again as another page."""
    files = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.name.endswith((".html", ".html.gz")) and ".expected." not in path.name
    ]
    if not files:
        raise FileNotFoundError(f"no *.html or *.html.gz in {', '.join(map(str, folders))}")
    read = [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files]
    if len(read) >= count:
        return [_lengthened(read, at * len(read) // count, size) for at in range(count)]
    return [_numbered(_lengthened(read, at % len(read), size), at // len(read)) for at in range(count)]


def _lengthened(bodies: Sequence[bytes], at: int, size: int) -> bytes:
    """A page, with the main content of those after it at its end until it has *size* bytes."""
    page, after = bodies[at], at
    inserted, length = list[bytes](), len(page)
    while length < size:
        after = (after + 1) % len(bodies)
        inserted.append(_MAIN.sub(rb"\1", bodies[after]) if _MAIN.fullmatch(bodies[after]) else b"")
        length += len(inserted[-1])
        if after == at and length == len(page):
            raise ValueError("no page has a <main> to lengthen others with")
    start, end, rest = page.rpartition(b"</main>" if b"</main>" in page else b"</body>")
    return b"".join([start, *inserted, end, rest]) if inserted else page


def _numbered(body: bytes, copy: int) -> bytes:
    """The body with a word at the end of its first paragraph, so that no two copies are the same page."""
    return _PARAGRAPH_END.sub(lambda end: f" (copy {copy})".encode() + end[0], body, count=1) if copy else body
