"""Kinds of pages: the pages of a source that are likely to need the same tier are told by their addresses."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

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
