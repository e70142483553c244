"""Print and accept what a run holds for review, and print its crawl summary, for `scrapy runs`."""

import json
import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from rori_spiders.crawl.runs.review_holds import (
    SUSPECT,
    Acceptor,
    NotAcceptable,
    ReviewContext,
    Reviewer,
    accept_page_count,
    refresh_run_summary,
)
from rori_spiders.exceptions import ActionRefused, UnknownName, UsageError
from rori_spiders.ledger.pages import held_pages
from rori_spiders.ledger.runs import crawl_summaries, frontier, run_records
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import program_name
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.terminal.listing import print_hint
from rori_spiders.urls.canonical import normalise_url

#: How many pages and runs are listed.
_MAX_HELD_SHOWN = 20
_MAX_RUNS = 1000


def held_page_lines(conn: Connection, run_id: str) -> Iterator[str]:
    """The pages that the run holds and those accepted, with the commands to type; no lines if there are none."""
    if run_records.get_run(conn, run_id).state == SUSPECT:
        yield f"Too few pages. To accept the page count: {accept_command(run_id)}"
    urls = held_pages.list_held_urls(conn, run_id)
    if urls:
        yield "Held for review:"
    for url in urls[:_MAX_HELD_SHOWN]:
        row = frontier.find_url(conn, run_id, url)
        yield f"  {escape_one_line(url)}  {escape_one_line((row and row.reason) or '')}"
        yield f"      {accept_command(run_id, url)}"
    if len(urls) > 1:
        yield f"  all {len(urls)}: {accept_command(run_id)}"
    for done in held_pages.list_acceptances(conn, run_id)[-_MAX_HELD_SHOWN:]:
        who = f"{done['at']:%Y-%m-%d %H:%M} UTC by {done['actor']}: {done['reason']}"
        yield f"Accepted {escape_one_line(who)}"
        yield f"  {escape_one_line(done['details']['url'])}  {done['details']['path'] or 'text unchanged'}"


def held_run_lines(conn: Connection, run_ids: Collection[str]) -> Iterator[str]:
    """The newest of these runs per source that holds pages, with the command to type."""
    listed: set[str] = set()
    for run_id, source, pages in held_pages.runs_with_held_pages(conn, _MAX_RUNS):
        if run_id in run_ids and source not in listed:
            listed.add(source)
            yield f"{source}: {pages} page{'s' * (pages != 1)} held for review: {accept_command(run_id)}"


def accept_command(run_id: str, url: str | None = None) -> str:
    """The command that accepts one page of a run, or all."""
    one = f" --url {shlex.quote(escape_one_line(url))}" if url else ""
    return f"{program_name()} runs accept {run_id}{one} --reason TEXT"


def choose_held_urls(conn: Connection, run_id: str, url: str | None) -> list[str]:
    """The pages to accept: all held pages, or the one at *url*. UsageError, listing alternatives, if there is none.

    A run that is suspect as a whole may hold no pages.
    """
    urls = held_pages.list_held_urls(conn, run_id)
    if not urls and url is None and run_records.get_run(conn, run_id).state == SUSPECT:
        return []
    if not urls:
        done = len(held_pages.list_acceptances(conn, run_id))
        were = (
            f": {done} page{'s' * (done != 1)} of it {'were' if done != 1 else 'was'} accepted before" if done else ""
        )
        raise ActionRefused(f"run {run_id} holds nothing to accept{were}. {describe_other_held_runs(conn)}")
    if url is None:
        return urls
    try:
        wanted = normalise_url(url)
    except ValueError as error:
        raise UsageError(f"--url: {error}") from None
    if wanted not in urls:
        raise UnknownName(f"run {run_id} does not hold {wanted}. Held pages:\n{_limit_lines(urls)}")
    return [wanted]


def describe_other_held_runs(conn: Connection) -> str:
    """A message that lists the runs with held pages."""
    found = held_pages.runs_with_held_pages(conn, _MAX_HELD_SHOWN)
    if not found:
        return "No run holds pages for review."
    return "Runs with held pages:\n" + _limit_lines(
        f"{run_id}  {source}, {pages} page{'s' * (pages != 1)}" for run_id, source, pages in found
    )


def _limit_lines(lines: Sequence[str] | Iterator[str]) -> str:
    every = list(lines)
    more = [f"  and {len(every) - _MAX_HELD_SHOWN} more"] if len(every) > _MAX_HELD_SHOWN else []
    return "\n".join([*(f"  {escape_one_line(line)}" for line in every[:_MAX_HELD_SHOWN]), *more])


def accept_urls(context: ReviewContext, run_id: str, urls: Sequence[str], by: Reviewer, *, whole: bool) -> int:
    """Accept *urls* one by one and print each result; with *whole*, also the page count. Return the exit code."""
    if mended := recover_staging(context.ledger, context.store, context.clock()):
        print(f"Repaired what a lost job had left unfinished: {mended}.")
    declined = _accept_pages(context, run_id, urls, by) if urls else 0
    if whole:
        with context.ledger.begin() as conn:
            good = accept_page_count(conn, run_id, by, context.clock())
        if good is not None:
            print(f"accepted      the run: its baseline is now {format_count(good, 'page')}")
    if declined < len(urls) or whole:
        refresh_run_summary(context, run_id)
    print_hint(f"Details: scrapy runs show {run_id}")
    return 1 if declined else 0


def _accept_pages(context: ReviewContext, run_id: str, urls: Sequence[str], by: Reviewer) -> int:
    """Accept *urls*; return how many could not be accepted."""
    declined = 0
    acceptor = Acceptor(context, run_id)
    try:
        for url in urls:
            try:
                done = acceptor.accept(url, by)
            except NotAcceptable as error:
                declined += 1
                print(f"not accepted  {escape_one_line(url)}: {escape_one_line(str(error))}")
            else:
                what = f"gone, as {done.path}" if done.is_gone else done.path
                print(f"accepted      {escape_one_line(url)}: {what or 'text unchanged'}")
    finally:
        acceptor.close()
    print(f"{len(urls) - declined} of {len(urls)} pages accepted.")
    return declined


# A run's crawl summary: coverage of the publisher's own lists, with missing pages.

#: How many missing pages are listed; the file has more.
_MAX_URLS_SHOWN = 20
_WORDS = {"elsewhere": "found at another URL", "not_asked": "not requested"}
_STATES = ("captured", "unchanged", "elsewhere", "excluded", "failed", "gone", "pending", "not_asked")


def newest_summary(conn: Connection, run_id: str) -> dict[str, Any] | None:
    """The run's newest summary, or None."""
    row = crawl_summaries.newest_summary(conn, run_id)
    document: dict[str, Any] | None = None if row is None else json.loads(row.text)
    return document


def summary_lines(conn: Connection, run_id: str) -> Iterator[str]:
    """The lines of the summary under a run's facts; none without a summary."""
    row = crawl_summaries.newest_summary(conn, run_id)
    if row is None:
        return
    document = json.loads(row.text)
    yield from (f"Note: {escape_one_line(note)}" for note in document["notes"])
    yield "Coverage of the publisher's lists:"
    lists = document["coverage"]
    for one in lists:
        yield from _document_lines(one)
    if not lists:
        yield "  none: no sitemap and no table of contents was read"
    yield f"  Full summary: {row.path} in the staging area{'' if row.written else ' (not written yet)'}"


def _document_lines(one: dict[str, Any]) -> Iterator[str]:
    parts = [f"{one[state]} {_WORDS.get(state, state)}" for state in _STATES if one[state]]
    more = " (list truncated)" if one["cut"] else ""
    yield f"  {_display_title(one)}: {one['listed']} pages{more} = {' + '.join(parts) or 'none'}"
    for reason, number in list(one["excluded_by"].items())[:_MAX_URLS_SHOWN]:
        yield f"      {number:>5} excluded: {escape_one_line(reason)}"
    for page in one["missing"][:_MAX_URLS_SHOWN]:
        yield f"      missing: {escape_one_line(page['url'])}  {page['state']}: {escape_one_line(page['reason'])}"
    if one["missing_in_all"] > _MAX_URLS_SHOWN:
        yield f"      and {one['missing_in_all'] - _MAX_URLS_SHOWN} more missing"


def _display_title(one: dict[str, Any]) -> str:
    on = one["listed_on"]
    if one["listed_by"] == "api":
        return "API lists"
    if one["listed_by"] == "contents":
        return f"table of contents {escape_one_line(on[0])}"
    if one["listed_by"] == "feed":
        return f"feed {escape_one_line(on[0])}" if len(on) == 1 else f"{len(on)} feeds"
    return f"sitemap {escape_one_line(on[0])}" if len(on) == 1 else f"{len(on)} sitemaps"
