"""Content-Encoding undone: bytes in, the whole body out, or an error. Never a part of it.

Scrapy's own middleware gives what it could unpack of a torn body, and a page that ends in the middle would pass for a
whole one. What unpacks to more than its cap is refused before it takes more memory than that.
"""

import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from io import BytesIO

import brotli  # type: ignore[import-untyped]
from scrapy.exceptions import ResponseDataLossError

from rori_spiders.crawl.tiers.errors import DamagedEncoding, TooLarge, UnknownEncoding

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


#: More than any server has reason for: two is a proxy that packs what was packed.
MAX_LAYERS = 3
_NO_CODING = frozenset({"", "identity", "none"})
#: RFC 9659: zstd as a content coding has a window of at most 8 MiB; the library would take 128 MiB of memory.
_ZSTD_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
_READ = 64 * 1024
_CHUNK = 2**18


def parse_content_encoding(values: Iterable[bytes]) -> tuple[str, ...]:
    """The codings of a body in the order in which they were applied, from its Content-Encoding headers.

    Raises UnknownEncoding.
    """
    named = [one.strip().lower().removeprefix("x-") for value in values for one in value.decode("latin-1").split(",")]
    codings = tuple(one for one in named if one not in _NO_CODING and not _is_charset(one))
    for one in codings:
        if one not in _DECODERS:
            raise UnknownEncoding(f"its Content-Encoding is {one[:40]!r}")
    if len(codings) > MAX_LAYERS:
        raise UnknownEncoding(f"compressed {len(codings)} times")
    return codings


def _is_charset(name: str) -> bool:
    """Whether *name* is that of a charset: servers send "Content-Encoding: utf-8" by mistake; browsers ignore it."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return True


def decode_body(body: bytes, codings: Iterable[str], max_bytes: int, *, is_whole: bool = True) -> bytes:
    """*body* with its *codings* undone, last one first. An empty body stays empty.

    ``is_whole=False``: we stopped reading it ourselves, and take what there is, up to *max_bytes*.

    Raises TooLarge above *max_bytes* in any layer, ResponseDataLossError for a torn body, DamagedEncoding for what is
    not in that coding. What follows a whole gzip or deflate stream is ignored, as browsers do.
    """
    for coding in reversed(tuple(codings)):
        if body:
            body = _decode_layer(coding, body, max_bytes, is_whole)
    return body


def _decode_layer(coding: str, body: bytes, max_bytes: int, is_whole: bool) -> bytes:
    out, size = BytesIO(), 0
    try:
        for chunk in _DECODERS[coding](body):
            size += len(chunk)
            if size > max_bytes and not is_whole:
                break
            if size > max_bytes:
                raise TooLarge(f"decompresses to more than {max_bytes} bytes")
            out.write(chunk)
    except (zlib.error, brotli.error, zstd.ZstdError) as error:
        raise DamagedEncoding(f"its {coding} body is damaged ({error})") from error
    except ResponseDataLossError:
        if is_whole:
            raise
    return out.getvalue()


def _truncated_body_error(coding: str) -> ResponseDataLossError:
    return ResponseDataLossError(f"its {coding} body is truncated")


def _decode_gzip(body: bytes) -> Iterator[bytes]:
    at = 0
    while body.startswith(b"\x1f\x8b", at):  # bytes after a whole member that are not another one are ignored
        at = yield from _inflate_stream("gzip", body, at, zlib.MAX_WBITS | 16)
    if at == 0:
        raise DamagedEncoding("labelled gzip, but it is not gzip")


def _decode_deflate(body: bytes) -> Iterator[bytes]:
    """With zlib's envelope (RFC 9110), or without, as some servers send it."""
    is_zlib = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0  # RFC 1950 §2.2
    yield from _inflate_stream("deflate", body, 0, zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)


def _inflate_stream(coding: str, body: bytes, at: int, wbits: int) -> Generator[bytes, None, int]:
    """One zlib stream from *at* on; returns where it ends."""
    stream = zlib.decompressobj(wbits)
    while at < len(body) and not stream.eof:
        piece = body[at : at + _READ]
        at += len(piece)
        while piece and not stream.eof:
            yield stream.decompress(piece, _CHUNK)
            piece = stream.unconsumed_tail
    while not stream.eof and (chunk := stream.decompress(b"", _CHUNK)):
        yield chunk
    if not stream.eof:
        raise _truncated_body_error(coding)
    return at - len(stream.unused_data)


def _decode_brotli(body: bytes) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    for at in range(0, len(body), _READ):
        yield stream.process(body[at : at + _READ], output_buffer_limit=_CHUNK)
        while not stream.is_finished() and not stream.can_accept_more_data():
            yield stream.process(b"", output_buffer_limit=_CHUNK)
    while not stream.is_finished() and (chunk := stream.process(b"", output_buffer_limit=_CHUNK)):
        yield chunk
    if not stream.is_finished():
        raise _truncated_body_error("br")


def _decode_zstd(body: bytes) -> Iterator[bytes]:
    at = 0
    while body.startswith(b"\x28\xb5\x2f\xfd", at) or body[at + 1 : at + 4] == b"\x2a\x4d\x18":  # RFC 8878 §3.1
        at = yield from _decode_zstd_frame(body, at)
    if at == 0:
        raise DamagedEncoding("labelled zstd, but it is not zstd")


def _decode_zstd_frame(body: bytes, at: int) -> Generator[bytes, None, int]:
    """One zstd frame from *at* on; returns where it ends."""
    stream = zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
    while at < len(body) and not stream.eof:
        piece = body[at : at + _READ]
        at += len(piece)
        yield stream.decompress(piece, _CHUNK)
        while not stream.eof and not stream.needs_input:
            yield stream.decompress(b"", _CHUNK)
    if not stream.eof:
        raise _truncated_body_error("zstd")
    return at - len(stream.unused_data)


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _decode_gzip,
    "deflate": _decode_deflate,
    "br": _decode_brotli,
    "zstd": _decode_zstd,
}
