"""Kinds of pages: the pages of a source that are likely to need the same tier are told by their addresses.

What is remembered is a tier by kind, and by host once several kinds of it agree: a site is mostly of one make.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

#: So many kinds of a host's pages must have the same tier, and none another, before it holds for the whole host: fewer
#: than the five pages that a run has for its browser (S4), so that the last of them can go to what differs.
KINDS_OF_A_HOST = 3
_DIGITS = re.compile(r"\d+")
_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=[a-z]*\d)[0-9a-z]{16,}|[0-9a-f]{12,}",
    re.IGNORECASE,
)


def template(url: str) -> str:
    """*url* without what tells pages of one kind apart: ``www.hud.gov/rules/1024/5a?page=2`` ->
    ``www.hud.gov/rules/{n}/{n}a?page``. Ids become ``{id}``, digits ``{n}``; of a query only the names are left.
    """
    parts = urlsplit(url)
    path = "/".join("{id}" if _ID.fullmatch(one) else _DIGITS.sub("{n}", one) for one in parts.path.split("/"))
    names = sorted({_DIGITS.sub("{n}", name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{path}{'?' if names else ''}{'&'.join(names)}"


def host(url: str) -> str:
    """What all pages of one host are remembered by; no page's ``template`` is the same."""
    return urlsplit(url).netloc


def tier_for(url: str, remembered: Mapping[str, str]) -> str | None:
    """The tier that worked for pages like the one at *url*, or for all of its host."""
    return remembered.get(template(url)) or remembered.get(host(url)) if remembered else None


def agreed(url: str, remembered: Mapping[str, str], least: int = KINDS_OF_A_HOST) -> str | None:
    """The tier that *least* kinds of pages of the host of *url* have, while none that is remembered has another."""
    start = host(url) + "/"
    found = [tier for kind, tier in remembered.items() if kind.startswith(start)]
    return found[0] if len(found) >= least and len(set(found)) == 1 else None
