"""Serve scraped bytes safely: sandboxed without scripts, or as a download."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import Response

#: No script, no style, no plug-in, no form, no request of any kind, and an origin of its own.
SANDBOX_POLICY = "; ".join(
    (
        "sandbox",
        "default-src 'none'",
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    )
)
#: Responses of an endpoint that returns such bytes, for the OpenAPI document.
BINARY_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}
#: The same for JSON and YAML, which a client parses.
DATA_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}, "application/yaml": {}}}}
_HEADERS = {
    "content-security-policy": SANDBOX_POLICY,
    "x-content-type-options": "nosniff",
    # Browsers refuse to open a page of its own that has both a sandbox and `same-origin` here.
    "cross-origin-opener-policy": "unsafe-none",
    "referrer-policy": "no-referrer",
}
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = re.compile(r"text/(?!html)[\w.+-]+|application/(?:[\w.-]+\+)?(?:json|xml)|application/(?:x-)?javascript")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._-]{1,40})", re.IGNORECASE)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SUFFIXES = {
    "application/pdf": ".pdf",
    "application/msword": ".doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}
_PDF, _ZIP = b"%PDF", b"PK\x03\x04"


def untrusted_response(body: bytes, content_type: str | None, url: str) -> Response:
    """Return *body*, received with this type from *url*: pages and texts are displayed, all else is a download.

    A page is `text/html`, whatever the server called it; a text is never more than plain text.
    """
    kind = (content_type or "").partition(";")[0].strip().lower()
    if body.startswith((_PDF, _ZIP)):
        return attachment_response(
            body, kind if kind in _SUFFIXES else "application/octet-stream", download_name(url, kind, body)
        )
    if kind in _HTML_TYPES or (not kind and body.lstrip()[:1] == b"<"):
        return _inline_response(body, f"text/html{_charset_parameter(content_type)}")
    if _TEXT_TYPES.fullmatch(kind):
        return _inline_response(body, f"text/plain{_charset_parameter(content_type) or '; charset=utf-8'}")
    return attachment_response(
        body, kind if kind in _SUFFIXES else "application/octet-stream", download_name(url, kind, body)
    )


def attachment_response(body: bytes, kind: str, name: str, more: Mapping[str, str] | None = None) -> Response:
    """Return *body* as a download named *name*."""
    disposition = f"attachment; filename=\"{_UNSAFE.sub('_', name)}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {**_HEADERS, **(more or {}), "content-type": kind, "content-disposition": disposition}
    return Response(body, headers=headers)


def text_response(body: bytes, kind: str) -> Response:
    """Return *body*, our own UTF-8 text, unchanged."""
    return _inline_response(body, f"{kind}; charset=utf-8")


def picture_response(body: bytes) -> Response:
    """Return *body*, a JPEG of our own making."""
    return _inline_response(body, "image/jpeg")


def _inline_response(body: bytes, kind: str) -> Response:
    return Response(body, headers={**_HEADERS, "content-type": kind})


def _charset_parameter(content_type: str | None) -> str:
    found = _CHARSET.search(content_type or "")
    return f"; charset={found[1]}" if found else ""


def download_name(url: str, kind: str, body: bytes) -> str:
    """Return a file name from the last part of a URL's path: plain letters, no folder, no leading dot."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    plain = _UNSAFE.sub("_", last).strip("._")[:80] or "page"
    ending = _SUFFIXES.get(kind) or (".pdf" if body.startswith(_PDF) else "")
    return plain if not ending or plain.lower().endswith(ending) else plain + ending
