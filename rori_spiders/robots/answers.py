"""The answer of a server that was asked for its robots.txt.

* 2xx with text: rules. Only the first 500 KiB are read.
* 4xx: no rules. 5xx, 429, no answer, or an HTML page in its place: disallowed for now, and a failure to retry.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.robots.groups import read_records
from rori_spiders.robots.pace import crawl_delay, request_rate
from rori_spiders.robots.paths import Paths

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.robots.groups import Records

#: RFC 9309 §2.5: a crawler reads at least 500 KiB; like the big ones, we read exactly that.
MAX_BYTES = 500 * 1024

_PACE = {"crawl-delay": crawl_delay, "request-rate": request_rate}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HEAD_CHARS = 2048


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The robots.txt of one origin as this job saw it.

    ``delay_s``: seconds between requests that the site asks for, by Crawl-delay or Request-rate, the longest of them.
    ``content_signal``: its Content-Signal record for us (contentsignals.org), as written. ``sitemaps``: as written.
    """

    origin: str
    outcome: str  # rules | no_rules | unavailable
    reason: str
    status: int | None
    at: datetime
    body: bytes = b""
    paths: Paths | None = None
    delay_s: float | None = None
    content_signal: str | None = None
    sitemaps: tuple[str, ...] = ()

    @property
    def is_wall(self) -> bool:
        """Whether a server that is well answered something else than rules in their place: a page, a redirect."""
        return self.outcome == "unavailable" and self.status is not None and self.status < 400

    def allows(self, url: str) -> bool:
        if self.outcome == "no_rules":
            return True
        return self.paths is not None and self.paths.allows(url)


def read(origin: str, *, status: int, body: bytes, at: datetime) -> RobotsFile:
    """Judge the answer to ``{origin}/robots.txt``."""
    if status == 429 or status >= 500:
        return RobotsFile(origin, "unavailable", f"robots.txt answered {status}", status, at, body)
    if status >= 400:
        return RobotsFile(origin, "no_rules", f"robots.txt answered {status}: no rules", status, at, body)
    if not 200 <= status < 300:
        return RobotsFile(origin, "unavailable", f"robots.txt answered {status}", status, at, body)
    text = _text(body)
    records = read_records(text)
    if _is_html(text, records):
        return RobotsFile(origin, "unavailable", "an HTML page stands in place of robots.txt", status, at, body)
    return RobotsFile(
        origin,
        "rules",
        "",
        status,
        at,
        body,
        paths=Paths(records.rules, origin),
        delay_s=_delay(records),
        content_signal=", ".join(dict.fromkeys(value for _, value in records.said("content-signal") if value)) or None,
        sitemaps=tuple(records.sitemaps),
    )


def unreachable(origin: str, reason: str, at: datetime) -> RobotsFile:
    """No answer at all: disallowed for now."""
    return RobotsFile(origin, "unavailable", f"robots.txt could not be fetched: {reason}", None, at)


def _text(body: bytes) -> str:
    """The lines that are read. UTF-8 is the rule; UTF-16 is read too, since misread rules would allow everything.

    Bytes that are no UTF-8 are written as escapes: a `Disallow: /caf\\xe9` closes `/caf%E9`.
    """
    utf16 = body.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    text = body[:MAX_BYTES].decode(*(("utf-16", "replace") if utf16 else ("utf-8", "surrogateescape")))
    if len(body) > MAX_BYTES:  # half a rule is another rule
        text = text[: max(text.rfind("\n"), text.rfind("\r"), 0)]
    return _NOT_UTF8.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text.replace("\x00", "").replace("\ufeff", ""))


def _delay(records: Records) -> float | None:
    asked = (_PACE[key](value) for key, value in records.said(*_PACE))
    return max((seconds for seconds in asked if seconds is not None), default=None)


def _is_html(text: str, records: Records) -> bool:
    """No robots.txt begins with a tag; a page in its place begins with any tag, with a comment, or with words."""
    head = text[:_HEAD_CHARS]
    return head.lstrip().startswith("<") or (not records.agents and _MARKUP.search(head) is not None)
