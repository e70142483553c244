"""Bytes of somebody else, given to a browser: shown under a sandbox in which nothing runs, or to be kept as a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from fastapi import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

#: No script, no plug-in, no form, no request of any kind, and an origin of its own.
SANDBOX = "; ".join(
    (
        "sandbox",
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    )
)
#: What an endpoint that gives such bytes answers, for the OpenAPI document.
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}
_HEADERS = {
    "content-security-policy": SANDBOX,
    "x-content-type-options": "nosniff",
    # Browsers refuse to open a page of its own that has both a sandbox and `same-origin` here.
    "cross-origin-opener-policy": "unsafe-none",
    "referrer-policy": "no-referrer",
}
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS = re.compile(r"text/(?!html)[\w.+-]+|application/(?:[\w.-]+\+)?(?:json|xml)|application/(?:x-)?javascript")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._-]{1,40})", re.IGNORECASE)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ENDINGS = {
    "application/pdf": ".pdf",
    "application/msword": ".doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}
_PDF, _ZIP = b"%PDF", b"PK\x03\x04"


def shown(body: bytes, content_type: str | None, url: str) -> Response:
    """*body*, which came with this type from *url*: pages and texts are shown, all else is a file to be saved.

    A page is `text/html`, whatever the server called it; a text is never more than plain text.
    """
    kind = (content_type or "").partition(";")[0].strip().lower()
    if body.startswith((_PDF, _ZIP)):
        return saved(body, kind if kind in _ENDINGS else "application/octet-stream", name_of(url, kind, body))
    if kind in _PAGES or (not kind and body.lstrip()[:1] == b"<"):
        return _inline(body, f"text/html{_charset(content_type)}")
    if _TEXTS.fullmatch(kind):
        return _inline(body, f"text/plain{_charset(content_type) or '; charset=utf-8'}")
    return saved(body, kind if kind in _ENDINGS else "application/octet-stream", name_of(url, kind, body))


def saved(body: bytes, kind: str, name: str, more: Mapping[str, str] | None = None) -> Response:
    """*body* as a file that the browser saves under *name*, without opening it."""
    disposition = f"attachment; filename=\"{_UNSAFE.sub('_', name)}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {**_HEADERS, **(more or {}), "content-type": kind, "content-disposition": disposition}
    return Response(body, headers=headers)


def text(body: bytes, kind: str) -> Response:
    """*body*, UTF-8 text of ours, as it is."""
    return _inline(body, f"{kind}; charset=utf-8")


def _inline(body: bytes, kind: str) -> Response:
    return Response(body, headers={**_HEADERS, "content-type": kind})


def _charset(content_type: str | None) -> str:
    found = _CHARSET.search(content_type or "")
    return f"; charset={found[1]}" if found else ""


def name_of(url: str, kind: str, body: bytes) -> str:
    """A file's name made of the last part of a URL's path: plain letters, no folder, no dot in front."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    plain = _UNSAFE.sub("_", last).strip("._")[:80] or "page"
    ending = _ENDINGS.get(kind) or (".pdf" if body.startswith(_PDF) else "")
    return plain if not ending or plain.lower().endswith(ending) else plain + ending
