"""A run's own bookkeeping: what is known, what is out, how it ended."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from rori_spiders.crawl.runs.baseline import Baseline
from rori_spiders.crawl.runs.run import Run, SourceHistory, judge_run
from rori_spiders.items import FrontierUrl
from rori_spiders.manifest.models import Expectation
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import Reason
from rori_spiders.urls.canonical import url_hash
from tests.manifest.examples import load, source

START = "https://www.hud.gov/"


def made(history: SourceHistory | None = None, **config: Any) -> Run:
    """A run of a site source with this `scrape_config`."""
    [one] = load(source(id="hud", url=START, domain="hud.gov", scrape_config=config)).manifest.sources
    return Run("run-1", one, Scope(one), "1.0.0", datetime(2026, 2, 13, tzinfo=UTC), history=history)


def visit(path: str, depth: int = 1, kind: str = "page") -> FrontierUrl:
    return FrontierUrl("run-1", "hud", f"{START}{path}", kind=kind, depth=depth)


def test_a_url_is_taken_once() -> None:
    run = made()
    assert run.frontier.accept(visit("a"))
    assert not run.frontier.accept(visit("a", depth=2))
    assert (run.frontier.pages_outstanding, run.frontier.pages_known, run.frontier.is_done) == (1, 1, False)


def test_what_is_settled_is_not_taken_again() -> None:
    run = made()
    run.frontier.accept(visit("a"))
    run.frontier.settle(visit("a"), "captured", changed=True)
    assert run.frontier.is_done
    assert not run.frontier.accept(visit("a"))
    assert (run.frontier.tally["captured"], run.frontier.changed_pages) == (1, 1)


def test_only_pages_are_counted() -> None:
    run = made()
    run.frontier.accept(visit("sitemap.xml", kind="sitemap"))
    assert (run.frontier.pages_outstanding, run.frontier.is_done) == (0, False)
    run.frontier.settle(visit("sitemap.xml", kind="sitemap"), "captured", changed=False)
    assert (sum(run.frontier.tally.values()), run.frontier.is_done) == (0, True)


def test_what_was_left_pending_is_out() -> None:
    run = made()
    run.frontier.restore({url_hash(f"{START}a"), url_hash(f"{START}b")}, [visit("b")], {})
    assert list(run.frontier.outstanding) == [url_hash(f"{START}b")]
    assert run.frontier.classify([visit("a"), visit("b"), visit("c")])[0] == [visit("c")]


def test_deeper_than_allowed_is_excluded_with_the_reason() -> None:
    run = made(max_depth=2)
    accepted, excluded = run.frontier.classify([visit("a", depth=2), visit("b", depth=3)])
    assert accepted == [visit("a", depth=2)]
    assert excluded == [(visit("b", depth=3), Reason("max_depth", limit=2))]
    assert run.frontier.tally["excluded"] == 1
    assert run.frontier.pages_known == 1


def test_more_pages_than_allowed_are_excluded_with_the_reason() -> None:
    run = made(max_pages=2)
    accepted, excluded = run.frontier.classify([visit("a"), visit("b"), visit("c")])
    assert [one.url for one in accepted] == [f"{START}a", f"{START}b"]
    assert excluded == [(visit("c"), Reason("max_pages", limit=2))]
    run.frontier.settle(visit("a"), "captured", changed=True)
    run.frontier.settle(visit("b"), "failed", changed=False)
    assert run.frontier.classify([visit("d")]) == ([], [(visit("d"), Reason("max_pages", limit=2))])


def test_caps_are_for_pages_alone() -> None:
    run = made(max_pages=1, max_depth=1)
    sitemap = visit("deep/sitemap.xml", depth=9, kind="sitemap")
    assert run.frontier.classify([visit("a"), sitemap]) == ([visit("a"), sitemap], [])


def counts(**states: int) -> dict[str, int]:
    """Ledger counts in which everything that was discovered has the states given."""
    return {"discovered": sum(states.values()), **states}


GOOD = ("captured", "")


@pytest.mark.parametrize(
    ("given", "start", "stopped", "min_pages", "state", "words"),
    [
        (counts(captured=5), GOOD, None, None, "complete", ""),
        (counts(unchanged=5), ("unchanged", ""), None, 5, "complete", ""),
        (counts(captured=2, excluded=90, gone=1), GOOD, None, None, "complete", ""),
        (counts(captured=2, failed=2), GOOD, None, None, "complete", ""),
        (counts(captured=2, failed=3), GOOD, None, None, "failed", "3 of 5"),
        (counts(captured=4), GOOD, None, 5, "failed", "at least 5 are expected (52 sections on 2026-02-13)"),
        (counts(failed=1), ("failed", "timeout"), None, None, "failed", "the start URL failed: timeout"),
        (counts(gone=1), ("gone", "not_found"), None, None, "failed", "the start URL failed"),
        (counts(excluded=1), ("excluded", Reason("robots_disallowed")), None, None, "failed", "may not be fetched"),
        (counts(captured=3, pending=2), GOOD, "stopped by hand", None, "partial", "2 of 5 URLs remain"),
        (counts(captured=3, pending=1), GOOD, "stopped by hand", None, "partial", "1 of 4 URLs remains"),
        (counts(pending=1), None, "stopped by hand", None, "partial", "1 of 1 URL remains"),
        (counts(failed=1), None, None, None, "failed", "1 of 1 URL that the run tried failed"),
        (counts(captured=1), GOOD, None, 2, "failed", "1 page where at least 2 are expected"),
        (counts(captured=5), GOOD, "stopped by hand", None, "complete", ""),
        (counts(captured=3, pending=2), GOOD, None, None, "incomplete", "2 pending"),
        ({"discovered": 6, "captured": 5}, GOOD, None, None, "incomplete", "6 URLs discovered, 5 ended"),
        ({"discovered": 4, "captured": 5}, GOOD, None, None, "incomplete", "4 URLs discovered, 5 ended"),
        (counts(captured=1), None, None, None, "complete", ""),
    ],
)
def test_how_a_run_ended(
    given: dict[str, int],
    start: tuple[str, str] | None,
    stopped: str | None,
    min_pages: int | None,
    state: str,
    words: str,
) -> None:
    expect = Expectation(min_pages=min_pages, why="52 sections on 2026-02-13")
    outcome = judge_run(given, start=start, stopped=stopped, expect=expect)
    assert outcome.state == state
    assert words in (outcome.reason or "")
    assert (outcome.reason is None) == (state == "complete")


@pytest.mark.parametrize(
    ("good", "earlier_pages", "state"),
    [
        (20, (40,), "complete"),
        (19, (40,), "suspect"),
        (20, (41,), "suspect"),
        (20, (39, 1000, 40), "complete"),  # one run that found too much does not set the mark
        (0, (1,), "suspect"),
        (1, (2, 2, 2), "complete"),
    ],
)
def test_under_half_of_the_baseline_is_suspect(good: int, earlier_pages: tuple[int, ...], state: str) -> None:
    run, found = (
        made(SourceHistory(baseline=Baseline(earlier_pages))),
        {"discovered": good + 3, "unchanged": good, "excluded": 3},
    )
    run.frontier.restore(set(), [], {"unchanged": good})
    outcome = judge_run(found, start=GOOD, stopped=None, expect=None, baseline=Baseline(earlier_pages))
    assert outcome.state == state
    assert (run.below_baseline is not None) == (state == "suspect")
    if state == "suspect":
        assert re.match(f"{good} pages?; the baseline is {Baseline(earlier_pages).pages:g} ", outcome.reason or "")


def test_a_run_that_has_not_read_its_sitemaps_is_not_complete() -> None:
    outcome = judge_run(counts(captured=1), start=GOOD, stopped="stopped by hand", expect=None, unread=1)
    assert outcome.state == "partial"
    assert outcome.reason == "stopped by hand; 0 of 1 URL and 1 list of pages remain"


def test_what_is_no_document_is_excluded_with_the_reason() -> None:
    run = made()
    picture = FrontierUrl("run-1", "hud", f"{START}seal.png", depth=1, found_by="link")
    page = FrontierUrl("run-1", "hud", f"{START}rule.pdf", depth=1, found_by="link")
    accepted, excluded = run.frontier.classify([picture, page])
    assert accepted == [page]
    assert excluded == [(picture, Reason("not_a_document", rule=".png"))]
