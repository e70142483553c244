"""Pages by Zyte: what is behind a wall is captured under its own URL; what the provider does wrong is never a page."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.test_secrets import everything
from tests.crawl.tiers.providers.walled_site import CHALLENGE, wall, walled
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import GOOD_KEY, Raw, Vendor, VendorRequest, fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

BAD_KEY = "bad-key-0c3d9e77"
MAX_BYTES = 200_000
SECONDS = 6
JSON = {"Content-Type": "application/json"}


def zyte_answer(**fields: Any) -> Raw:
    return Raw(200, json.dumps(fields).encode(), JSON)


class Zyte:
    """What one collection left of a site of many walls."""

    def __init__(self, project: Project, site: Site, vendor: Vendor) -> None:
        self.site, self.vendor = site, vendor
        site.robots("User-agent: *\nDisallow: /private/\n")
        site.page("/open", page("Open to all"))
        site.page(
            "/thin", '<!DOCTYPE html><html><body><div id="root"></div><script src="/app.js"></script></body></html>'
        )
        vendor.page(site.at("/thin"), page("Written by a script"))
        listed = [
            source("open", site.at("/open")),
            source("missing", site.at("/nowhere")),
            source("private", wall(site, "/private/page")),
            source("thin", site.at("/thin")),
            source("odd", wall(site, "/odd?q=a%20b%26c&r=1")),
            walled(site, vendor, "rendered", scrape_config={"render": "auto", "tiers": ["http", "zyte"]}),
            *(walled(site, vendor, name) for name in ("plain", "once", "busy", "ban", "slow", "dropped", "held-back")),
            *(
                walled(site, vendor, name)
                for name in ("rubbish", "other-json", "no-status", "led", "large", "forbidden")
            ),
            *(
                walled(site, vendor, name)
                for name in ("gone", "empty", "still-walled", "abroad", "moved", "into-private")
            ),
        ]
        self._script()
        project.manifest(listed, delay_s=0.05)
        env = {
            **vendor.env("zyte"),
            "RORI_TIERS": "http,zyte",
            "RORI_ZYTE_KEYS": f"{BAD_KEY}, {GOOD_KEY}",
            "RORI_PROVIDER_TIMEOUT": str(SECONDS),
            "RORI_MAX_BYTES": str(MAX_BYTES),
            "RORI_RETRY_SCALE": "0.01",
        }
        done = project.scrapy("collect", "--force", "-L", "DEBUG", env=env)
        self.output, self.project, self.left = done.stdout + done.stderr, project, CrawlOutput(project)

    def _script(self) -> None:
        at, vendor = self.site.at, self.vendor
        vendor.page(at("/odd?q=a%20b%26c&r=1"), page("Odd"))
        vendor.first(at("/once"), fault(520))
        vendor.first(at("/busy"), fault(429, retry_after="1"))
        vendor.always(at("/ban"), fault(520))
        vendor.always(at("/slow"), Raw(way="hold"))
        vendor.always(at("/dropped"), Raw(way="drop"))
        vendor.first(at("/held-back"), fault(500), fault(503))
        vendor.always(
            at("/rubbish"), Raw(200, b"<html><title>Bad gateway</title></html>", {"Content-Type": "text/html"})
        )
        vendor.always(at("/other-json"), zyte_answer(hello="world"))
        vendor.always(at("/no-status"), zyte_answer(url=at("/no-status"), httpResponseBody="PGgxPkg8L2gxPg=="))
        vendor.always(at("/led"), Raw(307, b"", {"Location": f"{self.site.url}/trap"}))
        vendor.page(at("/large"), "x" * (2 * MAX_BYTES))
        vendor.always(at("/forbidden"), fault(451))
        vendor.page(at("/gone"), "<title>Not found</title><h1>404</h1>", status=404)
        vendor.page(at("/empty"), "")
        vendor.page(at("/still-walled"), CHALLENGE, status=403)
        vendor.page(at("/abroad"), page("Another domain's"), end="http://other.example/abroad")
        vendor.page(at("/moved"), page("Moved a little"), end=at("/moved/here"))
        vendor.page(at("/into-private"), page("Private"), end=at("/private/moved"))

    def end(self, source_id: str) -> tuple[str, Reason]:
        [found] = self.left.urls(source_id).values()
        return found

    def requests(self, path: str) -> list[VendorRequest]:
        """The calls for the page, by the good key."""
        return [one for one in self.vendor.requests(self.site.at(path)) if one.key == GOOD_KEY]

    def audit(self, source_id: str) -> dict[str, Any]:
        [row] = self.left.rows("SELECT * FROM audit WHERE manifest_id = ? AND kind = 'page'", source_id)
        return row


@pytest.fixture(scope="module")
def zyte(shared: Project, new_site: Callable[[], Site]) -> Iterator[Zyte]:
    with Vendor(next_address()) as vendor:
        yield Zyte(shared, new_site(), vendor)


def test_zyte_page_behind_wall_is_captured_by_one_call(zyte: Zyte) -> None:
    assert zyte.end("plain") == ("captured", "")
    [request] = zyte.requests("/plain")
    assert request.fields["httpResponseBody"] is True and "browserHtml" not in request.fields
    assert request.fields["customHttpRequestHeaders"][0]["value"].startswith("RORI-Collector/")
    envelope = zyte.left.envelope("/plain")
    assert envelope["source"]["url"] == zyte.site.at("/plain")
    assert (envelope["scrape"]["engine"], envelope["scrape"]["credits_consumed"]) == ("zyte", 1)
    assert envelope["scrape"]["engine_version"].startswith("scrapy-zyte-api/")
    assert "Behind plain begins here." in envelope["content"]["body"]
    assert envelope["content"]["body_html"].startswith("<!DOCTYPE html>")


def test_zyte_history_lists_result_and_cost_of_each_tier(zyte: Zyte) -> None:
    row = zyte.audit("plain")
    attempts = [(one["tier"], one["verdict"], one["credits"]) for one in json.loads(row["attempts"])]
    assert attempts == [("http", "challenge", 0), ("zyte", "content", 1)]
    assert (row["engine"], row["credits_consumed"]) == ("zyte", 1)
    assert zyte.left.last_run("plain")["credits"] == 1


def test_zyte_is_not_paid_for_pages_of_other_tiers(zyte: Zyte) -> None:
    for source_id, path, state in (("open", "/open", "captured"), ("missing", "/nowhere", "failed")):
        assert zyte.end(source_id)[0] == state
        assert zyte.vendor.requests(zyte.site.at(path)) == []


def test_zyte_respects_robots_txt(zyte: Zyte) -> None:
    assert zyte.end("private")[0] == "excluded"
    assert not [one for one in zyte.vendor.requests() if "/private/" in one.url]


def test_zyte_page_of_scripts_is_requested_rendered(zyte: Zyte) -> None:
    assert zyte.end("thin") == ("captured", "")
    [request] = zyte.requests("/thin")
    assert request.fields["browserHtml"] is True and "httpResponseBody" not in request.fields


def test_zyte_url_is_sent_unchanged(zyte: Zyte) -> None:
    assert zyte.end("odd") == ("captured", "")


def test_zyte_transient_failure_is_retried_once(zyte: Zyte) -> None:
    assert zyte.end("once") == ("captured", "") and len(zyte.requests("/once")) == 2
    attempts = json.loads(zyte.audit("once")["attempts"])
    assert [one["reason_code"] for one in attempts] == ["challenge", "provider_gave_up", "captured"]
    assert zyte.end("ban")[1].code == "provider_gave_up" and len(zyte.requests("/ban")) == 2
    assert zyte.end("dropped")[1].code == "provider_unreachable" and len(zyte.requests("/dropped")) == 2


def test_zyte_429_does_not_pause_site(zyte: Zyte) -> None:
    assert zyte.end("busy") == ("captured", "") and len(zyte.requests("/busy")) == 2
    assert zyte.end("held-back") == ("captured", "") and len(zyte.requests("/held-back")) == 3
    assert zyte.left.rows("SELECT * FROM leases WHERE paused_until IS NOT NULL") == []


@pytest.mark.parametrize(
    ("source_id", "reason"),
    [
        ("rubbish", Reason("provider_bad_answer", error="the response is not JSON (text/html)")),
        ("other-json", Reason("provider_bad_answer", error="undocumented response")),
        ("no-status", Reason("provider_bad_answer", error="undocumented response")),
        ("empty", Reason("provider_bad_answer", error="a page without content")),
        ("led", Reason("provider_bad_answer", error="the provider's server redirected (HTTP 307)")),
        ("forbidden", Reason("provider_gave_up", error="zyte answered key_02 with HTTP 451")),
        ("slow", Reason("provider_timeout", error=f"zyte took longer than {SECONDS} s")),
        ("large", Reason("too_large", error="")),
        ("still-walled", Reason("challenge", vendor="cloudflare", http_status=403)),
        ("gone", Reason("not_found", http_status=404)),
    ],
)
def test_zyte_error_page_is_never_captured(zyte: Zyte, source_id: str, reason: str) -> None:
    state, why = zyte.end(source_id)
    assert state == "failed" and why.startswith(reason)
    assert len(zyte.requests(f"/{source_id}")) == 1


def test_zyte_final_url_is_judged_like_redirect(zyte: Zyte) -> None:
    assert zyte.end("abroad") == ("excluded", Reason("redirected_off_site", target_url="http://other.example/abroad"))
    assert zyte.end("into-private")[0] == "excluded"
    assert zyte.end("moved") == ("captured", "")
    assert zyte.audit("moved")["final_url"] == zyte.site.at("/moved/here")
    assert len(zyte.requests("/moved")) == 1


def test_zyte_redirect_of_its_server_is_not_followed(zyte: Zyte) -> None:
    assert "/trap" not in {hit.path for hit in zyte.site.log.hits()}


def test_zyte_refused_key_cools_down_and_next_is_used(zyte: Zyte) -> None:
    keys = [one.key for one in zyte.vendor.requests()]
    assert keys[0] == BAD_KEY and GOOD_KEY in keys
    assert keys.count(BAD_KEY) <= 3  # those that had left before it was known to be refused


def test_zyte_failed_calls_cost_nothing(zyte: Zyte) -> None:
    costs = zyte.left.rows("SELECT url, reserved, settled, usd FROM costs")
    assert len(costs) == len(zyte.vendor.requests())
    settled = {path: [row["settled"] for row in costs if row["url"] == zyte.site.at(path)] for path in PATHS}
    assert {path: found[-1] for path, found in settled.items()} == PATHS
    paid = [row for row in costs if row["settled"]]
    assert all(row["usd"] > 0 for row in paid)
    assert zyte.left.rows("SELECT sum(credits) AS all_of_them FROM runs")[0]["all_of_them"] == len(paid)


#: What the last call for each cost: nothing that the provider said it could not do; what may have been charged.
PATHS = {"/plain": 1.0, "/ban": 0.0, "/forbidden": 0.0, "/slow": 1.0, "/dropped": 1.0, "/rubbish": 1.0, "/gone": 1.0}


@pytest.mark.parametrize("key", [GOOD_KEY, BAD_KEY])
def test_zyte_key_is_neither_printed_nor_stored(zyte: Zyte, key: str) -> None:
    assert "key_01" in zyte.output and "zyte" in zyte.output
    stored = everything(zyte.project.folder)
    for spelt in (key, key[:7], base64.b64encode(f"{key}:".encode()).decode()):
        assert spelt not in zyte.output
        assert spelt.encode() not in stored


def test_zyte_urls_all_reach_final_state(zyte: Zyte) -> None:
    zyte.left.assert_sums()
    zyte.left.assert_verified()
