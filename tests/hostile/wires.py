"""Endpoints that break the transport: connections, heads, lengths, chunks, statuses, redirects. Path -> Endpoint."""

from __future__ import annotations

import itertools

from tests.hostile.server import Endpoint, Wire, html
from tests.support.pages import page

PAGE = page("Sound").encode()
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
HALF = PAGE[: len(PAGE) // 2]
EVIL = page("Evil").encode()


def length(value: str) -> bytes:
    """A page that announces *value* as its length."""
    return OK + f"Content-Length: {value}\r\n\r\n".encode() + PAGE


def chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def status(line: str) -> bytes:
    """A sound page under the first line *line*."""
    return line.encode("latin-1") + b"\r\n" + html(PAGE).split(b"\r\n", 1)[1]


def location(*values: str, code: int = 302) -> bytes:
    lines = "".join(f"Location: {value}\r\n" for value in values).encode()
    return f"HTTP/1.1 {code} Found\r\n".encode() + lines + b"Content-Length: 0\r\n\r\n"


def torn(sent: bytes, *, reset: bool = True) -> Endpoint:
    """*sent*, and then a lost connection."""

    def answer(wire: Wire) -> None:
        wire.send(sent).pause(0.05)
        if reset:
            wire.reset()

    return Endpoint(answer, "truncated", 4)


def lost(sent: bytes) -> Endpoint:
    def answer(wire: Wire) -> None:
        wire.send(sent).pause(0.05)
        wire.reset()

    return Endpoint(answer, "connection_failed", 4)


def kept(wire: Wire, content: bytes) -> None:
    wire.send(content)
    wire.keep = True


def late_surplus(wire: Wire) -> None:
    """A page, and a moment later an answer to a request that nobody sent."""
    wire.send(html(PAGE)).pause(0.5).send(html(EVIL)).hold(1)


def dies_idle(wire: Wire) -> None:
    """Promises to keep the connection, and ends it a moment later."""
    wire.send(html(PAGE, "Connection: keep-alive")).pause(0.02)


BAD = ("bad_response", 4)
LARGE = ("too_large", 1)
SLOW = ("timeout", 3)
LOOP = ("redirect_loop", 1)
ELSEWHERE = ("", 1, "excluded")

#: The client waits for each of these to its deadline, three times.
SLOW_ONES = {
    "/slow/mute": Endpoint(lambda wire: wire.hold(), *SLOW),
    "/slow/status": Endpoint(lambda wire: wire.drip(bytes([one]) for one in OK), *SLOW),
    "/slow/headers": Endpoint(
        lambda wire: wire.send(OK).drip(f"X-{n}: y\r\n".encode() for n in itertools.count()), *SLOW
    ),
    "/slow/body": Endpoint(lambda wire: wire.send(length("999999")).drip(itertools.repeat(b"x")), *SLOW),
    "/slow/unknown-length": Endpoint(lambda wire: wire.send(OK + b"\r\n").drip(itertools.repeat(b"<p>x")), *SLOW),
    "/slow/chunks": Endpoint(lambda wire: wire.send(CHUNKED).drip(itertools.repeat(chunk(b"<p>x</p>"))), *SLOW),
    "/slow/interim": Endpoint(
        lambda wire: wire.drip(itertools.repeat(b"HTTP/1.1 102 Processing\r\n\r\n"), every=0.4), *SLOW
    ),
    "/slow/after-headers": Endpoint(lambda wire: wire.send(OK + b"Content-Length: 9\r\n\r\n").hold(), *SLOW),
    "/slow/length-too-large": Endpoint(lambda wire: wire.send(length("99999")).hold(), *SLOW),
    "/slow/huge-chunk": Endpoint(lambda wire: wire.send(CHUNKED + b"FFFFFFFF\r\n" + PAGE).hold(), *SLOW),
    "/slow/no-last-chunk": Endpoint(lambda wire: wire.send(CHUNKED + chunk(PAGE)).hold(), *SLOW),
}

LOST_ONES = {
    "/lost/closed": Endpoint(b"", "connection_failed", 4),
    "/lost/closed-in-status": Endpoint(OK[:7], "connection_failed", 4),
    "/lost/closed-in-headers": Endpoint(OK, "connection_failed", 4),
    "/lost/reset": lost(b""),
    "/lost/reset-in-status": lost(OK[:7]),
    "/lost/reset-in-headers": lost(OK),
    "/lost/reset-in-body": torn(length("99999")),
    "/lost/reset-without-length": torn(OK + b"\r\n" + HALF),
    "/lost/reset-in-chunk": torn(CHUNKED + b"fff\r\n" + HALF),
    "/lost/closed-in-chunk": torn(CHUNKED + b"ffff\r\n" + HALF, reset=False),
    "/lost/closed-between-chunks": torn(CHUNKED + chunk(HALF), reset=False),
    "/lost/closed-in-body": torn(length("99999"), reset=False),
    "/lost/no-body": torn(OK + b"Content-Length: 500\r\n\r\n", reset=False),
    "/lost/closed-without-length": Endpoint(OK + b"Connection: close\r\n\r\n" + PAGE),  # as HTTP/1.0 ends a page
    "/lost/dies-idle": Endpoint(dies_idle),
    "/lost/close-in-capitals": Endpoint(html(PAGE, "Connection: Keep-Alive, CLOSE") + b""),
}

LENGTHS = {
    "/length/too-small": Endpoint(length("200"), *BAD),
    "/length/negative": Endpoint(length("-5"), *BAD),
    "/length/twice-different": Endpoint(length(f"200\r\nContent-Length: {len(PAGE)}"), *BAD),
    "/length/list-different": Endpoint(length(f"200, {len(PAGE)}"), *BAD),
    "/length/twice-the-same": Endpoint(length(f"{len(PAGE)}\r\nContent-Length: {len(PAGE)}")),
    "/length/no-number": Endpoint(length("many"), *BAD),
    "/length/hex": Endpoint(length("0x10"), *BAD),
    "/length/empty": Endpoint(length(""), *BAD),
    "/length/2-63": Endpoint(length(str(2**63)), *LARGE),
    "/length/10-30": Endpoint(length("1" + "0" * 30), *LARGE),
    "/length/with-chunks": Endpoint(
        OK + b"Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(PAGE) + b"0\r\n\r\n"
    ),
    "/length/pipelined": Endpoint(html(PAGE) + html(EVIL), *BAD),
    "/length/late-surplus": Endpoint(late_surplus),
    "/length/empty-line-after": Endpoint(html(PAGE) + b"\r\n"),
    "/chunk/sound": Endpoint(
        CHUNKED + b"5;name=value\r\n" + PAGE[:5] + b"\r\n" + chunk(PAGE[5:]) + b"0\r\nX: y\r\n\r\n"
    ),
    "/chunk/no-number": Endpoint(CHUNKED + b"zz\r\n" + PAGE, "truncated", 4),
    "/chunk/negative": Endpoint(CHUNKED + b"-5\r\n" + PAGE, "truncated", 4),
    "/chunk/no-end": Endpoint(CHUNKED + b"5\r\n" + PAGE, "truncated", 4),
    "/chunk/huge": Endpoint(CHUNKED + b"FFFFFFFF\r\n" + PAGE, "truncated", 4),
    "/chunk/2-70": Endpoint(CHUNKED + b"1" + b"0" * 70 + b"\r\n" + PAGE, "truncated", 4),
    "/chunk/long-line": Endpoint(CHUNKED + b"5;" + b"x" * 10_000 + b"\r\n" + PAGE, "truncated", 4),
    "/chunk/flood-of-trailers": Endpoint(CHUNKED + chunk(PAGE) + b"0\r\n" + b"X: y\r\n" * 99_999, "truncated", 4),
    "/chunk/unknown-transfer": Endpoint(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk(PAGE), *BAD),
}

STATUSES = {
    "/status/garbage": Endpoint(b"\x00\xff\xfe nonsense\r\n\r\n" + PAGE, *BAD),
    "/status/http-0.9": Endpoint(PAGE, *BAD),
    "/status/http-9.9": Endpoint(status("HTTP/9.9 200 OK"), *BAD),
    "/status/icy": Endpoint(status("ICY 200 OK"), *BAD),
    "/status/letters": Endpoint(status("HTTP/1.1 2OO OK"), *BAD),
    "/status/signed": Endpoint(status("HTTP/1.1 +200 OK"), *BAD),
    "/status/h2c": Endpoint(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", *BAD),
    "/status/tls": Endpoint(b"\x15\x03\x01\x00\x02\x02\x28\n", *BAD),
    "/status/no-reason": Endpoint(status("HTTP/1.1 200")),
    "/status/http-1.0": Endpoint(status("HTTP/1.0 200 OK")),
    **{f"/status/{code}": Endpoint(status(f"HTTP/1.1 {code} X"), *BAD) for code in ("000", 99, 600, 999, 1000)},
    "/status/101": Endpoint(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n" + html(PAGE), *BAD),
    "/status/199": Endpoint(status("HTTP/1.1 199 X"), *BAD),  # interim, and then a page in place of an answer
    "/status/103-then-page": Endpoint(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 3 + html(PAGE)),
    "/status/203": Endpoint(status("HTTP/1.1 203 X")),
    "/status/204": Endpoint(status("HTTP/1.1 204 X"), "empty"),
    "/status/205": Endpoint(status("HTTP/1.1 205 X"), "empty"),
    "/status/206": Endpoint(html(HALF, "Content-Range: bytes 0-9/99", status="206 Partial"), "truncated", 4),
    **{f"/status/{code}": Endpoint(status(f"HTTP/1.1 {code} X"), *BAD) for code in (207, 208, 226)},
    "/status/299": Endpoint(status("HTTP/1.1 299 X")),
    "/status/304": Endpoint(b"HTTP/1.1 304 Not Modified\r\n\r\n", *BAD),
    **{
        f"/status/{code}": Endpoint(status(f"HTTP/1.1 {code} X"), "redirect_without_target")
        for code in (300, 302, 305, 308, 399)
    },
    "/status/418": Endpoint(status("HTTP/1.1 418 X"), "unknown"),
    "/status/426": Endpoint(html(PAGE, "Connection: upgrade", "Upgrade: h2c", status="426 X"), "unknown"),
    "/status/599": Endpoint(status("HTTP/1.1 599 X"), "server_error", 4),
}

HEADS = {
    "/head/endless": Endpoint(lambda wire: wire.send(OK).flood(b"X-Header: value\r\n" * 4096, 1500), *LARGE),
    "/head/one-line-of-10-mb": Endpoint(OK + b"X: " + b"x" * 10_000_000 + b"\r\n\r\n" + PAGE, *LARGE),
    "/head/100000-lines": Endpoint(OK + b"X: y\r\n" * 100_000 + b"\r\n" + PAGE, *LARGE),
    "/head/endless-status": Endpoint(lambda wire: wire.flood(b"H" * 65536, 200), *LARGE),
    "/head/endless-100": Endpoint(lambda wire: wire.flood(b"HTTP/1.1 100 Continue\r\n\r\n" * 99), *LARGE),
    "/head/endless-103": Endpoint(
        lambda wire: wire.flood(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 99), *LARGE
    ),
    "/head/cookies": Endpoint(html(PAGE, *(f"Set-Cookie: c{n}={'x' * 20}" for n in range(4000)))),
    "/head/no-colon": Endpoint(html(PAGE, "this line has none")),
    "/head/bytes": Endpoint(html(PAGE, "X-Bytes: \xe9\xff\x00\x01")),
    "/head/folded": Endpoint(html(PAGE, "X-Folded: one", "  two")),
    "/head/line-feeds-only": Endpoint(html(PAGE).replace(b"\r\n", b"\n")),
}

BODIES = {
    "/body/endless": Endpoint(lambda wire: wire.send(OK + b"\r\n").flood(b"<p>and so on</p>" * 4096), *LARGE),
    "/body/endless-chunks": Endpoint(lambda wire: wire.send(CHUNKED).flood(chunk(b"<p>x</p>" * 8192)), *LARGE),
    "/body/300-mb": Endpoint(
        lambda wire: wire.send(OK + b"Content-Length: 314572800\r\n\r\n").flood(bytes(65536), 4800), *LARGE
    ),
    "/body/300-mb-untold": Endpoint(lambda wire: wire.send(OK + b"\r\n").flood(b"x" * 65536, 4800), *LARGE),
    "/body/40-mb": Endpoint(lambda wire: wire.send(CHUNKED).flood(chunk(b"y" * 65536), 640), *LARGE),
    "/body/nuls": Endpoint(html(bytes(5000)), "unknown"),
    "/body/empty": Endpoint(html(b""), "empty"),
}

REDIRECTS = {
    **{
        f"/to/{code}-nowhere": Endpoint(location(code=code), "redirect_without_target")
        for code in (301, 302, 303, 307, 308)
    },
    "/to/empty": Endpoint(location(""), *LOOP),
    "/to/itself": Endpoint(location("/to/itself"), *LOOP),
    "/to/itself-in-parts": Endpoint(location("/to/itself-in-parts#there"), *LOOP),
    "/to/a-fragment": Endpoint(location("#there"), *LOOP),
    "/to/two-slashes": Endpoint(location("//"), *LOOP),
    "/to/relative": Endpoint(location("../good/0"), *ELSEWHERE),
    "/to/10-kb": Endpoint(location("/" + "x" * 10_000), *ELSEWHERE),
    "/to/non-ascii": Endpoint(location("/good/\xe9"), *ELSEWHERE),
    "/to/several": Endpoint(location("/good/0", "/good/1"), *ELSEWHERE),
    "/to/ftp": Endpoint(location("ftp://127.0.0.1/x"), "address_not_public"),
    "/to/file": Endpoint(location("file:///etc/passwd"), "address_not_public"),
    "/to/javascript": Endpoint(location("javascript:alert(1)"), "address_not_public"),
    "/to/data": Endpoint(location("data:text/html,<p>x"), "address_not_public"),
    "/to/gopher": Endpoint(location("gopher://127.0.0.1:70/x"), "address_not_public"),
    "/to/view-source": Endpoint(location("view-source:http://127.0.0.1/"), "address_not_public"),
    "/to/no-host": Endpoint(location("http://"), *LOOP),
    "/to/half-an-address": Endpoint(location("http://["), "redirect_invalid"),
    "/to/nobody": Endpoint(location("http://user:secret@"), "redirect_invalid"),
}
#: Each path leads to the next, the last to the first.
LOOPS = {
    f"/loop/{size}/{n}": Endpoint(location(f"/loop/{size}/{(n + 1) % size}")) for size in (2, 10) for n in range(size)
}
