"""Endpoints with a Content-Encoding that is broken, false, foreign or a bomb. Path -> Endpoint."""

from __future__ import annotations

import gzip
import sys
import zlib
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]

from tests.hostile.server import Endpoint, Wire, html
from tests.support.pages import page

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = page("Packed", text="A servicer shall keep records. " * 40).encode()
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
#: Far above what the tests allow a page. Packed only when it is sent: that takes a while.
BOMB = bytes(48 * 2**20)


def packed(content: bytes, label: str, status: str = "200 OK") -> bytes:
    return html(content, f"Content-Encoding: {label}", status=status)


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


def of_coding(name: str) -> dict[str, Endpoint]:
    """What every coding has to stand."""
    whole = PACKED[name](PAGE)
    cut = whole[: len(whole) // 2]
    unlength = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: " + name.encode() + b"\r\n\r\n"
    return {
        f"/{name}/whole": Endpoint(packed(whole, name)),
        f"/{name}/torn": Endpoint(packed(cut, name), "truncated", 4),
        f"/{name}/torn-by-a-byte": Endpoint(packed(whole[:-1], name), "truncated", 4),
        f"/{name}/torn-without-length": Endpoint(unlength + cut, "truncated", 4),
        f"/{name}/whole-without-length": Endpoint(unlength + whole),
        f"/{name}/bomb": Endpoint(lambda wire: wire.send(packed(PACKED[name](BOMB), name)), "too_large"),
        f"/{name}/plain-text": Endpoint(packed(PAGE, name), "bad_encoding", 4),
        f"/{name}/nothing": Endpoint(packed(b"", name), "empty"),
        f"/{name}/garbage-on-404": Endpoint(packed(b"\xff" * 99, name, "404 Not Found"), "not_found"),
        f"/{name}/bomb-on-500": Endpoint(packed(cut, name, "500 X"), "server_error", 4),
    }


def endless(wire: Wire) -> None:
    """A gzip stream that never ends, of next to nothing."""
    wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n")
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    wire.send(packer.compress(b"<p>")).flood(packer.compress(bytes(2**20)) + packer.flush(zlib.Z_SYNC_FLUSH))


CODINGS = {
    **{path: endpoint for name in PACKED for path, endpoint in of_coding(name).items()},
    "/mixed/endless": Endpoint(endless, "too_large"),
    "/mixed/raw-deflate": Endpoint(packed(raw_deflate(PAGE), "deflate")),
    "/mixed/members": Endpoint(packed(gzip.compress(PAGE[:500]) + gzip.compress(PAGE[500:]), "gzip")),
    "/mixed/trailing-garbage": Endpoint(packed(gzip.compress(PAGE) + b"garbage", "gzip")),
    "/mixed/trailing-nuls": Endpoint(packed(gzip.compress(PAGE) + bytes(99), "gzip")),
    "/mixed/wrong-checksum": Endpoint(packed(gzip.compress(PAGE)[:-8] + b"\x01" * 8, "gzip"), "bad_encoding", 4),
    "/mixed/twice": Endpoint(packed(gzip.compress(gzip.compress(PAGE)), "gzip, gzip")),
    "/mixed/twice-in-two-headers": Endpoint(
        packed(brotli.compress(gzip.compress(PAGE)), "gzip\r\nContent-Encoding: br")
    ),
    "/mixed/twice-it-says": Endpoint(packed(gzip.compress(PAGE), "gzip, gzip"), "bad_encoding", 4),
    "/mixed/bomb-in-a-bomb": Endpoint(
        lambda wire: wire.send(packed(gzip.compress(gzip.compress(BOMB)), "gzip, gzip")), "too_large"
    ),
    "/mixed/ten-times": Endpoint(packed(PAGE, ", ".join(["gzip"] * 10)), "bad_encoding"),
    "/mixed/odd-case": Endpoint(packed(gzip.compress(PAGE), "  GZip ,")),
    "/mixed/x-gzip": Endpoint(packed(gzip.compress(PAGE), "x-gzip")),
    "/mixed/identity": Endpoint(packed(PAGE, "identity")),
    "/mixed/foo": Endpoint(packed(PAGE, "foo"), "bad_encoding"),
    "/mixed/compress": Endpoint(packed(PAGE, "compress"), "bad_encoding"),
    "/mixed/utf-8": Endpoint(packed(PAGE, "utf-8")),
    "/mixed/unknown-inside": Endpoint(packed(gzip.compress(PAGE), "foo, gzip"), "bad_encoding"),
    "/mixed/false-zstd": Endpoint(packed(gzip.compress(PAGE), "zstd"), "bad_encoding", 4),
    "/mixed/false-br": Endpoint(packed(gzip.compress(PAGE), "br"), "bad_encoding", 4),
}
