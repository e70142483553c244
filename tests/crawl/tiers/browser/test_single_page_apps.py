"""An application of one page answers every address: what it shows where it has no page is told, and is no content."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import ReasonCode
from rori_spiders.workers.assessment import UnknownAddress, assess_response
from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.cases import cases
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

_APP = """<!DOCTYPE html><html><head><title>Register of lenders</title></head><body><div id="root"></div><script>
const more = 'Whoever wants to complain about a licensed lender writes to the division, '
  + 'which answers within thirty days.';
const firms = {1: 'Acme Lending LLC holds license 4411 of the State of Ohio since March 2011; it is ' +
    'in good standing. ' + more,
  2: 'Birch Home Loans Inc. holds license 5120 of the State of Ohio since May 2016; ' +
    'it surrendered it in 2021. ' + more};
const id = location.pathname.split('/').pop();
const list = [1, 2, 99].map(one => `<li><a href="/react/firm/${one}">Firm number ${one} of the register</a></li>`);
const none = `There is no firm ${id} in this register. Check the number, or go back to the list of all firms.`;
document.getElementById('root').innerHTML = location.pathname === '/react/'
  ? `<h1>Register</h1><p>The lenders that hold a license, by the number of their entry. ${more}</p>
    <ul>${list.join('')}</ul>`
  : `<h1>Firm ${id}</h1><p>${firms[id] ?? none}</p>`;
</script></body></html>"""
_SHOWN = "<html><title>Register</title><body><h1>Firm {}</h1><p>{}</p></body></html>"


@pytest.mark.crawl
@pytest.mark.timeout(300)
def test_browser_page_that_an_application_does_not_know_is_a_soft_404(
    new_site: Callable[[], Site], shared: Project
) -> None:
    site = new_site()
    site.page("/react/", _APP)
    site.page("/react/firm/*", _APP)
    MarkedChromium(shared, QUICK_CHROMIUM)
    config = {"browser_budget": 6, "sitemaps": []}
    shared.manifest([source("app", site.at("/react/"), "crawl", scrape_config=config)], delay_s=0.05)
    done = shared.scrapy("collect", timeout=250)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    crawl_output = CrawlOutput(shared)
    ends = {path: reason.code for path, (_, reason) in crawl_output.urls("app").items()}
    assert ends == {
        "/react/": ReasonCode.CAPTURED,
        "/react/firm/1": ReasonCode.CAPTURED,
        "/react/firm/2": ReasonCode.CAPTURED,
        "/react/firm/99": ReasonCode.SOFT_404,
    }
    run = crawl_output.last_run("app")
    [unknown] = [hit for hit in site.log.hits() if "no-such-page" in hit.path]
    assert run["browser_pages"] == 5  # it is one of the budget
    compared = {}
    for row in crawl_output.rows("SELECT url, attempts FROM audit WHERE kind = 'page'"):
        for step in json.loads(row["attempts"])[-1].get("steps", ()):
            compared[row["url"].rpartition("/")[2]] = (step["step"], step["target"], step["result"])
    target = ("compare_unknown_address", site.at(unknown.path))
    assert compared == {
        "1": (*target, "another text"),
        "2": (*target, "another text"),
        "99": (*target, "the same text"),
    }


def _verdict(text: str, words: dict[str, int] | None, url: str = "https://x.gov/firm/99") -> str:
    unknown = UnknownAddress("https://x.gov/firm/no-such-page-1", None if words is None else Counter(words))
    body = _SHOWN.format("99", text).encode()
    headers = {"Content-Type": "text/html; charset=utf-8"}
    made = assess_response(
        status=200, url=url, headers=headers, body=body, known=None, is_measured=True, unknown=unknown
    )
    return made.verdict.kind


def test_assess_response_figures_of_a_page_are_not_its_address() -> None:
    unknown = {"Firm": 1, "no-such-page-1": 1, "Rate": 1, "is": 1, "unknown.": 1}
    assert _verdict("Rate is unknown.", unknown) == "soft_404"
    assert _verdict("Rate is 5.3%.", unknown) == "content"
    assert _verdict("Rate 7 is unknown.", unknown) == "content"
    assert _verdict("Rate is unknown.", None) == "content"


def test_assess_response_times_and_numbers_of_errors_are_no_other_text() -> None:
    unknown = {"Firm": 1, "no-such-page-1": 1, "Gone": 1, "at": 1, "2:36:03.": 1, "Reference:": 1, "8f3a12bc": 1}
    assert _verdict("Gone at 2:36:09. Reference: 0c7e55d1", unknown) == "soft_404"
    assert _verdict("Gone at 2:36:09. Reference: 5550123", unknown) == "content"


@cases(
    ("shown", "verdict"),
    [
        ("Acme Lending LLC, license 4411.", "content"),
        ("Acme Lending LLC, license.", "js_shell"),  # no figure
        ("License 4411.", "js_shell"),
        ("Loading Acme Lending LLC, license 4411.", "js_shell"),
        ("Something went wrong with request 4411, write to us.", "js_shell"),
        ("Reference 4411: the service did answer nothing.", "js_shell"),
        ("Complaint 3391 of May 2020. The company did not answer in time and paid a fine of $2,500.", "content"),
        ("License 88213 expired in 2019. The firm may not lend again; no order was issued by the state.", "content"),
        ("Record 4411 could be read by nobody so far. Check the number and look for it once more.", "js_shell"),
        ("The server answered after 30 seconds with the first 20 rows of 400 in the table of firms.", "js_shell"),
    ],
)
def test_assess_response_short_record_is_more_than_an_unknown_address_shows(shown: str, verdict: str) -> None:
    unknown = {"Firm": 1, "no-such-page-1": 1, "Nobody": 1, "has": 1, "this.": 1}
    assert _verdict(f'<b id="root">{shown}</b><script>1</script>', unknown) == verdict


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [
        ("Loading ...", "js_shell"),
        ("No such firm.", "soft_404"),
        ("Nothing is here.", "soft_404"),
        ("Register", "js_shell"),
    ],
)
def test_assess_response_shell_is_missing_only_if_it_says_so(shown: str, verdict: str) -> None:
    words = Counter(["Firm", "no-such-page-1", *shown.split()])
    assert _verdict(f'<b id="root">{shown}</b><script>1</script>', words) == verdict
