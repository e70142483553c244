"""Where an accepted page is from: its visit and its envelope, with the facts of the run that fetched it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders import robots
from rori_spiders.acceptance.declining import Declined
from rori_spiders.envelope import build, deleted
from rori_spiders.items import Visit
from rori_spiders.ledger import frontier
from rori_spiders.urls import origin_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.envelope import Envelope
    from rori_spiders.envelope.building import Origin
    from rori_spiders.items import PageItem
    from rori_spiders.ledger.holds import Held
    from rori_spiders.ledger.runs import RunRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.stores.base import Store


def visit_of(conn: Connection, run: RunRow, url: str) -> Visit:
    """How the run came to the page. Raises Declined when it did not."""
    row = frontier.url(conn, run.run_id, url)
    if row is None:
        raise Declined("the run did not discover it")
    return Visit(run.run_id, run.source_id, row.url, row.kind, row.depth, row.found_on, row.found_by)


def envelope_of(item: PageItem, store: Store, catalog: Catalog, run: RunRow, held: Held, environment: str) -> Envelope:
    """The envelope that the run would have staged, but that a person stages it: ``operator`` is ``manual``.

    What it says of the source is of the manifest in force, which says how the page was converted, and is named.
    """
    assert item.change is not None and item.fetched is not None
    source = catalog.source(run.source_id)
    origin: Origin = {
        "visit": item.visit,
        "source": source,
        "manifest_version": catalog.loaded_of(source.id).manifest.version,
        "fetched": item.fetched,
        "raw_object": item.fetched.raw_hash,
        "content_signal": _content_signal(store, held),
        "run_id": run.run_id,
        "parent_crawl_id": None if source.method == "scrape" else run.run_id,
        "job_id": run.job_id,
        "operator": "manual",
        "environment": environment,
        "envelope_id": str(uuid4()),
    }
    change = item.change
    if change.change_type == "deleted":
        return deleted(previous_content_hash=change.previous_content_hash, title=change.previous_title, **origin)
    assert item.converted is not None
    return build(converted=item.converted, change=change, **origin)


def _content_signal(store: Store, held: Held) -> str | None:
    """That of the robots.txt which allowed the page."""
    kept = held.audited["robots_object"]
    if kept is None:
        return None
    try:
        body = store.get_object(kept)
    except FileNotFoundError:
        raise Declined(f"the robots.txt that allowed it is not in the staging area any more ({kept})") from None
    return robots.read(origin_of(held.url), status=200, body=body, at=held.audited["timestamp"]).content_signal
