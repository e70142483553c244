"""Sitemaps, whatever their form: urlset, index, gzip, plain text, RSS, Atom. A step: bytes in, addresses out."""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree
from scrapy.utils.gz import gunzip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: sitemaps.org: at most 50 MB uncompressed and 50,000 URLs; twice that is still read, the rest is a bomb.
MAX_BYTES = 100 * 1024 * 1024
MAX_URLS = 100_000

_DECLARATION = re.compile(rb"\A\s*<\?xml[^>]*\?>")


@dataclass(frozen=True, slots=True)
class Sitemap:
    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read(body: bytes, url: str) -> Sitemap:
    """The addresses that a sitemap names, absolute. Raises ValueError for what is none."""
    if body[:2] == b"\x1f\x8b":
        body = _unpacked(body)
    if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        body = _DECLARATION.sub(b"", body.decode("utf-16", "replace").encode())
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] != b"<":
        lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
        return Sitemap(tuple(line for line in lines if line.startswith(("http://", "https://")))[:MAX_URLS])
    return _read_xml(text, url)


def _unpacked(body: bytes) -> bytes:
    try:
        return gunzip(body, max_size=MAX_BYTES)
    except (EOFError, zlib.error) as error:
        raise ValueError(f"not a sitemap: its gzip data are broken ({error})") from error


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
