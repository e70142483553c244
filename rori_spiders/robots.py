"""What a robots.txt answer means for us (RFC 9309). Steps: bytes in, judgement out.

* 2xx with text: rules. Only the first 500 KiB are read.
* 4xx: no rules. 5xx, 429, no answer, or an HTML page in its place: disallowed for now, and a failure to retry.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protego import Protego

from rori_spiders import ROBOTS_TOKEN

if TYPE_CHECKING:
    from datetime import datetime

#: RFC 9309 §2.5: a crawler reads at least 500 KiB; like the big ones, we read exactly that.
MAX_BYTES = 500 * 1024

# A group is ours by the product token alone (§2.2.1); Protego compares the whole value, `RORI-Collector/1.0` as well.
_OUR_GROUP = re.compile(rf"^(\s*user[- ]?agent\s*:\s*{ROBOTS_TOKEN})[/ ][^\r\n]*", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The robots.txt of one origin as this job saw it."""

    origin: str
    outcome: str  # rules | no_rules | unavailable
    reason: str
    status: int | None
    at: datetime
    body: bytes = b""
    rules: Protego | None = None

    def allows(self, url: str) -> bool:
        if self.outcome == "no_rules":
            return True
        return self.rules is not None and bool(self.rules.can_fetch(url, ROBOTS_TOKEN))

    @property
    def delay_s(self) -> float | None:
        """Seconds between requests that the site asks for, by Crawl-delay or Request-rate; the longer of the two."""
        if self.rules is None:
            return None
        asked = [float(delay)] if (delay := self.rules.crawl_delay(ROBOTS_TOKEN)) is not None else []
        rate = self.rules.request_rate(ROBOTS_TOKEN)
        if rate is not None and rate.requests:
            asked.append(rate.seconds / rate.requests)
        return max(asked, default=None)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self.rules.sitemaps) if self.rules is not None else ()


def read(origin: str, *, status: int, body: bytes, at: datetime) -> RobotsFile:
    """Judge the answer to ``{origin}/robots.txt``."""
    if status == 429 or status >= 500:
        return RobotsFile(origin, "unavailable", f"robots.txt answered {status}", status, at, body)
    if status >= 400:
        return RobotsFile(origin, "no_rules", f"robots.txt answered {status}: no rules", status, at, body)
    if not 200 <= status < 300:
        return RobotsFile(origin, "unavailable", f"robots.txt answered {status}", status, at, body)
    if _is_html(body):
        return RobotsFile(origin, "unavailable", "an HTML page stands in place of robots.txt", status, at, body)
    return RobotsFile(origin, "rules", "", status, at, body, Protego.parse(_OUR_GROUP.sub(r"\1", _text(body))))


def unreachable(origin: str, reason: str, at: datetime) -> RobotsFile:
    """No answer at all: disallowed for now."""
    return RobotsFile(origin, "unavailable", f"robots.txt could not be fetched: {reason}", None, at)


def _text(body: bytes) -> str:
    """The lines that are read. UTF-8 is the rule; UTF-16 is read too, since misread rules would allow everything."""
    encoding = "utf-16" if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    text = body[:MAX_BYTES].decode(encoding, "replace").replace("\x00", "").lstrip("\ufeff")
    if len(body) > MAX_BYTES and "\n" in text:
        text = text[: text.rindex("\n")]  # half a rule is another rule
    return text


def _is_html(body: bytes) -> bool:
    """No line of a robots.txt begins with a tag; pages in its place begin with any tag, or with a comment."""
    return body[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
