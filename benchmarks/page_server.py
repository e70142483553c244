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
_PARAGRAPH_END = re.compile(rb"</p\s*>|</body\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageLog:
    """What nginx logged of pages (robots.txt and sitemap left out): requests, seconds from first to last, by status."""

    requests: int
    seconds: float
    statuses: dict[int, int]


class PageServer:
    """nginx over *count* pages of the files in *folders*. Use it as a context manager; it needs *folder* for itself."""

    def __init__(self, folder: Path, folders: Sequence[Path], count: int, address: str = "127.0.0.1") -> None:
        if NGINX is None:
            raise FileNotFoundError("nginx is not installed: sudo apt-get install nginx")
        self._folder = folder
        self._nginx = NGINX
        with socket.socket() as free:
            free.bind((address, 0))
            port = free.getsockname()[1]
        self.netloc = f"{address}:{port}"
        site = folder / "site"
        (site / "page").mkdir(parents=True)
        self.paths = [f"/page/{at:05}.html" for at in range(count)]
        self.page_bytes = 0
        for path, body in zip(self.paths, _bodies(folders, count), strict=True):
            (site / path[1:]).write_bytes(body)
            self.page_bytes += len(body)
        (site / "robots.txt").write_text("User-agent: *\nAllow: /\n", encoding="ascii")
        entries = "".join(f"<url><loc>{url}</loc></url>" for url in self.urls)
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        (site / "sitemap.xml").write_text(sitemap, encoding="ascii")
        # As root, nginx' own workers would be another user's, who may not read a temporary folder.
        user = "user root;" if os.getuid() == 0 else ""
        written = _CONFIGURATION.format(user=user, folder=folder, address=address, port=port)
        (folder / "nginx.conf").write_text(written, encoding="utf-8")

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


def _bodies(folders: Sequence[Path], count: int) -> list[bytes]:
    """*count* pages: of more files every so manieth, of fewer each again with a word that tells the copies apart."""
    files = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.name.endswith((".html", ".html.gz")) and ".expected." not in path.name
    ]
    if not files:
        raise FileNotFoundError(f"no *.html or *.html.gz in {', '.join(map(str, folders))}")
    if len(files) >= count:
        return [_read(files[at * len(files) // count]) for at in range(count)]
    return [_numbered(_read(files[at % len(files)]), at // len(files)) for at in range(count)]


def _read(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _numbered(body: bytes, copy: int) -> bytes:
    return _PARAGRAPH_END.sub(lambda end: f" (copy {copy})".encode() + end[0], body, count=1) if copy else body
