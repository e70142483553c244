"""Names of envelopes: ``{domain}/{date}/{manifest_id}__{slug}__{first 8 of the content hash}.json``.

Whatever a URL holds, its name is plain ASCII without separators, at most 200 bytes long, and stays in its folder.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import unquote, urlsplit

from slugify import slugify

from rori_spiders.urls.canonical import url_hash

MAX_SLUG_CHARS = 80
#: Common file systems take 255 bytes; the rest is room for the endings of copies and backups.
MAX_NAME_BYTES = 200
_ID_CHARS = 100
#: A segment's beginning says enough; megabytes of escapes need not be decoded to learn that.
_SEGMENT_CHARS = 400
_RESERVED = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}


@dataclass(frozen=True, slots=True)
class FileOwner:
    """Whose name it is: the page's URL, or "" for a file that the ledger does not know."""

    url: str


def url_slug(url: str) -> str:
    """The last two path segments of *url* that hold letters or digits, as ``a-z 0-9 -``, 1 to 80 characters.

    ``/1024/5/`` gives ``1024-5``; a URL without a path gives ``index``; a path without any letter a hash of the URL.
    """
    path = _url_path(url)
    words = [slugify(unquote(part[:_SEGMENT_CHARS], errors="replace")) for part in path.split("/") if part]
    text = "-".join([word for word in words if word][-2:])[:MAX_SLUG_CHARS].strip("-")
    if not text:
        text = f"page-{url_hash(url)[:8]}" if path.strip("/") else "index"
    return f"{text}-page" if text in _RESERVED else text


def choose_envelope_path(
    domain: str,
    timestamp: datetime,
    manifest_id: str,
    url: str,
    content_hash: str,
    *,
    envelope_id: str,
    taken: Callable[[str], FileOwner | None],
) -> str:
    """The path of a new envelope, relative to the staging area, that *taken* knows no owner of.

    A name taken by another page gets 8 characters of the URL's hash; one taken by the same page (its text went from A
    to B and back to A in a day) gets 8 of *envelope_id*; both stand at the end of the slug.
    """
    folder = f"{_domain_folder(domain)}/{timestamp.astimezone(UTC):%Y-%m-%d}"
    source, page = _manifest_file_part(manifest_id), url_slug(url)
    digest = content_hash.removeprefix("sha256:")[:8]
    marks: list[str] = []

    def path() -> str:
        ending = "".join(f"-{mark}" for mark in marks) + f"__{digest}.json"
        room = MAX_NAME_BYTES - len(source) - 2 - len(ending)
        return f"{folder}/{source}__{page[:room].rstrip('-')}{ending}"

    by_url, by_id = url_hash(url)[:8], envelope_id[:8]
    while (owner := taken(path())) is not None:
        if by_id in marks:
            marks[:] = [envelope_id]
            return path()
        marks.append(by_id if owner.url == url or by_url in marks else by_url)
    return path()


def _url_path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:  # brackets that are no IPv6 address
        return url


def _domain_folder(domain: str) -> str:
    """A domain as a folder: never hidden, never one of ours (they begin with ``_``)."""
    try:
        ascii_domain = domain.lower().encode("idna").decode()
    except UnicodeError:
        ascii_domain = slugify(domain)
    name = re.sub(r"[^a-z0-9.-]+", "-", ascii_domain).strip(".-")
    return re.sub(r"\.{2,}", ".", name)[:MAX_NAME_BYTES] or "unnamed"


def _manifest_file_part(manifest_id: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", manifest_id) and len(manifest_id) <= _ID_CHARS:
        return manifest_id
    digest = sha256(manifest_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slugify(manifest_id)[: _ID_CHARS - 9]}-{digest}".lstrip("-")
