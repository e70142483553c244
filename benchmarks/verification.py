"""What `scrapy verify` costs: a ledger and a staging area of many captures, made once and verified.

    .venv/bin/python -m benchmarks.verification /tmp/captures            # 10,000 captures, made if they are not there
    .venv/bin/python -m benchmarks.verification /tmp/captures-1000 --captures 1000

Nothing is asked of anybody: the pages are invented (40 KB of HTML each, converted as a job would, 500 a run), and
recorded by the functions that a job records with. Prints what was checked and the seconds, by the clock and of the
processor. Ends with 1 when anything is found, or when 10,000 captures take more than a minute of two processors.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.content.chunking import parts_of
from rori_spiders.content.convert import digest
from rori_spiders.crawl.envelope import build_envelope
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.staging.envelope_writer import (
    PageToStage,
    Reservation,
    index_envelopes,
    reserve_and_write,
    reserve_envelopes,
)
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import SITE, a_change, a_conversion, a_fetch, an_origin
from tests.staging.job_driver import SOURCE, Job, record

if TYPE_CHECKING:
    from rori_spiders.envelope import Envelope

_MOST_SECONDS = 60 * 2  # of a processor
_A_RUN, _TOGETHER = 500, 100
#: Stands in the page where the number of each is put.
_MARK = "Rule0000000"
_PARAGRAPH = (
    "A covered person must retain evidence of compliance with this part for five years after the later of the date "
    "of settlement and the date on which the servicer transfers the loan, as described in 12 CFR 1024.38(c). "
)


def _template() -> str:
    sections = "".join(f"<h2>({at}) {_MARK}, part {at}</h2><p>{_PARAGRAPH * 3}</p>" for at in range(25))
    menu = "".join(f'<li class="menu-item"><a href="/menu/{at}/">Topic {at}</a></li>' for at in range(200))
    head = f"<head><title>{_MARK}</title><style>{'.a{color:red}' * 500}</style></head>"
    return f"<html>{head}<body><nav><ul>{menu}</ul></nav><main><h1>{_MARK}</h1>{sections}</main></body></html>"


class _BulkJob(Job):
    """A job that records many pages in one transaction."""

    template = _template()
    converted = digest(template.encode(), url=SITE, content_type="text/html")

    def capture(self, run: str, urls: Sequence[str]) -> None:
        visits = [FrontierUrl(run, SOURCE, url) for url in urls]
        with self.ledger.begin() as conn:
            frontier.add_urls(conn, run, visits)
        pages = {visit.url: self._page(visit) for visit in visits}
        written = reserve_and_write(self.store, [page for page, _ in pages.values()], self._reserve)
        with self.ledger.begin() as conn:
            for visit, one in zip(visits, written, strict=True):
                record(conn, visit, pages[visit.url][1], one.path, [], self.now)
        index_envelopes(self.ledger, self.store, [one.envelope_id for one in written])

    def _reserve(self, pages: Sequence[PageToStage]) -> list[Reservation]:
        with self.ledger.begin() as conn:
            return reserve_envelopes(conn, pages, now=self.now)

    def _page(self, visit: FrontierUrl) -> tuple[PageToStage, Envelope]:
        number = f"Rule{int(visit.url.rstrip('/').rsplit('-', 1)[-1]):07}"
        raw = self.template.replace(_MARK, number).encode()
        markdown, html = (one.replace(_MARK, number) for one in (self.converted.markdown, self.converted.html or ""))
        origin = an_origin(
            visit.url,
            run_id=visit.run_id,
            parent_crawl_id=visit.run_id,
            envelope_id=str(uuid4()),
            raw_object=sha256(raw).hexdigest(),
            fetched=a_fetch(visit.url, raw, at=self.now),
        )
        converted = a_conversion(markdown, html=html, outline=parts_of(markdown, {}))
        envelope = build_envelope(converted=converted, change=a_change("new", None), **origin)
        return PageToStage(envelope, raw), envelope


def _make(folder: Path, captures: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with open_ledger(str(folder / "ledger.db")) as ledger:
        job = _BulkJob(ledger, DiskStore(folder / "staged"), str(uuid4()))
        for begin in range(0, captures, _A_RUN):
            with ledger.begin() as conn:
                run = job.open_run(conn)
            for at in range(begin, min(begin + _A_RUN, captures), _TOGETHER):
                job.capture(run, [f"{SITE}rule-{one}/" for one in range(at, min(at + _TOGETHER, captures))])
            with ledger.begin() as conn:
                run_records.close_run(conn, run, state="complete", reason=None, now=job.now)
            job.now += timedelta(hours=1)
            print(f"{min(begin + _A_RUN, captures):,} captures", flush=True)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Make what is not there, verify it, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--captures", type=int, default=10_000)
    given = parser.parse_args()
    if not (given.folder / "ledger.db").exists():
        _make(given.folder.absolute(), given.captures)
    began, before = time.perf_counter(), _processor_seconds()
    with open_ledger(str(given.folder.absolute() / "ledger.db"), migrate=False) as ledger:
        report = verify_staging(ledger, DiskStore(given.folder / "staged"))
    seconds, used = time.perf_counter() - began, _processor_seconds() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(", ".join(f"{number:,} {what}" for what, number in report.counts.items()))
    print(f"{seconds:.1f} s; {used:.1f} s of a processor; {memory} MiB; {len(report.findings)} findings")
    print(*report.findings[:20], sep="\n")
    sys.exit(bool(report.findings) or used > _MOST_SECONDS)


if __name__ == "__main__":
    main()
