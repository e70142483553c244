"""``scrapy runs accept``: what can be accepted, what was, and what could not be, for a person."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rori_spiders.acceptance import SUSPECT, Acceptor, By, Declined, accept_count, renew_summary
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import frontier, holds, runs
from rori_spiders.stores.staging import recover
from rori_spiders.terminal.listing import harmless
from rori_spiders.urls import normalise
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.acceptance import Desk

#: How many pages and runs a person reads at a glance.
_MOST_SHOWN = 20
_MOST_RUNS = 1000


def lines_of_held(conn: Connection, run_id: str) -> Iterator[str]:
    """What the run holds and what was accepted of it, with the commands to type; nothing where there is neither."""
    if runs.run(conn, run_id).state == SUSPECT:
        yield f"Too few pages, until a person accepts their number: {command(run_id)}"
    urls = holds.urls_held(conn, run_id)
    if urls:
        yield "Held until a person accepts it:"
    for url in urls[:_MOST_SHOWN]:
        row = frontier.url(conn, run_id, url)
        yield f"  {harmless(url)}  {harmless((row and row.reason) or '')}"
        yield f"      {command(run_id, url)}"
    if len(urls) > 1:
        yield f"  all {len(urls)}: {command(run_id)}"
    for done in holds.accepted(conn, run_id)[-_MOST_SHOWN:]:
        who = f"{done['at']:%Y-%m-%d %H:%M} UTC by {done['actor']}: {done['reason']}"
        yield f"Accepted {harmless(who)}"
        yield f"  {harmless(done['details']['url'])}  {done['details']['path'] or 'its text was held already'}"


def lines_of_runs(conn: Connection, run_ids: Collection[str]) -> Iterator[str]:
    """Of those runs the newest of each source that holds pages, with the command to type."""
    told: set[str] = set()
    for run_id, source, pages in holds.runs_that_hold(conn, _MOST_RUNS):
        if run_id in run_ids and source not in told:
            told.add(source)
            yield f"{source}: {pages} page{'s' * (pages != 1)} held until a person accepts: {command(run_id)}"


def command(run_id: str, url: str | None = None) -> str:
    """What a person types to accept one page of a run, or all."""
    one = f" --url {shlex.quote(harmless(url))}" if url else ""
    return f"scrapy runs accept {run_id}{one} --reason TEXT"


def chosen(conn: Connection, run_id: str, url: str | None) -> list[str]:
    """The pages to accept: all that the run holds, or the one at *url*. UsageError, with what there is, for none.

    A run that is suspect as a whole may hold none.
    """
    urls = holds.urls_held(conn, run_id)
    if not urls and url is None and runs.run(conn, run_id).state == SUSPECT:
        return []
    if not urls:
        done = len(holds.accepted(conn, run_id))
        were = (
            f": {done} page{'s' * (done != 1)} of it {'were' if done != 1 else 'was'} accepted before" if done else ""
        )
        raise UsageError(f"run {run_id} has nothing left to accept{were}. {held_elsewhere(conn)}")
    if url is None:
        return urls
    try:
        wanted = normalise(url)
    except ValueError as error:
        raise UsageError(f"--url: {error}") from None
    if wanted not in urls:
        raise UsageError(f"run {run_id} does not hold {wanted}. It holds:\n{_listed(urls)}")
    return [wanted]


def held_elsewhere(conn: Connection) -> str:
    """Which runs hold pages, for a message."""
    found = holds.runs_that_hold(conn, _MOST_SHOWN)
    if not found:
        return "No run holds a page."
    return "Runs that hold pages:\n" + _listed(
        f"{run_id}  {source}, {pages} page{'s' * (pages != 1)}" for run_id, source, pages in found
    )


def _listed(lines: Sequence[str] | Iterator[str]) -> str:
    every = list(lines)
    more = [f"  and {len(every) - _MOST_SHOWN} more"] if len(every) > _MOST_SHOWN else []
    return "\n".join([*(f"  {harmless(line)}" for line in every[:_MOST_SHOWN]), *more])


def accept(desk: Desk, run_id: str, urls: Sequence[str], by: By, *, whole: bool) -> int:
    """Accept *urls* one by one, and say of each what became of it; with *whole*, the run too. The exit code."""
    if mended := recover(desk.ledger, desk.store, desk.clock()):
        print(f"Mended what a job that died had left: {mended}.")
    declined = _accept_pages(desk, run_id, urls, by) if urls else 0
    if whole:
        with desk.ledger.begin() as conn:
            good = accept_count(conn, run_id, by, desk.clock())
        if good is not None:
            found = f"{counted(good, 'page')} {'is' if good == 1 else 'are'}"
            print(f"accepted      the run: {found} what is usual from now on")
    if declined < len(urls) or whole:
        renew_summary(desk, run_id)
    print(f"How the run stands now: scrapy runs {run_id}")
    return 1 if declined else 0


def _accept_pages(desk: Desk, run_id: str, urls: Sequence[str], by: By) -> int:
    """How many could not be accepted."""
    declined = 0
    acceptor = Acceptor(desk, run_id)
    try:
        for url in urls:
            try:
                done = acceptor.accept(url, by)
            except Declined as error:
                declined += 1
                print(f"not accepted  {harmless(url)}: {harmless(str(error))}")
            else:
                what = f"gone, as {done.path}" if done.is_gone else done.path
                print(f"accepted      {harmless(url)}: {what or 'its text is the one that is held already'}")
    finally:
        acceptor.close()
    print(f"{len(urls) - declined} of {len(urls)} pages accepted.")
    return declined
