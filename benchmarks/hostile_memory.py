"""How much memory a job takes at most, processes and all, while servers send it the worst that they can.

    .venv/bin/python -m benchmarks.hostile_memory [SCENARIO ...]

Starts hostile servers on loopback, runs `scrapy collect` with default limits against them, and samples resident memory
(RSS, which counts shared pages in each process) and the proportional share (PSS) of the job's whole process tree.
Prints the peaks; exit code 1 when the PSS of one scenario was above 512 MiB.
"""

from __future__ import annotations

import sys
import tempfile
import time
import zlib
from contextlib import ExitStack
from pathlib import Path

from benchmarks.tree import Peak
from tests.hostile import codings, wires
from tests.hostile.server import Endpoint, HostileServer, Wire, html
from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server.fixtures import next_address

LIMIT = 512 * 2**20
SOURCES = 4
MIB = 2**20


def gigabyte_of_gzip(wire: Wire) -> None:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n")
    for _ in range(1024):
        wire.send(packer.compress(bytes(MIB)))
    wire.send(packer.flush())


def body_of(mebibytes: float, piece: bytes, content_type: str) -> Endpoint:
    """A whole body of so many MiB, made of *piece*."""
    times = int(mebibytes * MIB / len(piece))
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {times * len(piece)}\r\n\r\n".encode()
    return Endpoint(lambda wire: wire.send(head).flood(piece, times))


SCENARIOS = {
    "nothing": {},
    "floods": {**wires.BODIES, **wires.HEADS},
    "bombs": {
        **{
            f"/{name}": Endpoint(codings.packed(codings.PACKED[name](bytes(256 * MIB)), name))
            for name in ("br", "zstd")
        },
        "/gzip": Endpoint(gigabyte_of_gzip),
        "/endless": codings.CODINGS["/mixed/endless"],
    },
    "31 MiB of bytes": {f"/{n}": body_of(31, bytes(range(256)) * 256, "application/octet-stream") for n in range(2)},
    "63 MiB called PDF": {f"/{n}": body_of(63, b"%PDF-1.7\n" + bytes(65527), "application/pdf") for n in range(2)},
    "31 MiB of text": {
        f"/{n}": body_of(31, b"A servicer shall keep records. \n" * 2048, "text/plain") for n in range(1)
    },
    "31 MiB of HTML": {f"/{n}": body_of(31, b"<p>A servicer shall keep it.</p>" * 2048, "text/html") for n in range(1)},
}


def measure(name: str) -> Peak:
    """Crawl SOURCES servers of this scenario at once."""
    endpoints = SCENARIOS[name]
    start = Endpoint(html(page("Start", *endpoints, "/good").encode()))
    every = {**endpoints, "/": start, "/good": Endpoint(html(page("Good").encode()))}
    with ExitStack() as opened:
        servers = [opened.enter_context(HostileServer(next_address(), every)) for _ in range(SOURCES)]
        project = Project(Path(opened.enter_context(tempfile.TemporaryDirectory())))
        config = {"follow_links": True, "sitemaps": []}
        project.manifest(
            [source(f"s{n}", f"{one.url}/", "crawl", scrape_config=config) for n, one in enumerate(servers)],
            delay_s=0.05,
        )
        began = time.monotonic()
        running = opened.enter_context(project.start("collect", env={"RORI_RETRY_SCALE": "0.001"}))
        peak = Peak.of(running)
        print(f"{name:20} {peak}, {time.monotonic() - began:.0f} s, exit {running.returncode}", flush=True)
    return peak


if __name__ == "__main__":
    sys.exit(max(measure(name).pss for name in sys.argv[1:] or SCENARIOS) > LIMIT)
