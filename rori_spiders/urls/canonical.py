"""URLs: one spelling for each, their hash, their origin, their registrable domain. Steps: no network."""

from __future__ import annotations

import ipaddress
import re
import string
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from tldextract import TLDExtract

_INDEXES = ("", "index.html", "index.htm")
# What servers give as a folder's page: Apache's DirectoryIndex, nginx's index, IIS's default documents; a language may
# stand before the ending or behind it (index.en.html, index.html.en).
_INDEX = re.compile(
    r"(?:index|default)(?:\.[a-z]{2}(?:-[a-z]{2,4})?)?\.(?:x?html?|shtml|php|aspx?|jsp|cfm)(?:\.[a-z]{2}(?:-[a-z]{2,4})?)?",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
# Endings of files that are not text: pictures, sound, film, type, programs, archives, and a page's own parts.
_ENDINGS = (
    "png jpg jpeg gif svg webp avif ico bmp tif tiff psd mp3 wav ogg m4a mp4 m4v mov avi wmv webm woff woff2 ttf otf"
    " eot css js mjs map zip gz tgz bz2 xz 7z rar tar dmg exe msi deb rpm iso jar apk bin"
)
_ROUTE = re.compile(r"#!?/[^#\s]+\Z")
_NOT_DOCUMENTS = frozenset(_ENDINGS.split())
# After IDNA encoding. Underscores stand in names that exist.
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_NAME_CHARS = 253  # RFC 1035, 2.3.4, as it is written
_PLAIN = re.compile(r"https?://([a-z0-9.-]+)(?::[0-9]{1,5})?(?:/|\Z)")
_PLAIN_PATH = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]{1,5})?(/[^\s?#]*(?:\?[^\s#]+)?)")
# What is spelled as it should be already, but for a fragment: of 110,000 different links of saved pages four in five.
_NORMALISED = re.compile(
    r"(https?://(?:[a-z0-9-]{1,63}\.){0,3}[a-z0-9-]{1,63}(?::(?!80/|443/)[1-9]\d{1,3}|:[1-5]\d{4})?/"
    r"(?:[\w~-][\w.~-]*(?:/(?=[\w~?#-]|\Z)|(?=[?#]|\Z)))*(?:\?[\w.~=&-]+)?)(?:#[\w.~/=&-]*)?",
    re.ASCII,
)


@lru_cache(maxsize=16_384)  # most links of a page stand on each page of its site
def normalise_url(url: str, base: str | None = None) -> str:
    """The one spelling of *url*: absolute, no fragment, lower-case host, no default port, a path, each escape one way.

    Escapes of characters that need none are undone, the others are in capitals (RFC 3986 §6.2.2). The query keeps its
    order, which may mean something to the server. Raises ValueError for what is not an http or https URL with a host.
    """
    if spelled := _NORMALISED.fullmatch(url):
        return spelled[1]
    parts = urlsplit(safe_url_string(urljoin(base or "", url.strip())))
    if parts.scheme.lower() not in _DEFAULT_PORTS:
        raise ValueError(f"not an http or https URL: {url!r}")
    host = (parts.hostname or "").rstrip(".")
    if not host:
        raise ValueError(f"a URL without a host: {url!r}")
    if ":" not in host and (len(host) > _NAME_CHARS or not _NAME.fullmatch(host)):
        raise ValueError(f"a URL with an invalid host name: {url!r}")
    path = _remove_dot_segments(_normalise_escapes(parts.path)) or "/"
    return urlunsplit((parts.scheme.lower(), _normalise_netloc(parts, host), path, _normalise_escapes(parts.query), ""))


def route_of(url: str) -> str:
    """By which a single-page application knows the page at *url*: `#/rates`; "" for none. `#/` alone leads nowhere."""
    found = _ROUTE.search(url)
    return found[0] if found else ""


def require_requestable(url: str) -> None:
    """Raises ValueError for an address whose page only scripts know, by what follows ``#`` (`/app/#/rates`)."""
    if route_of(url):
        raise ValueError(
            "expected a URL without a route of a single-page application: what follows # is never requested, and the "
            "page before it would be collected in its place"
        )


def _normalise_escapes(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if char in _UNRESERVED else found[0].upper()

    return _ESCAPE.sub(one, text)


def _normalise_netloc(parts: SplitResult, host: str) -> str:
    shown = bracket_ipv6(host)
    port = parts.port  # ValueError when it is not a port
    return shown if port in (None, _DEFAULT_PORTS[parts.scheme.lower()]) else f"{shown}:{port}"


def bracket_ipv6(host: str) -> str:
    """*host* as a URL has it: an IPv6 address stands in brackets."""
    return f"[{host}]" if ":" in host else host


def _remove_dot_segments(path: str) -> str:
    """*path* without `.` and `..` segments (RFC 3986 §5.2.4), escaped ones included."""
    out: list[str] = []
    segments = path.split("/")
    for segment in segments:
        plain = unquote(segment) if "%2" in segment.lower() else segment
        if plain == "..":
            if len(out) > 1:
                out.pop()
        elif plain != ".":
            out.append(segment)
    if segments and unquote(segments[-1]) in {".", ".."}:
        out.append("")
    return "/".join(out)


@lru_cache(maxsize=4096)
def url_hash(url: str) -> str:
    """Hex SHA-256 of a normalised URL: how the ledger knows it."""
    return sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=4096)
def host_of(url: str) -> str:
    """The host, lower case, without port and brackets; "" when there is none."""
    if plain := _PLAIN.match(url):  # nearly all
        return plain[1].rstrip(".")
    return (urlsplit(url).hostname or "").rstrip(".")


def plain_host_of(url: str) -> str | None:
    """The host of *url* where normalising would not change it; None where that has to be done to know."""
    plain = _PLAIN.match(url)
    return None if plain is None else plain[1].rstrip(".")


def ascii_host_of(url: str) -> str:
    """The host of a URL as a manifest has it: as ``host_of``, of a name in another script its IDNA spelling.

    Not remembered: a plan asks for those of a whole manifest, and remembering so many takes longer than to read them.
    """
    if plain := _PLAIN.match(url):
        return plain[1].rstrip(".")
    host = host_of(url)
    return host if host.isascii() else host_of(normalise_url(url))


@lru_cache(maxsize=4096)
def origin_of(url: str) -> str:
    """``scheme://host[:port]`` of a normalised URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@lru_cache(maxsize=1 << 15)
def registrable_domain(host: str) -> str:
    """The domain that one publisher owns (``www.hud.gov`` -> ``hud.gov``); an address or a bare name is its own."""
    if host[-1:].isdigit() or ":" in host:  # no name under a public suffix: most hosts need not be tried as addresses
        with suppress(ValueError):
            return str(ipaddress.ip_address(host.strip("[]")))
    return _public_suffixes()(host).top_domain_under_public_suffix or host


@lru_cache(maxsize=1)
def _public_suffixes() -> TLDExtract:
    """The bundled list only: what counts as one publisher must not change with the weather of a download."""
    from tldextract import TLDExtract  # brings requests: most commands never ask

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=False)


def index_folder(url: str) -> str | None:
    """The folder whose page *url* may be: ``/x/`` of ``/x/``, ``/x/index.html``, ``/x/index.en.html``; else None."""
    folder, _, name = url.rpartition("/")
    return f"{folder}/" if "?" not in url and (not name or _INDEX.fullmatch(name)) else None


def duplicate_key(url: str) -> str:
    """What *url* has in common with addresses that servers often answer alike; no address itself.

    Scheme, ``www.``, a folder's default name, the last slash, case and escapes play no part in it.
    """
    parts = urlsplit(index_folder(url) or url)
    host = parts.netloc.removeprefix("www.")
    return unquote(f"{host}{parts.path.rstrip('/')}?{parts.query}", errors="surrogateescape").casefold()


def likely_duplicates(url: str) -> tuple[str, ...]:
    """Other addresses that a page most often has: ``/x`` of ``/x/``, and a folder's with ``index.html``; and back."""
    if "?" in url:
        return ()
    folder = index_folder(url)
    if folder is None:
        return (f"{url}/",)
    others = [folder + name for name in _INDEXES]
    if urlsplit(folder).path != "/":
        others.append(folder.rstrip("/"))
    return tuple(other for other in others if other != url)


def non_document_suffix(url: str) -> str | None:
    """The ending that says that *url* is a picture, an archive, a script and the like; None for what may be a text."""
    ending = urlsplit(url).path.rpartition("/")[2].rpartition(".")[2].lower()
    return f".{ending}" if ending in _NOT_DOCUMENTS and "." in urlsplit(url).path.rpartition("/")[2] else None


def path_and_query(url: str) -> str:
    """What patterns of a manifest are matched against."""
    if plain := _PLAIN_PATH.fullmatch(url):  # nearly all
        return plain[1]
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def escape_wiki_title(title: str) -> str:
    """A wiki title as it stands in a page's path: as MediaWiki's own links have it."""
    return quote(title.replace(" ", "_"), safe="/:@!$*,();~-._")


def www_variant(host: str) -> str:
    """The host with ``www.`` or without it; an IP address has none."""
    if ":" in host or host.rpartition(".")[2].isdigit():
        return host
    return host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
