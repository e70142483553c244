"""Packs a WACZ 1.1.1 file: WARC, index, pages, descriptor with the hash of each file, and the signature of that.

https://specs.webrecorder.net/wacz/1.1.1/, https://specs.webrecorder.net/wacz-auth/0.1.0/. Written here: the
library of the format's authors indexes and packs from the command line only, adds no files of ours, and brings 40
packages (wacz 0.6.0, 2026-11).
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol, Self
from urllib.parse import parse_qsl, urlencode, urlsplit
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from rori_spiders import BUILD
from rori_spiders.ledger.tables.base import format_utc

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rori_spiders.evidence.export.warc_records import WrittenRecord

WACZ_VERSION = "1.1.1"
_CHUNK = 1 << 20
_NOT_IN_NAME = re.compile(r"[^-a-z0-9._/]")
_ZIP64_BYTES = 2**31  # beyond, sizes need another field


class ArchivedPage(NamedTuple):
    """A page to begin with, as the viewer lists it."""

    page_id: str
    url: str
    at: datetime
    title: str
    text: str


class PackageSigner(Protocol):
    """Signs by ECDSA on P-384 with SHA-256, as the anonymous signatures of WACZ-auth are."""

    @property
    def public_key(self) -> bytes:
        """SubjectPublicKeyInfo, DER."""

    def sign(self, data: bytes) -> bytes:
        """Both numbers of the signature, 48 bytes each."""


class WaczPackage:
    """A WACZ file that is being written, a context manager. Its bytes depend on what is put in alone."""

    def __init__(self, out: IO[bytes], made_at: datetime) -> None:
        self._zip = ZipFile(out, "w", ZIP_STORED)  # viewers read single records out of it
        self._made_at = made_at
        self._resources: list[dict[str, object]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def add(self, path: str, data: bytes) -> None:
        """Add a file."""
        self._zip.writestr(self._info(path), data)
        self._list(path, sha256(data).hexdigest(), len(data))

    def add_file(self, path: str, source: Path) -> None:
        """Add a file from the disk, piece by piece."""
        digest, size = sha256(), 0
        with (
            source.open("rb") as read,
            self._zip.open(self._info(path), "w", force_zip64=source.stat().st_size > _ZIP64_BYTES) as out,
        ):
            while piece := read.read(_CHUNK):
                out.write(piece)
                digest.update(piece)
                size += len(piece)
        self._list(path, digest.hexdigest(), size)

    def finish(self, title: str, description: str, signer: PackageSigner | None) -> str:
        """Write the descriptor and its signature; gives the descriptor's hash, ``sha256:{hex}``."""
        descriptor = {
            "profile": "data-package",
            "wacz_version": WACZ_VERSION,
            "title": title,
            "description": description,
            "created": format_utc(self._made_at),
            "software": BUILD,
            "resources": self._resources,
        }
        data = _encode(descriptor)
        digest = f"sha256:{sha256(data).hexdigest()}"
        self._zip.writestr(self._info("datapackage.json"), data)
        signed = {"path": "datapackage.json", "hash": digest}
        if signer is not None:
            signed_data = {
                "hash": digest,
                "created": format_utc(self._made_at),
                "software": BUILD,
                "signature": b64encode(signer.sign(digest.encode())).decode(),
                "publicKey": b64encode(signer.public_key).decode(),
            }
            signed |= {"signedData": signed_data}  # type: ignore[dict-item]
        self._zip.writestr(self._info("datapackage-digest.json"), _encode(signed))
        return digest

    def _info(self, path: str) -> ZipInfo:
        info = ZipInfo(path, max(self._made_at.timetuple()[:6], (1980, 1, 1, 0, 0, 0)))
        info.external_attr = 0o644 << 16
        return info

    def _list(self, path: str, digest: str, size: int) -> None:
        name = _NOT_IN_NAME.sub("-", path.lower())  # as data packages allow, unlike a path
        self._resources.append({"name": name, "path": path, "hash": f"sha256:{digest}", "bytes": size})


def render_index(records: Iterable[WrittenRecord], filename: str) -> bytes:
    """The CDXJ index of a WARC file: a line a record, sorted by key and time.

    Without records of HTTP 304: viewers would show these, the newest, in place of what they confirm, as empty pages.
    """
    lines = []
    for one in records:
        if one.status == HTTPStatus.NOT_MODIFIED:
            continue
        about = {
            "url": one.url,
            "mime": one.mime,
            "status": str(one.status),
            "digest": one.digest,
            "length": str(one.length),
            "offset": str(one.offset),
            "filename": filename,
        }
        lines.append(f"{surt_key(one.url)} {one.at:%Y%m%d%H%M%S} {json.dumps(about)}\n")
    return "".join(sorted(lines)).encode()


def render_pages(pages: Iterable[ArchivedPage]) -> bytes:
    """``pages.jsonl``: its head, then a line a page."""
    head: dict[str, object] = {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}
    lines = [
        head,
        *(
            {"id": one.page_id, "url": one.url, "ts": format_utc(one.at), "title": one.title, "text": one.text}
            for one in pages
        ),
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def surt_key(url: str) -> str:
    """The sort key of *url* in an index, as ReplayWeb.page makes it: host reversed, without ``www.``, lower case."""
    parts = urlsplit(url.lower())
    host = parts.hostname or ""
    host = host.removeprefix("www.")
    port = f":{parts.port}" if parts.port else ""
    query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return f"{','.join(reversed(host.split('.')))}{port}){parts.path or '/'}{f'?{query}' if query else ''}"


def _encode(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2).encode()
