"""The same URL by another rung of its ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy import Request

#: What one tier leaves in a request, and the next must not find.
_OWN = (
    "retries",
    "download_latency",
    "download_slot",
    "redirect_times",
    "redirect_ttl",
    "redirect_urls",
    "redirect_reasons",
    "redirect_statuses",
    "raw_body",
    "said",
    "credits",
    "learnt",
    "provider_turns",
    "verdict",
    "failure",
    "response_ms",
    "revalidated",
    "remembered",
    "gated",
)


def by(tier: str, request: Request, **more: Any) -> Request:
    """*request* for the page's own URL by *tier*: fresh retries, the original headers. *more*: further meta."""
    meta = {name: value for name, value in request.meta.items() if name not in _OWN} | more
    own = {name: request.headers[name] for name in meta.get("own_headers", ()) if name in request.headers}
    return request.replace(url=meta["visit"].url, headers=own, meta=meta | {"tier": tier}, dont_filter=True)
