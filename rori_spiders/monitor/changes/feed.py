"""Feeds of changes for feed readers, which cannot sign in: the address itself has the token (256 random bits)."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

from fastapi import APIRouter, Request, Response

from rori_spiders.comparison.change_report import describe_filter, render_atom, render_json_feed
from rori_spiders.ledger.pages.change_records import list_changes
from rori_spiders.ledger.pages.subscriptions import find_feed
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.security.access_control import FEED_PATHS
from rori_spiders.monitor.state.dependencies import AppStateDep  # noqa: TC001  # FastAPI reads annotations
from rori_spiders.runtime.control_characters import escape_one_line

#: A reader that looks once a week still misses nothing of a rule in 14 sections with its comments.
_MAX_CHANGES = 200

router = APIRouter()


@router.api_route(FEED_PATHS + "{token}.{form}", methods=["GET", "HEAD"], include_in_schema=False)
def read_feed(token: str, form: Literal["atom", "json"], request: Request, served: AppStateDep) -> Response:
    """Answer with the newest changes of a subscription, or 304 when the reader has them."""
    with served.ledger.connect() as conn:
        feed = find_feed(conn, token)
        if feed is None:
            raise ApiError(404, "unknown_feed", "No such feed, or its subscription has ended.")
        found = list(list_changes(conn, feed.wanted, limit=_MAX_CHANGES))
    # A person with several feeds tells them apart by it.
    wanted = escape_one_line(describe_filter(feed.wanted))
    title, address = f"{wanted[0].upper()}{wanted[1:]} (subscription {feed.subscription_id})", str(request.url)
    if form == "json":
        body, media_type = render_json_feed(found, title=title, address=address), "application/feed+json"
    else:
        feed_id = f"tag:rori.dev,2026:subscription/{feed.subscription_id}/{feed.created_at:%Y%m%dT%H%M%S}"
        body = render_atom(found, feed_id=feed_id, title=title, now=feed.created_at, address=address)
        media_type = "application/atom+xml"
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)
