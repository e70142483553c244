"""The envelope of a changed page: its path reserved in the ledger, then its raw bytes and its file written."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.crawl.job.job import Job
from rori_spiders.envelope import build_deletion_envelope, build_envelope
from rori_spiders.staging import steps
from rori_spiders.urls.canonical import host_of, origin_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.envelope import Envelope
    from rori_spiders.envelope.building import Origin
    from rori_spiders.items import PageItem
    from rori_spiders.staging.envelope_writer import Reservation


class EnvelopePipeline:
    """Steps 1 and 2 of the order of writing (staging/steps.py). What cannot be written stops the job."""

    def __init__(self, crawler: Crawler) -> None:
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> EnvelopePipeline:
        return cls(crawler)

    async def process_item(self, item: PageItem) -> PageItem:
        if item.change is None or not item.change.changed or item.fetched is None:
            return item
        with self._job.stopping_on_write_errors(self._job.runs.get(item.visit.run_id)):
            envelope = await self._job.storage.run(lambda: self._envelope(item))
            await self._job.storage.run(lambda: self._write(item, envelope))
        return item

    def _envelope(self, item: PageItem) -> Envelope:
        assert item.change is not None
        if item.change.change_type == "deleted":
            return build_deletion_envelope(
                previous_content_hash=item.change.previous_content_hash,
                title=item.change.previous_title,
                **self._origin(item),
            )
        assert item.converted is not None
        return build_envelope(converted=item.converted, change=item.change, **self._origin(item))

    def _origin(self, item: PageItem) -> Origin:
        assert item.fetched is not None
        job, source = self._job, self._job.manifests.catalog.source(item.visit.source_id)
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

    def _write(self, item: PageItem, envelope: Envelope) -> None:
        assert item.fetched is not None
        job = self._job

        def reserve(conn: Connection, taken: Collection[str]) -> Reservation:
            job.leasing.check(conn, job.manifests.group(host_of(item.visit.url)))
            return steps.reserve_envelope(conn, envelope, links=item.links, now=job.now(), taken=taken)

        def reserved(taken: Collection[str]) -> Reservation:
            return job.storage.ledger.write(lambda conn: reserve(conn, taken))

        reservation = steps.reserve_and_write(job.storage.store, reserved, raw=item.fetched.received)
        job.storage.ledger.write(lambda conn: steps.check_reserved(conn, job.storage.store, reservation))
        item.envelope_id, item.staged_path = reservation.envelope_id, reservation.path
