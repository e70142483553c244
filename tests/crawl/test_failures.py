"""Whatever a server sends: each URL ends classified, and the pages beside it do not notice."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: Path -> how it fails, and how often it is asked (S0 §7.1).
FAILS = {
    "/404": ("not_found", 1),
    "/410": ("not_found", 1),
    "/403": ("denied", 1),
    "/500": ("server_error", 4),
    "/timeout": ("timeout", 3),
    "/dropped": ("connection_failed", 4),
    "/truncated": ("truncated", 4),
    "/endless": ("too_large", 1),
    "/large": ("too_large", 1),
    "/bomb": ("too_large", 1),
    "/torn-gzip": ("truncated", 4),
    "/bad-gzip": ("bad_encoding", 4),
    "/access": ("denied", 1),
    "/empty": ("empty", 1),
    "/blank": ("empty", 1),
    "/stub": ("redirect_without_target", 1),
}
GOOD = {"/", "/after", "/recovers", "/latin", "/lies", "/nul", "/entities"}
_ACCESS = (
    "<html><head><title>Federal Register :: Request Access</title></head><body><main><h1>Request Access</h1><p>Due to "
    "aggressive automated scraping of FederalRegister.gov and eCFR.gov, programmatic access to these sites is limited "
    "to access to our extensive developer APIs.</p><p>If you are human user receiving this message, we can add your IP "
    "address to a set of IPs that can access FederalRegister.gov &amp; eCFR.gov; complete the CAPTCHA (bot test) below "
    "and click &quot;Request Access&quot;.</p><form><div class='g-recaptcha' data-sitekey='x'></div></form>"
    "</main></body></html>"
)
_MAX_BYTES = 400_000


class Failing:
    """One site on which nearly everything is broken, and what one crawl of it left."""

    def __init__(self, project: Project, site: Site) -> None:
        self.site = site
        self.slow = site.slow("/timeout", page("Late"))
        _script(site)
        project.manifest([source("all", site.at("/"), "crawl")], delay_s=0.02)
        self.done = project.scrapy(
            "collect",
            "-s",
            "DOWNLOAD_TIMEOUT=2",
            env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.01", "RORI_MAX_BYTES": str(_MAX_BYTES)},
        )
        self.slow.release()
        self.left = CrawlOutput(project)
        self.urls = self.left.urls("all")


def _script(site: Site) -> None:
    site.page("/", page("Start", *FAILS, "/loop/a", "/deep", *sorted(GOOD - {"/"})))
    site.status("/410", 410, body=page("Gone"))
    site.status("/403", 403, body="<h1>Forbidden</h1>")
    site.status("/500", 500, body="<h1>Internal error</h1>")
    site.drop("/dropped")
    site.truncated("/truncated", page("Half a page"))
    site.endless("/endless", "<p>and so on</p>" * 4000)
    site.page("/large", page("Large", text="x" * _MAX_BYTES))
    site.bomb("/bomb", 50 * 2**20)
    site.page("/torn-gzip", gzip.compress(b"<p>torn</p>")[:-12], content_encoding="gzip")
    site.page("/bad-gzip", b"no gzip at all" * 90, content_encoding="gzip")
    site.page("/access", _ACCESS)
    site.page("/empty", "")
    site.page("/blank", "<html><head><title>x</title></head><body><div></div></body></html>")
    for here, there in (("a", "b"), ("b", "a")):
        site.redirect(f"/loop/{here}", f"/loop/{there}")
    site.status("/stub", 302)
    site.page("/deep", "<div>" * 20_000 + page("Deep") + "</div>" * 20_000)
    site.page("/after", page("After all of them"))
    site.page("/recovers", page("Recovered"))
    site.status("/recovers", 503, times=1)
    site.page("/latin", page("Latin", text="£ 5 café").encode("latin-1"), content_type="text/html")
    site.page("/lies", page("Lies", text="naïve").encode("cp1252"), content_type="text/html; charset=utf-8")
    site.page("/nul", page("Nul", text="before\x00after").encode())
    site.page("/entities", '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + page("Entities &b;"))


@pytest.fixture(scope="module")
def failing(shared: Project, new_site: Callable[[], Site]) -> Failing:
    return Failing(shared, new_site())


@pytest.mark.parametrize(("path", "word", "times"), [(path, *how) for path, how in FAILS.items()])
def test_failure_is_classified(failing: Failing, path: str, word: str, times: int) -> None:
    state, reason = failing.urls[path]
    assert (state, reason.code) == ("failed", word), reason
    assert len(failing.site.log.hits(path)) == times
    (row,) = failing.left.rows("SELECT * FROM audit WHERE kind = 'page' AND url LIKE ?", f"%{path}")
    assert (row["state"], row["retry_count"]) == ("failed", times - 1)
    assert len(json.loads(row["attempts"])) == times
    (line,) = [line for line in failing.left.errors() if path_of(line["url"]) == path]
    assert (line["error"], line["resolved"], line["retry_count"]) == (row["error"], False, times - 1)


def test_failures_do_not_affect_other_pages(failing: Failing) -> None:
    captured = {path for path, (state, _) in failing.urls.items() if state == "captured"}
    assert captured - {"/deep"} == GOOD
    assert {path_of(line["url"]) for line in failing.left.index()} == captured
    failing.left.assert_sums()


def test_failure_page_nested_20000_deep_ends(failing: Failing) -> None:
    state, reason = failing.urls["/deep"]
    assert state in {"captured", "failed"}
    assert state == "captured" or reason.code.startswith(("empty", "no_text", "conversion", "unreadable", "unknown"))


def test_failure_redirect_loop_ends_at_its_start(failing: Failing) -> None:
    assert [hit.path for hit in failing.site.log.hits() if hit.path.startswith("/loop/")] == ["/loop/a", "/loop/b"]
    assert failing.urls["/loop/a"] == ("excluded", Reason("redirected", target_url=failing.site.at("/loop/b")))
    assert failing.urls["/loop/b"] == ("failed", Reason("redirect_loop", rule="the page redirects to itself"))


def test_failure_that_passes_is_retried(failing: Failing) -> None:
    assert len(failing.site.log.hits("/recovers")) == 2
    assert failing.left.envelope("/recovers")["scrape"]["retry_count"] == 1


def test_failure_of_charset_does_not_change_text(failing: Failing) -> None:
    assert "£ 5 café" in failing.left.envelope("/latin")["content"]["body"]
    assert "naïve" in failing.left.envelope("/lies")["content"]["body"]


def test_failure_nul_bytes_never_reach_envelope(failing: Failing) -> None:
    body = failing.left.envelope("/nul")["content"]["body"]
    assert "\x00" not in body
    assert "before" in body and "after" in body


def test_failures_of_more_than_half_fail_run(failing: Failing) -> None:
    assert failing.left.last_run("all")["state"] == "failed"
    assert failing.done.returncode == 1
    assert "scrapy audit --status failed" in failing.done.stdout
