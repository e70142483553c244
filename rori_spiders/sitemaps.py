"""Sitemaps, whatever their form: urlset, index, gzip, plain text, RSS, Atom. A step: bytes in, addresses out."""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: sitemaps.org: at most 50 MB (52,428,800 bytes) uncompressed; what unpacks to more is a bomb.
MAX_BYTES = 52_428_800
#: sitemaps.org: at most 50,000 URLs; twice that is still read.
MAX_URLS = 100_000
#: sitemaps.org knows one index above its sitemaps; publishers put one above that (by year, by language). One more.
MAX_LEVELS = 4
#: Sitemaps of one run: at one request in two seconds these take a quarter of an hour, and may name 25 million pages.
MAX_SITEMAPS = 500
_GZIP = b"\x1f\x8b"

_DECLARATION = re.compile(rb"\A\s*<\?xml[^>]*\?>")


@dataclass(frozen=True, slots=True)
class Sitemap:
    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def weight(body: bytes) -> int:
    """The bytes that reading *body* may take: what is packed counts as all that it may unpack to."""
    return MAX_BYTES if body.startswith(_GZIP) else len(body)


def read(body: bytes, url: str) -> Sitemap:
    """The addresses that a sitemap names, absolute. Raises ValueError for what is none."""
    if body.startswith(_GZIP):
        body = _unpacked(body)
    if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        body = _DECLARATION.sub(b"", body.decode("utf-16", "replace").encode())
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] != b"<":
        lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
        return Sitemap(tuple(line for line in lines if line.startswith(("http://", "https://")))[:MAX_URLS])
    return _read_xml(text, url)


def _unpacked(body: bytes) -> bytes:
    """What can be unpacked of *body*: a sitemap that was cut off still names what it named until there."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(body, MAX_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"not a sitemap: its gzip data are broken ({error})") from error
    if len(text) > MAX_BYTES:
        raise ValueError(f"not a sitemap: it unpacks to more than the maximum of {MAX_BYTES} bytes")
    if not text and not unpacker.eof:
        raise ValueError("not a sitemap: its gzip data are cut off")
    return text


def _read_xml(text: bytes, url: str) -> Sitemap:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not a sitemap: {error}") from error
    name = "" if root is None else etree.QName(root).localname
    if name == "sitemapindex":
        return Sitemap(sitemaps=_texts(root, url, "loc"))
    if name == "urlset":
        return Sitemap(pages=_texts(root, url, "loc"))
    if name in {"rss", "RDF"}:
        return Sitemap(pages=_texts(root, url, "link"))
    if name == "feed":
        hrefs = (node.get("href") for node in root.iter("{*}link") if node.get("rel", "alternate") == "alternate")
        return Sitemap(pages=tuple(_absolute(hrefs, url))[:MAX_URLS])
    raise ValueError(f"not a sitemap: its root is <{name}>" if name else "not a sitemap: no element can be read")


def _texts(root: etree._Element, url: str, wanted: str) -> tuple[str, ...]:
    """Texts of the entries' own ``<loc>`` or ``<link>``: not those of image or news extensions, which are deeper."""
    found = []
    for entry in root.iter("{*}url", "{*}sitemap", "{*}item"):
        for node in entry.iterchildren(f"{{*}}{wanted}"):
            if node.text and node.text.strip():
                found.append(node.text)
                break
        if len(found) >= MAX_URLS:
            break
    return tuple(_absolute(found, url))


def _absolute(texts: Iterable[str | None], url: str) -> Iterator[str]:
    """The texts as URLs; one that is none costs only itself, not the whole sitemap."""
    for text in texts:
        if text and text.strip():
            try:
                yield urljoin(url, text.strip())
            except ValueError:
                continue
