"""Sitemaps, whatever their form: urlset, index, gzip, plain text, RSS, Atom. A step: bytes in, addresses out."""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import islice
from urllib.parse import urljoin

from lxml import etree

#: sitemaps.org: at most 50 MB (52,428,800 bytes) uncompressed; what unpacks to more is a bomb.
MAX_BYTES = 52_428_800
#: sitemaps.org: at most 50,000 URLs; twice that is still read.
MAX_URLS = 100_000
#: sitemaps.org knows one index above its sitemaps; publishers put one above that (by year, by language). One more.
MAX_LEVELS = 4
#: Sitemaps of one run: at one request in two seconds these take a quarter of an hour, and may name 25 million pages.
MAX_SITEMAPS = 500
#: Raised when the same bytes name other URLs than before, or in another order: what was counted by an older reader is
#: then not counted anew (ledger/runs/listed_urls.py).
READER_VERSION = 1
_GZIP = b"\x1f\x8b"

#: How sitemaps, RSS, and feeds with Dublin Core name the time of an entry's last change.
_CHANGED = ("lastmod", "pubDate", "date")

_ENTRIES = frozenset({"url", "sitemap", "item", "entry"})
#: What libxml2 says of a document that ends in the middle of something.
_TORN = frozenset(
    {etree.ErrorTypes.ERR_TAG_NOT_FINISHED, etree.ErrorTypes.ERR_GT_REQUIRED, etree.ErrorTypes.ERR_LTSLASH_REQUIRED}
)
#: An address with an "&" that nobody escaped would lose it, and the name of a parameter, and be another one.
_BARE = re.compile(rb"&(?!#?\w{1,20};)")
_DECLARATION = re.compile(rb"\A\s*<\?xml[^>]*\?>")
#: Atomic (`(?>`, `*+`): what stands before the root is split in one way only, not in each of exponentially many.
_ROOT = re.compile(rb"\A(?>\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>]*>)*+<(?:[\w.-]+:)?(\w+)([^>]*)", re.DOTALL)
#: Of roots whose name alone does not tell what they are: their namespaces.
_FEED_NAMESPACES = {b"feed": (b"/Atom", b"/atom/"), b"RDF": (b"purl.org/rss/",)}
#: The root of a document stands here, behind its declaration and comments.
_HEAD_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap names. ``lastmods``: of its pages, when each changed last, in the publisher's own words."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    lastmods: Mapping[str, str] = field(default_factory=dict)
    is_torn: bool = False  # it breaks off: what it would have named after that nobody knows


def sitemap_weight(body: bytes) -> int:
    """The bytes that reading *body* may take: what is packed counts as all that it may unpack to."""
    return MAX_BYTES if body.startswith(_GZIP) else len(body)


def is_url_list(body: bytes) -> bool:
    """Whether *body* is a sitemap, a sitemap index, or a feed, by its root: a list of pages, and none itself."""
    head = body[:_HEAD_BYTES]
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
        except zlib.error:
            return False
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        head = head.decode("utf-16", "ignore").encode()
    if (root := _ROOT.match(head.removeprefix(b"\xef\xbb\xbf"))) is None:
        return False
    name, attributes = root[1], root[2]
    if name in _FEED_NAMESPACES:
        return any(namespace in attributes for namespace in _FEED_NAMESPACES[name])
    return name in {b"rss", b"urlset", b"sitemapindex"}


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """The addresses that a sitemap names, absolute. Raises ValueError for what is none."""
    is_cut_off = False
    if body.startswith(_GZIP):
        body, is_cut_off = _unpack_gzip(body)
    if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        body = _DECLARATION.sub(b"", body.decode("utf-16", "replace").encode())
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] != b"<":
        lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
        pages = tuple(line for line in lines if line.startswith(("http://", "https://")))
        return Sitemap(pages[:MAX_URLS], is_torn=is_cut_off)
    found = _read_xml(text, url)
    return replace(found, is_torn=found.is_torn or is_cut_off)


def _unpack_gzip(body: bytes) -> tuple[bytes, bool]:
    """What can be unpacked of *body*, and whether it was cut off: it still names what it named until there."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(body, MAX_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"not a sitemap: its gzip data are broken ({error})") from error
    if len(text) > MAX_BYTES:
        raise ValueError(f"not a sitemap: it unpacks to more than the maximum of {MAX_BYTES} bytes")
    if not text and not unpacker.eof:
        raise ValueError("not a sitemap: its gzip data are cut off")
    return text, not unpacker.eof


def _read_xml(text: bytes, url: str) -> Sitemap:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    if b"\0" not in text[:4]:  # in UTF-16 it is two bytes
        text = _BARE.sub(b"&amp;", text)
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not a sitemap: {error}") from error
    name = "" if root is None else etree.QName(root).localname
    is_torn = any(error.type in _TORN for error in parser.error_log)
    behind = text[text.rfind(b">") + 1 :].strip()
    if root is not None and is_torn and behind and not behind.startswith(b"<"):
        # Take out the entry in whose text a document breaks off: half an address is another one, which nobody
        # named.
        last = deque(root.iter(etree.Element), maxlen=1)[0]
        entries = [one for one in (last, *last.iterancestors()) if etree.QName(one).localname in _ENTRIES]
        for entry in entries[:1]:
            if (parent := entry.getparent()) is not None:
                parent.remove(entry)
    return replace(_parse_root(root, name, url), is_torn=is_torn)


def _parse_root(root: etree._Element, name: str, url: str) -> Sitemap:
    if name == "sitemapindex":
        return Sitemap(sitemaps=tuple(address for address, _ in _iter_entries(root, url, "loc")))
    if name == "urlset":
        return _collect_pages(_iter_entries(root, url, "loc"))
    if name in {"rss", "RDF"}:
        return _collect_pages(_iter_entries(root, url, "link"))
    if name == "feed":
        return _collect_pages(_iter_feed_links(root, url))
    raise ValueError(f"not a sitemap: its root is <{name}>" if name else "not a sitemap: no element can be read")


def _collect_pages(entries: Iterable[tuple[str, str | None]]) -> Sitemap:
    pages: dict[str, str | None] = {}
    for address, lastmod in entries:
        if len(pages) == MAX_URLS:
            break
        pages[address] = lastmod or pages.get(address)
    return Sitemap(tuple(pages), lastmods={address: lastmod for address, lastmod in pages.items() if lastmod})


def _iter_entries(root: etree._Element, url: str, wanted: str) -> Iterator[tuple[str, str | None]]:
    """Each entry's own ``<loc>`` or ``<link>``: not those of image or news extensions, which are deeper.

    Its versions in other languages (``xhtml:link hreflang``) follow it: they are pages too, of which no date is said.
    """
    for entry in islice(root.iter("{*}url", "{*}sitemap", "{*}item"), MAX_URLS):
        named = _child_text(entry, wanted) or (_permanent_link(entry) if wanted == "link" else None)
        if (address := _absolute_url(named, url)) is not None:
            yield address, _child_text(entry, *_CHANGED)
        for node in entry.iterchildren("{http://www.w3.org/1999/xhtml}link"):
            if node.get("hreflang") and (address := _absolute_url(node.get("href"), url)) is not None:
                yield address, None


def _permanent_link(entry: etree._Element) -> str | None:
    """The address of an RSS item without a link: its guid, unless that is a mere name."""
    for guid in entry.iterchildren("{*}guid"):
        named = (guid.text or "").strip()
        if guid.get("isPermaLink", "true") == "true" and named.startswith(("http://", "https://")):
            return named
    return None


def _iter_feed_links(root: etree._Element, url: str) -> Iterator[tuple[str, str | None]]:
    for entry in root.iter("{*}entry"):
        for node in entry.iterchildren("{*}link"):
            is_page = node.get("rel", "alternate") == "alternate"
            if is_page and (address := _absolute_url(node.get("href"), url)) is not None:
                yield address, _child_text(entry, "updated")


def _child_text(entry: etree._Element, *wanted: str) -> str | None:
    """The text of the entry's first child of these names that has one."""
    for node in entry.iterchildren(*(f"{{*}}{name}" for name in wanted)):
        if node.text and node.text.strip():
            return node.text.strip()
    return None


def _absolute_url(text: str | None, url: str) -> str | None:
    """The text as a URL; one that is none costs only itself, not the whole sitemap."""
    if not text or not text.strip():
        return None
    try:
        return urljoin(url, text.strip())
    except ValueError:
        return None


# What a sitemap says of a page's last change: a hint for the order of asking. A step: text in, a time out. A
# ``lastmod`` never spares a request. It is the publisher's claim about a page, not a look at it: an audit row that
# rested on it would say that a page was seen which nobody asked for. It would save little besides: a page that did
# not change costs one conditional request. So what it says is used where a wrong claim costs nothing: pages that
# changed since they were last seen are asked for first, and a run whose night ends has the newest text.

_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
#: The last place on Earth where a day ends is 12 hours behind UTC.
_LAST_ZONE = timedelta(hours=12)


def parse_lastmod(lastmod: str) -> datetime | None:
    """The last moment (UTC) that *lastmod* may mean; None for what is no date.

    ``2024-05-01``, which names no zone, means the whole day, wherever the publisher is. Times are those of W3C's
    profile of ISO 8601 (sitemaps.org, Atom) or of RFC 822 (RSS); one without a zone is taken as the westernmost.
    """
    if (day := _DAY.match(lastmod)) is not None:
        try:
            return datetime.fromisoformat(day.group()).replace(tzinfo=UTC) + timedelta(days=1) + _LAST_ZONE
        except (ValueError, OverflowError):
            return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = read(lastmod)
            return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC) + _LAST_ZONE
        except (ValueError, OverflowError):
            continue
    return None
