"""A run's own bookkeeping: what is known, what is out, how it ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from rori_spiders.crawl.runs.baseline import Baseline
from rori_spiders.crawl.runs.run import Run, RunFrontier, SourceHistory, StartOutcome, judge_run
from rori_spiders.items import FrontierUrl
from rori_spiders.manifest.models import Expectation
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import COMPLETE, Reason
from rori_spiders.urls.canonical import url_hash
from tests.manifest.examples import load, source
from tests.support.cases import cases

START = "https://www.hud.gov/"


def made(history: SourceHistory | None = None, **config: Any) -> Run:
    """A run of a site source with this `scrape_config`."""
    [one] = load(source(id="hud", url=START, domain="hud.gov", scrape_config=config)).manifest.sources
    return Run("run-1", one, Scope(one), "1.0.0", datetime(2026, 2, 13, tzinfo=UTC), history=history)


def visit(path: str, depth: int = 1, kind: str = "page") -> FrontierUrl:
    return FrontierUrl("run-1", "hud", f"{START}{path}", kind=kind, depth=depth)


def test_run_frontier_url_is_added_once() -> None:
    run = made()
    assert run.frontier.accept(visit("a"))
    assert not run.frontier.accept(visit("a", depth=2))
    assert (run.frontier.pages_outstanding, run.frontier.pages_known, run.frontier.is_done) == (1, 1, False)


def test_run_frontier_settled_url_is_not_added_again() -> None:
    run = made()
    run.frontier.accept(visit("a"))
    run.frontier.settle(visit("a"), "captured", changed=True)
    assert run.frontier.is_done
    assert not run.frontier.accept(visit("a"))
    assert (run.frontier.tally["captured"], run.frontier.changed_pages) == (1, 1)


def test_run_counts_only_pages() -> None:
    run = made()
    run.frontier.accept(visit("sitemap.xml", kind="sitemap"))
    assert (run.frontier.pages_outstanding, run.frontier.is_done) == (0, False)
    run.frontier.settle(visit("sitemap.xml", kind="sitemap"), "captured", changed=False)
    assert (sum(run.frontier.tally.values()), run.frontier.is_done) == (0, True)


def test_run_frontier_restored_pending_urls_are_outstanding() -> None:
    run = made()
    run.frontier.restore({url_hash(f"{START}a"), url_hash(f"{START}b")}, [visit("b")], {})
    assert run.frontier.load([visit("a"), visit("b")]) == [visit("b")]
    assert list(run.frontier.outstanding) == [url_hash(f"{START}b")]
    assert run.frontier.classify([visit("a"), visit("b"), visit("c")])[0] == [visit("c")]


def test_run_frontier_pages_beyond_limit_are_stored() -> None:
    run = made(SourceHistory(missing={url_hash(f"{START}a")}))
    run.frontier.limit_requests(2)
    found = [replace(visit(name), found_by="link") for name in "abcde"]
    found[3] = replace(found[3], hops=1)
    found.append(visit("list", kind="sitemap"))
    made_now = run.frontier.admit(run.frontier.classify(found).accepted)
    assert [one.url[-1] for one in made_now] == ["b", "c", "d", "t"]  # what was missing goes last
    assert (run.frontier.stored, run.frontier.pages_known, run.frontier.is_done) == (2, 5, False)
    assert run.frontier.is_pending(url_hash(f"{START}a"))
    assert run.frontier.classify(found) == ([], [], [])
    for one in made_now:
        run.frontier.settle(one, "captured", changed=False)
    assert (run.frontier.wanted_from_ledger, run.frontier.is_done) == ({"": 2}, False)
    assert run.frontier.load(found) == [found[0], found[4]]
    for one in (found[0], found[4]):
        run.frontier.settle(one, "captured", changed=False)
    assert (run.frontier.is_done, run.frontier.lists_outstanding, run.frontier.pages_known) == (True, 0, 5)


def test_run_frontier_each_group_of_hosts_has_its_requests() -> None:
    manifest = load(source(id="hud", url=START, domain="hud.gov", allowed_hosts=["other.gov"])).manifest
    [one] = manifest.sources
    frontier = RunFrontier(one, Scope(one), group_of=lambda host: host.removeprefix("www."))
    frontier.limit_requests(4)  # two a group
    found = [replace(visit(name), found_by="link") for name in "abc"]
    found += [replace(at, url=at.url.replace("www.hud.gov", "other.gov")) for at in found]
    made_now = frontier.admit(frontier.classify(found).accepted)
    assert made_now == [*found[:2], *found[3:5]]
    assert (frontier.wanted_from_ledger, frontier.stored) == ({}, 2)
    frontier.settle(found[3], "captured", changed=False)
    assert frontier.wanted_from_ledger == {"other.gov": 1}
    assert [frontier.group_of_stored(at) for at in found[2:4]] == ["hud.gov", None]


def test_run_frontier_url_too_deep_waits_for_shorter_path() -> None:
    run = made(max_depth=2)
    found = run.frontier.classify([visit("a", depth=2), visit("b", depth=3), visit("c", depth=4)])
    assert found == ([visit("a", depth=2)], [], [visit("b", depth=3), visit("c", depth=4)])
    assert run.frontier.classify([visit("b", depth=1), visit("c", depth=3)]) == ([visit("b", depth=1)], [], [])
    assert run.frontier.pages_known == 2


def test_run_frontier_url_without_shorter_path_is_excluded() -> None:
    run = made(max_depth=2)
    run.frontier.classify([visit("a", depth=3)])
    assert run.frontier.is_done
    assert run.frontier.exclude_deferred() == [(visit("a", depth=3), Reason("max_depth", limit=2))]
    assert run.frontier.exclude_deferred() == []
    assert run.frontier.tally["excluded"] == 1
    assert run.frontier.classify([visit("a", depth=1)]) == ([], [], [])


def test_run_frontier_restored_url_too_deep_still_waits() -> None:
    run = made(max_depth=2)
    left = [visit("a", depth=2), visit("b", depth=3)]
    run.frontier.restore({url_hash(one.url) for one in left}, left, {})
    assert run.frontier.load(left) == left[:1]
    assert run.frontier.classify([visit("b", depth=1)]).accepted == [visit("b", depth=1)]


def test_run_frontier_pages_beyond_cap_are_excluded() -> None:
    run = made(max_pages=2)
    accepted, excluded, _ = run.frontier.classify([visit("a"), visit("b"), visit("c")])
    assert [one.url for one in accepted] == [f"{START}a", f"{START}b"]
    assert excluded == [(visit("c"), Reason("max_pages", limit=2))]
    run.frontier.settle(visit("a"), "captured", changed=True)
    run.frontier.settle(visit("b"), "failed", changed=False)
    assert run.frontier.classify([visit("d")]) == ([], [(visit("d"), Reason("max_pages", limit=2))], [])


def test_run_frontier_cap_leaves_room_for_held_pages() -> None:
    new, newer, a, b = (replace(visit(path), found_by="link") for path in ("new", "newer", "a", "b"))
    held = frozenset({url_hash(a.url), url_hash(b.url)})
    run = made(max_pages=3, history=SourceHistory(held=held))
    assert run.frontier.classify([new, newer, a, b])[:2] == ([new, a, b], [(newer, Reason("max_pages", limit=3))])

    lowered = made(max_pages=1, history=SourceHistory(held=held))
    start = visit("start")
    assert lowered.frontier.classify([start, a])[:2] == ([start], [(a, Reason("max_pages", limit=1))])

    resumed = made(max_pages=3, history=SourceHistory(held=held))
    resumed.frontier.restore(held, [], {"unchanged": 2})
    assert resumed.frontier.classify([new]).accepted == [new]


def test_run_frontier_caps_apply_to_pages_only() -> None:
    run = made(max_pages=1, max_depth=1)
    sitemap = visit("deep/sitemap.xml", depth=9, kind="sitemap")
    assert run.frontier.classify([visit("a"), sitemap]) == ([visit("a"), sitemap], [], [])


def counts(**states: int) -> dict[str, int]:
    """Ledger counts in which everything that was discovered has the states given."""
    return {"discovered": sum(states.values()), **states}


GOOD = StartOutcome("captured", "", "captured")
STOPPED = Reason("stopped", error="by a test")


@cases(
    ("states", "start", "stopped", "min_pages", "state", "reason"),
    [
        (counts(captured=5), GOOD, None, None, "complete", COMPLETE),
        (counts(unchanged=5), StartOutcome("unchanged", "", "same_text"), None, 5, "complete", COMPLETE),
        (counts(captured=2, excluded=90, gone=1), GOOD, None, None, "complete", COMPLETE),
        (counts(captured=2, failed=2), GOOD, None, None, "complete", COMPLETE),
        (counts(captured=2, failed=3), GOOD, None, None, "failed", Reason("mostly_failed", failed=3, tried=5)),
        (
            counts(captured=4),
            GOOD,
            None,
            5,
            "failed",
            Reason("below_min_pages", pages=4, limit=5, note="52 sections on 2026-02-13"),
        ),
        (
            counts(failed=1),
            StartOutcome("failed", "Timeout", "timeout"),
            None,
            None,
            "failed",
            Reason("start_failed", error="Timeout"),
        ),
        (counts(gone=1), StartOutcome("gone", "", "gone"), None, None, "failed", Reason("start_failed", error="")),
        (
            counts(excluded=1),
            StartOutcome("excluded", "", "robots_disallowed"),
            None,
            None,
            "failed",
            Reason("start_excluded", error=""),
        ),
        (counts(captured=3, pending=2), GOOD, STOPPED, None, "partial", STOPPED.extended(pending=2, discovered=5)),
        (counts(captured=3, pending=1), GOOD, STOPPED, None, "partial", STOPPED.extended(pending=1, discovered=4)),
        (counts(pending=1), None, STOPPED, None, "partial", STOPPED.extended(pending=1, discovered=1)),
        (counts(failed=1), None, None, None, "failed", Reason("mostly_failed", failed=1, tried=1)),
        (
            counts(captured=1),
            GOOD,
            None,
            2,
            "failed",
            Reason("below_min_pages", pages=1, limit=2, note="52 sections on 2026-02-13"),
        ),
        (counts(captured=5), GOOD, STOPPED, None, "complete", COMPLETE),
        (
            counts(captured=3, pending=2),
            GOOD,
            None,
            None,
            "incomplete",
            Reason("urls_pending", pending=2, discovered=5),
        ),
        (
            {"discovered": 6, "captured": 5},
            GOOD,
            None,
            None,
            "incomplete",
            Reason("urls_pending", pending=1, discovered=6),
        ),
        (
            {"discovered": 4, "captured": 5},
            GOOD,
            None,
            None,
            "incomplete",
            Reason("urls_pending", pending=-1, discovered=4),
        ),
        (counts(captured=1), None, None, None, "complete", COMPLETE),
    ],
)
def test_run_outcome_follows_counts(
    states: dict[str, int],
    start: StartOutcome | None,
    stopped: Reason | None,
    min_pages: int | None,
    state: str,
    reason: Reason,
) -> None:
    expect = Expectation(min_pages=min_pages, why="52 sections on 2026-02-13")
    outcome = judge_run(states, start=start, stopped=stopped, expect=expect)
    assert outcome.state == state
    assert outcome.reason == reason and outcome.reason.code == reason.code


@cases(
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
def test_run_outcome_below_half_of_baseline_is_suspect(good: int, earlier_pages: tuple[int, ...], state: str) -> None:
    run, found = (
        made(SourceHistory(baseline=Baseline(earlier_pages))),
        {"discovered": good + 3, "unchanged": good, "excluded": 3},
    )
    run.frontier.restore(set(), [], {"unchanged": good})
    outcome = judge_run(found, start=GOOD, stopped=None, expect=None, baseline=Baseline(earlier_pages))
    assert outcome.state == state
    assert (run.below_baseline is not None) == (state == "suspect")
    if state == "suspect":
        assert outcome.reason == Reason("below_baseline", **(Baseline(earlier_pages).missed_by(good) or {}))


def test_run_outcome_with_unread_sitemaps_is_incomplete() -> None:
    outcome = judge_run(counts(captured=1), start=GOOD, stopped=STOPPED, expect=None, unread=1)
    assert outcome.state == "partial"
    assert outcome.reason == STOPPED.extended(pending=0, discovered=1) and outcome.reason.detail["lists"] == 1


def test_run_frontier_url_excluded_by_type_has_reason() -> None:
    run = made()
    picture = FrontierUrl("run-1", "hud", f"{START}seal.png", depth=1, found_by="link")
    page = FrontierUrl("run-1", "hud", f"{START}rule.pdf", depth=1, found_by="link")
    accepted, excluded, _ = run.frontier.classify([picture, page])
    assert accepted == [page]
    assert excluded == [(picture, Reason("not_a_document", rule=".png"))]


@pytest.mark.parametrize(
    ("states", "state"), [({"captured": 1, "failed": 2}, "failed"), ({"captured": 2}, "incomplete")]
)
def test_run_outcome_unknown_pages_take_precedence_over_failed_sum(states: dict[str, int], state: str) -> None:
    """Accepting pages mends the sum: the run must not be complete by that."""
    unknown = Reason("pages_unknown", error="a list broke off")
    outcome = judge_run(counts(**states), start=GOOD, stopped=None, expect=None, incomplete=unknown)
    assert (outcome.state, outcome.reason) == (state, unknown)


@cases(
    ("states", "unrendered", "state", "code"),
    [
        ({"captured": 5, "failed": 8}, 8, "incomplete", "pages_unrendered"),
        ({"captured": 5, "failed": 8}, 2, "failed", "mostly_failed"),
        ({"captured": 5, "failed": 5}, 5, "complete", None),
        ({"failed": 3}, 3, "failed", "pages_unrendered"),
    ],
)
def test_run_outcome_pages_that_the_budget_left_are_no_failure_of_the_site(
    states: dict[str, int], unrendered: int, state: str, code: str | None
) -> None:
    """Five failed runs in a row pause a source: a site that is rendered in parts would never be read to its end."""
    outcome = judge_run(counts(**states), start=None, stopped=None, expect=None, unrendered=unrendered)
    assert (outcome.state, outcome.reason.code if outcome.reason else None) == (state, code)
