"""What is known of where a document is from: its place in a code, its source in the manifest, its dates.

Nothing is guessed: a citation is that of the page's own address or title, the rest what manifest and ledger record.
"""

import re
from datetime import datetime
from typing import TypedDict

from rori_spiders.content.citations.context import home_of
from rori_spiders.content.metadata.statements import PageStatements
from rori_spiders.envelope.log_lines import format_wire_time
from rori_spiders.manifest.models import Source

#: A dated text of the eCFR is a version of the current one.
_DATED = re.compile(r"(?P<site>https://www\.ecfr\.gov)/on/\d{4}-\d{2}-\d{2}/(?P<path>title-.+)")
_CODES = {"CFR": "C.F.R.", "USC": "U.S.C."}


class Provenance(TypedDict, total=False):
    """Keys of the front matter; those that are not known are None or left out."""

    citation: str | None
    part: str | None
    agency: str | None
    jurisdiction: str | None
    source_type: str | None
    effective_date: str | None
    version_of: str | None
    supersedes: str | None
    breadcrumbs: str | None
    retrieved_at: str | None
    rights: str | None


def provenance_of(
    url: str,
    title: str | None,
    *,
    source: Source | None,
    effective: str | None,
    retrieved_at: datetime | None,
    stated: PageStatements,
) -> Provenance:
    """Return what is known of the page at *url*. *effective*: the day on which its text takes effect."""
    home = home_of(url, title)
    dated = _DATED.fullmatch(url)
    return Provenance(
        citation=_citation(home),
        part=home.get("part") or _part_of_section(home),
        agency=source.metadata.agency if source else None,
        jurisdiction=source.jurisdiction if source else None,
        source_type=source.source_type if source else None,
        effective_date=effective,
        version_of=f"{dated['site']}/current/{dated['path']}" if dated else None,
        supersedes=stated.supersedes,
        breadcrumbs=" > ".join(stated.breadcrumbs) or None,
        retrieved_at=format_wire_time(retrieved_at) if retrieved_at else None,
        rights=stated.rights or (source.metadata.rights if source else None),
    )


def whole_place(url: str, title: str | None) -> str | None:
    """The citation of the part or section that the page at *url* is, whole; None for a subpart, and for other pages."""
    home = home_of(url, title)
    return None if "subpart" in home else _citation(home)


def _citation(home: dict[str, str]) -> str | None:
    title, _, code = home.get("title", "").partition(" ")
    if code not in _CODES:
        return None
    if "section" in home:
        return f"{title} {_CODES[code]} § {home['section']}"
    return f"{title} {_CODES[code]} Part {home['part']}" if "part" in home else None


def _part_of_section(home: dict[str, str]) -> str | None:
    part, point, _ = home.get("section", "").partition(".")
    return part if point and home.get("title", "").endswith("CFR") else None
