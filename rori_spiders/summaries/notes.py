"""What a person should know of a run that found nothing but its start. In: its frontier. Out: a sentence, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger.tables import run_urls

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.manifest.models import Source


def found_nothing(conn: Connection, run_id: str, source: Source) -> str | None:
    """Why a site's run has no page beside its start page, as far as the manifest may be at fault; None: it has some."""
    others = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & (run_urls.c.found_by != "start")
    query = select(run_urls.c.state, func.count()).where(others).group_by(run_urls.c.state)
    found = {row[0]: row[1] for row in conn.execute(query)}
    excluded = found.pop("excluded", 0)
    if source.method != "crawl" or found:
        return None
    patterns = ", ".join(source.scrape_config.include_patterns)
    if patterns:
        return f"nothing was found beside the start page: include_patterns ({patterns}) match no page that it leads to"
    if excluded:
        return f"nothing was found beside the start page: all of {excluded} pages that it leads to are excluded"
    return "nothing was found beside the start page: it leads to no other page of the source's hosts"
