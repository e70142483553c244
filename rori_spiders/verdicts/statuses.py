"""What an HTTP status says by itself, when no page says more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.verdicts.verdict import Fired, Verdict

if TYPE_CHECKING:
    from rori_spiders.verdicts.verdict import Kind

# RFC 9110 and 6585; 444, 499 and 52x are what nginx and Cloudflare add.
_KINDS: dict[int, Kind] = {
    400: "server_error",
    401: "login_wall",
    402: "denied",
    403: "denied",
    404: "not_found",
    405: "denied",
    406: "denied",
    407: "filtered",
    408: "server_error",
    410: "not_found",
    421: "server_error",
    425: "server_error",
    429: "rate_limited",
    444: "denied",
    451: "denied",
    511: "filtered",
}
# What a page may say under an error status without being overruled by it: a 403 with a challenge is a challenge.
_SAYS_MORE: frozenset[Kind] = frozenset(
    {"challenge", "captcha", "rate_limited", "login_wall", "consent_wall", "age_wall", "filtered"}
)
# What storage and gateways answer when they answer with data: S3's error codes, API Gateway's messages.
_IN_DATA: tuple[tuple[Kind, re.Pattern[bytes]], ...] = (
    (
        "denied",
        re.compile(
            rb"access ?denied|forbidden|missing ?authentication ?token|not authorized|unauthorized", re.IGNORECASE
        ),
    ),
    ("soft_404", re.compile(rb"nosuch(?:key|bucket|website)|(?:page|resource|route)? ?not ?found", re.IGNORECASE)),
    ("rate_limited", re.compile(rb"too ?many ?requests|rate ?limit|slow ?down|quota ?exceeded", re.IGNORECASE)),
    ("server_error", re.compile(rb"internal ?(?:server ?)?error|service ?unavailable|bad ?gateway", re.IGNORECASE)),
)
_ERROR_DATA = re.compile(
    rb"""\A\s*(?:<\?xml[^>]*>\s*)?<Error>\s*<Code>([^<]{1,80})</Code>"""
    rb"""|\A\s*\{\s*"(?:message|error|detail|title|code)"\s*:\s*"([^"]{1,80})"\s*[,}]""",
    re.IGNORECASE,
)
_MAX_ERROR_DATA = 1_000  # S3's errors have at most 400 bytes; a document of law has more
_RETRY_AFTER = re.compile(r"^retry-after:", re.IGNORECASE | re.MULTILINE)


def refusal_without_page(status: int, kind: str, body: bytes) -> Verdict | None:
    """The verdict on a response that has no page to read: an empty body, or an error told in JSON, XML or bytes."""
    bare = not body.strip()
    if status in (204, 205) or (bare and status < 300):
        return Verdict("empty", None, 0.97, (Fired("no-body", "body:0"),))
    if bare or (status >= 400 and kind not in ("html", "text")):
        return by_status(status, "", None)
    return None


def by_status(status: int, header_lines: str, page: Verdict | None) -> Verdict | None:
    """The verdict of a status of 300 or more; None for success. ``page`` is what the page itself seems to be."""
    if status < 300:
        return None
    fired = (Fired(f"status-{status}", "status"),)
    if page is not None and page.kind in _SAYS_MORE and status >= 400:
        return Verdict(page.kind, page.vendor, min(0.97, page.confidence + 0.1), fired + page.rules)
    if status < 400:
        return Verdict("redirect_stub", None, 0.9, fired)
    if status >= 500 and status not in _KINDS:
        closed = status == 503 and (_RETRY_AFTER.search(header_lines) or (page and page.kind == "maintenance"))
        return Verdict("maintenance" if closed else "server_error", page.vendor if page else None, 0.95, fired)
    kind = _KINDS.get(status)
    return Verdict(kind or "unknown", page.vendor if page else None, 0.95 if kind else 0.5, fired)


def refusal_in_data(kind: str, body: bytes) -> Verdict | None:
    """The verdict on a small JSON or XML document that is nothing but an error, whatever its status."""
    found = _ERROR_DATA.match(body) if kind in ("json", "xml") and len(body) <= _MAX_ERROR_DATA else None
    if found is None:
        return None
    said = found[1] or found[2]
    told = next((meant for meant, pattern in _IN_DATA if pattern.search(said)), None)
    return Verdict(told, None, 0.8, (Fired("error-in-data", "body:0"),)) if told else None
