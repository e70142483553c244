"""The crawl summary as a document. In: a run that has ended, in the ledger. Out: JSON with S0's names, and ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.envelope.lines import wire_time
from rori_spiders.ledger import actions, runs
from rori_spiders.summaries.coverage import Coverage
from rori_spiders.summaries.listed import of_api, of_contents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.runs import RunRow
    from rori_spiders.manifest.models import Source

#: A single page needs none: its audit row says it all.
METHODS = frozenset({"crawl", "mediawiki"})
SUMMARY_VERSION = "1.0"
_MOST_ACTIONS = 1000


def make(
    conn: Connection, run_id: str, source: Source, sitemaps: Coverage | None, note: str | None, *, now: datetime
) -> str:
    """The summary of the run as text, as it stands at *now*.

    *sitemaps* is what became of what those of the run name, *note* is what ``found_nothing`` says of it.
    """
    run = runs.run(conn, run_id)
    counts = {**runs.counts(conn, run_id), "changed": (run.counts or {}).get("changed", 0)}
    lists = [sitemaps, *_others(conn, run, source.url)]
    document: dict[str, Any] = {
        "summary_version": SUMMARY_VERSION,
        "scrape_run_id": run_id,
        "parent_crawl_id": run_id,
        "manifest_id": run.source_id,
        "manifest_version": run.manifest_version,
        "method": run.method,
        "state": run.state,
        "reason": run.reason,
        "operator": run.operator,
        "started_at": wire_time(run.started_at),
        "finished_at": wire_time(run.finished_at) if run.finished_at else None,
        "written_at": wire_time(now),
        "pages_found": counts["discovered"],
        "pages_scraped": counts["captured"] + counts["unchanged"],
        "pages_changed": counts["changed"],
        "errors": counts["failed"],
        "pages": {state: counts[state] for state in ("captured", "unchanged", "excluded", "failed", "gone")},
        "seconds": round(run.seconds, 1),
        "requests": run.requests,
        "browser_pages": run.browser_pages,
        "credits": run.credits,
        "notes": [note] if note is not None else [],
        "accepted": _accepted(conn, run_id),
        "coverage": [said for one in lists if one is not None and (said := one.document()) is not None],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _others(conn: Connection, run: RunRow, start_url: str) -> Iterator[Coverage]:
    """What became of what pages of contents name, each for itself, and the lists of a wiki."""
    for url, named in of_contents(conn, run, start_url):
        contents = Coverage("contents", run.run_id)
        contents.add(conn, named, url)
        yield contents
    api = Coverage("api", run.run_id)
    api.add(conn, of_api(conn, run.run_id))
    yield api


def _accepted(conn: Connection, run_id: str) -> list[dict[str, Any]]:
    """What a person accepted of the run, oldest first: pages that it held, or their number."""
    done = [
        one
        for one in actions.recent(conn, target=run_id, limit=_MOST_ACTIONS)
        if one["action"] in {"accept", actions.ACCEPT_RUN}
    ]
    return [
        {"at": wire_time(one["at"]), "by": one["actor"], "reason": one["reason"], **(one["details"] or {})}
        for one in reversed(done)
    ]
