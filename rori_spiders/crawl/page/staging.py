"""The envelope of a changed page: its path reserved in the ledger, then its raw bytes and its file written."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.envelope import build_deletion_envelope, build_envelope
from rori_spiders.staging import steps
from rori_spiders.urls.canonical import host_of, origin_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.envelope import Envelope
    from rori_spiders.envelope.building import Origin
    from rori_spiders.items import PageItem
    from rori_spiders.staging.envelope_writer import Reservation


async def stage_envelope(job: Job, item: PageItem) -> None:
    """Steps 1 and 2 of the order of writing (staging/steps.py). What cannot be written stops the job."""
    with job.stopping_on_write_errors(job.runs.get(item.visit.run_id)):
        envelope = await job.storage.run(lambda: _build_envelope(job, item))
        await job.storage.run(lambda: _write_envelope(job, item, envelope))


def _build_envelope(job: Job, item: PageItem) -> Envelope:
    assert item.change is not None
    if item.change.change_type == "deleted":
        return build_deletion_envelope(
            previous_content_hash=item.change.previous_content_hash,
            title=item.change.previous_title,
            **_origin_of_item(job, item),
        )
    assert item.converted is not None
    return build_envelope(converted=item.converted, change=item.change, **_origin_of_item(job, item))


def _origin_of_item(job: Job, item: PageItem) -> Origin:
    assert item.fetched is not None
    source = job.manifests.catalog.source(item.visit.source_id)
    robots = job.robots.get(origin_of(item.visit.url))
    return {
        "visit": item.visit,
        "source": source,
        "manifest_version": job.manifests.catalog.loaded_of(source.id).manifest.version,
        "fetched": item.fetched,
        "raw_object": item.fetched.raw_hash,
        "content_signal": robots.content_signal if robots is not None else None,
        "run_id": item.visit.run_id,
        "parent_crawl_id": None if source.method == "scrape" else item.visit.run_id,
        "job_id": job.job_id,
        "operator": job.operator,
        "environment": job.environment,
        "envelope_id": str(uuid4()),
    }


def _write_envelope(job: Job, item: PageItem, envelope: Envelope) -> None:
    assert item.fetched is not None

    def reserve(conn: Connection, taken: Collection[str]) -> Reservation:
        job.leasing.check(conn, job.manifests.group(host_of(item.visit.url)))
        return steps.reserve_envelope(conn, envelope, links=item.links, now=job.now(), taken=taken)

    def reserved(taken: Collection[str]) -> Reservation:
        return job.storage.ledger.write(lambda conn: reserve(conn, taken))

    reservation = steps.reserve_and_write(job.storage.store, reserved, raw=item.fetched.received)
    job.storage.ledger.write(lambda conn: steps.check_reserved(conn, job.storage.store, reservation))
    item.envelope_id, item.staged_path = reservation.envelope_id, reservation.path
