"""The ladder in a real crawl, with a real browser: who is asked, how often, and what is made of the answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_SENTENCE = "A creditor shall disclose the finance charge clearly and conspicuously in writing. "


def short(title: str, *, more: str = "", script: bool = True) -> str:
    """A page with some 250 characters of text; its script, if it has one, adds *more*."""
    code = f"<script>document.getElementById('more').innerHTML = `{more}`</script>" if script else ""
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{_SENTENCE * 3}</p>"
        f"<div id='more'></div></main>{code}</body></html>"
    )


SHELL = '<!DOCTYPE html><html><head><title>App</title></head><body><div id="root"></div>{}</body></html>'
WRITTEN = SHELL.format(
    f"<script>document.getElementById('root').innerHTML = `<h1>App</h1><p>{_SENTENCE * 12}</p>`</script>"
)
NOT_THERE = (
    "<html><title>Page not found</title><h1>Page not found</h1><p>Sorry, the page that you requested could not be "
    "found. It may have been moved or deleted.</p></html>"
)
MORE = f"<p>{_SENTENCE * 12}</p>"


class FakeTiers:
    """One collection of sources of one page each, on one site and a fenced one; and a second collection."""

    def __init__(self, project: Project, site: Site, fenced: Site) -> None:
        self.site, self.fenced, self.left = site, fenced, CrawlOutput(project)
        site.robots("User-agent: *\nDisallow: /private\n")
        for path in ("/thin", "/again", "/removed"):
            site.page(path, short("Thin", more=MORE))
        site.page("/short", short("Short"))
        site.page("/expected", short("Expected"))
        site.page("/low", short("Low"))
        for path in ("/shell", "/never", "/private/shell"):
            site.page(path, WRITTEN)
        fenced.page("/shell", WRITTEN)
        site.page("/always", page("Always"))
        site.page("/none", page("None"))
        site.page("/long", page("Long"))
        site.page("/careers/clerk", page("Careers"))
        site.status("/forbidden", 403, body="<h1>Forbidden</h1>")
        site.status("/missing", 404)
        site.status("/down", 503)
        listed: list[tuple[str, str, dict[str, Any]]] = [
            ("thin", "/thin", {}),
            ("again", "/again", {}),
            ("removed", "/removed", {}),
            ("short", "/short", {}),
            ("expected", "/expected", {"expect": {"must_contain": ["finance charge"], "why": "it is short"}}),
            ("low", "/low", {"min_content_chars": 200}),
            ("shell", "/shell", {}),
            ("never", "/never", {"render": "never"}),
            ("always", "/always", {"render": "always", "browser_budget": 1}),
            ("none", "/none", {"render": "always", "browser_budget": 0}),
            ("long", "/long", {}),
            ("careers", "/careers/clerk", {}),
            ("forbidden", "/forbidden", {}),
            ("missing", "/missing", {}),
            ("down", "/down", {}),
            ("private", "/private/shell", {}),
        ]
        sources = [source(name, site.at(path), scrape_config=config) for name, path, config in listed]
        project.manifest(
            [*sources, source("fenced", fenced.at("/shell"))],
            domains={site.host: {"delay_s": 0.05}, fenced.host: {"delay_s": 0.05, "tiers": ["http"]}},
        )
        project.env |= {"RORI_TIERS": "official,mediawiki,http,browser", "RORI_CHROMIUM": QUICK_CHROMIUM}
        env = {"RORI_RETRY_SCALE": "0.01"}
        self.first = project.scrapy("collect", "--force", env=env)
        self.log = self.first.stdout + self.first.stderr
        self.requested_paths = self._requested_paths()
        self.runs = {run["source_id"]: run for run in self.left.runs()}
        site.page("/again", SHELL.format("<script>1</script>"))
        site.page("/removed", NOT_THERE)
        before = len(site.log.hits())
        again = [word for name in ("thin", "again", "short", "removed") for word in ("--source", name)]
        self.second = project.scrapy("collect", "--force", *again)
        self.requests_of_second_run = [hit.path for hit in site.log.hits()[before:]]
        self.remembered = {
            row["template"].partition("/")[2]: row["tier"] for row in self.left.rows("SELECT * FROM tier_memory")
        }

    def _requested_paths(self) -> list[str]:
        return [hit.path for hit in self.site.log.hits()]

    def end(self, source_id: str) -> tuple[str, str]:
        """State and reason code of the source's page in the first collection."""
        [row] = self.left.rows(
            "SELECT state, reason_code FROM run_urls WHERE run_id = ?", self.runs[source_id]["run_id"]
        )
        return row["state"], row["reason_code"]

    def attempts(self, source_id: str, run_id: str | None = None) -> list[tuple[str, str | None, str]]:
        [row] = self.left.rows(
            "SELECT attempts, engine, verdict, reason_code FROM audit WHERE run_id = ? AND kind = 'page'",
            run_id or self.runs[source_id]["run_id"],
        )
        if row["attempts"] is None:  # an unchanged page that took one attempt has it in its row alone
            return [(row["engine"], row["verdict"], row["reason_code"])]
        return [(one["tier"], one["verdict"], one["reason_code"]) for one in json.loads(row["attempts"])]

    def engine(self, source_id: str) -> str:
        [one] = [e for e in self.left.envelopes() if e["source"]["manifest_id"] == source_id]
        return str(one["scrape"]["engine"])


@pytest.fixture(scope="module")
def tiers(shared: Project, new_site: Callable[[], Site]) -> FakeTiers:
    return FakeTiers(shared, new_site(), new_site())


def test_tiers_page_same_in_browser_is_captured_as_served(tiers: FakeTiers) -> None:
    first, second, last = tiers.attempts("short")
    assert (first, last) == (("http", "content", "thin"), ("http", "content", "captured"))
    assert second == ("browser", "content", "same_rendered")
    assert tiers.end("short") == ("captured", "captured")
    assert tiers.engine("short") == "http"
    assert tiers.requested_paths.count("/short") == 2


@pytest.mark.parametrize("name", ["thin", "shell"])
def test_tiers_thin_page_is_rendered(tiers: FakeTiers, name: str) -> None:
    kind = "js_shell" if name == "shell" else "content"
    why = "js_shell" if name == "shell" else "thin"
    assert tiers.attempts(name) == [("http", kind, why), ("browser", "content", "captured")]
    assert tiers.end(name) == ("captured", "captured")
    assert tiers.engine(name) == "browser"
    assert tiers.requested_paths.count(f"/{name}") == 2
    assert tiers.runs[name]["browser_pages"] == 1
    assert f"/{name}: http gave " in tiers.log


@pytest.mark.parametrize("name", ["expected", "low", "long"])
def test_tiers_page_meeting_expectations_is_not_rendered(tiers: FakeTiers, name: str) -> None:
    assert tiers.attempts(name) == [("http", "content", "captured")]
    assert tiers.end(name) == ("captured", "captured")
    assert tiers.requested_paths.count(f"/{name}") == 1
    assert tiers.runs[name]["browser_pages"] == 0


def test_tiers_own_careers_pages_begin_with_http(tiers: FakeTiers) -> None:
    assert tiers.attempts("careers") == [("http", "content", "captured")]


def test_tiers_render_always_begins_with_browser_within_budget(tiers: FakeTiers) -> None:
    assert tiers.attempts("always") == [("browser", "content", "captured")]
    assert tiers.end("none") == ("failed", "browser_budget_spent")
    assert tiers.requested_paths.count("/always") == 1


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("never", ("failed", "js_shell")),
        ("forbidden", ("failed", "denied")),
        ("missing", ("failed", "not_found")),
        ("private", ("excluded", "robots_disallowed")),
    ],
)
def test_tiers_final_failures_are_never_escalated(tiers: FakeTiers, name: str, end: tuple[str, str]) -> None:
    state, reason = tiers.end(name)
    assert (state, reason) == end
    assert {tier for tier, _, _ in tiers.attempts(name)} == {"http"}
    assert tiers.runs[name]["browser_pages"] == 0
    path = {"private": "/private/shell"}.get(name, f"/{name}")
    assert tiers.requested_paths.count(path) == (0 if name == "private" else 1)


def test_tiers_server_error_is_not_escalated_to_browser(tiers: FakeTiers) -> None:
    assert {tier for tier, _, _ in tiers.attempts("down")} == {"http"}
    assert tiers.requested_paths.count("/down") == 4


def test_tiers_fence_holds(tiers: FakeTiers) -> None:
    assert tiers.end("fenced") == ("failed", "js_shell")
    assert [hit.path for hit in tiers.fenced.log.hits()].count("/shell") == 1


@pytest.mark.parametrize(("name", "tier"), [("thin", "browser"), ("short", "http")])
def test_tiers_successful_tier_is_tried_first_next_time(tiers: FakeTiers, name: str, tier: str) -> None:
    """/short by plain HTTP alone, since the browser showed no more of it."""
    run_id = tiers.left.last_run(name)["run_id"]
    assert [tried for tried, _, _ in tiers.attempts(name, run_id)] == [tier]
    assert tiers.requests_of_second_run.count(f"/{name}") == 1
    assert tiers.left.states(name) == {f"/{name}": "unchanged"}


def test_tiers_failed_tier_is_forgotten_and_order_restarts(tiers: FakeTiers) -> None:
    run_id = tiers.left.last_run("again")["run_id"]
    assert [tier for tier, _, _ in tiers.attempts("again", run_id)] == ["browser", "http"]
    assert tiers.requests_of_second_run.count("/again") == 2
    assert tiers.remembered == {"thin": "browser", "removed": "browser", "short": "http", "shell": "browser"}


def test_tiers_soft_404_is_no_fault_of_the_remembered_tier(tiers: FakeTiers) -> None:
    assert tiers.left.states("removed") == {"/removed": "failed"}
    assert tiers.attempts("removed", tiers.left.last_run("removed")["run_id"])[-1][1] == "soft_404"
    assert tiers.remembered["removed"] == "browser"


def test_tiers_attempts_and_audit_agree(tiers: FakeTiers) -> None:
    tiers.left.assert_sums()
    tiers.left.assert_verified()
