"""What a sitemap says of a page's last change: a hint for the order of asking. A step: text in, a time out.

A ``lastmod`` never spares a request. It is the publisher's claim about a page, not a look at it: an audit row that
rested on it would say that a page was seen which nobody asked for. It would save little besides: a page that did not
change costs one conditional request. So what it says is used where a wrong claim costs nothing: pages that changed
since they were last seen are asked for first, and a run whose night ends has the newest text.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
#: The last place on Earth where a day ends is 12 hours behind UTC.
_LAST_ZONE = timedelta(hours=12)


def latest(lastmod: str) -> datetime | None:
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
