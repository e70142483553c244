"""Canaries: secrets go in wherever they can, and what a crawl leaves and prints is searched for each of them."""

from __future__ import annotations

import base64
import gzip
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from subprocess import CompletedProcess

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

HEADER = "canary-7f3a9c/for the agency"
SHORT = "c4n4r"  # too short to be looked for in texts: kept out by its header's name
BASIC = "canary-basic-8842"
KEY = "canary-zyte-1b2c3d"
PROXY = "canary-proxy/55aa"
LINKED = "canary-linked-90"
ENVIRONMENT = {
    "RORI_HEADER_ACCESS": HEADER,
    "RORI_HEADER_PIN": SHORT,
    "RORI_HEADER_LOGIN": "Basic " + base64.b64encode(f"rori:{BASIC}".encode()).decode(),
    "ZYTE_API_KEY": KEY,
    "SOME_URL": f"https://rori:{PROXY}@proxy.example:8080",
}
HEADERS = {
    "custom_headers": {
        "X-Agency-Pass": {"env": "RORI_HEADER_ACCESS"},
        "X-Pin": {"env": "RORI_HEADER_PIN"},
        "Authorization": {"env": "RORI_HEADER_LOGIN"},
        "Accept-Language": "en",
    }
}
ECHOES = {
    "/echo": HEADER.encode(),
    "/echo-html": HEADER.replace("7", "&#55;").encode(),
    "/echo-url": HEADER.replace(" ", "%20").encode(),
    "/echo-basic": BASIC.encode(),
    "/echo-sent": ENVIRONMENT["RORI_HEADER_LOGIN"].encode(),
}


def everything(folder: Path) -> bytes:
    """All bytes of all files, objects unpacked."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files
    )


def unnamed(html: str) -> str:
    """*html* whose links do not say in their text where they lead."""
    return re.sub(r">Section at [^<]*<", ">Section<", html)


class Searched:
    """A site full of canaries, what one crawl of it left and printed, and what the listings say."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.project, self.site, self.other = project, new_site(), new_site()
        self._script(self.site)
        self.other.page("/b", page("Part 1026"))
        site = self.site
        project.manifest(
            [
                source("walked", site.at("/"), "crawl", scrape_config={**HEADERS, "follow_links": True}),
                source("left", site.at("/away"), scrape_config=HEADERS, allowed_hosts=[self.other.host]),
            ],
            delay_s=0.02,
        )
        project.env["RORI_ALLOWED_ADDRESSES"] += f",{self.other.netloc}"
        project.env |= {**ENVIRONMENT, "RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001"}
        project.env |= {f"{name}_HOSTS": site.host for name in ENVIRONMENT if name.startswith("RORI_HEADER_")}
        self.printed = [project.scrapy("crawl", "sources", "-a", "sources=walked,left", "-L", "DEBUG")]
        listings = (("audit", "json"), ("audit", "csv"), ("sources", "json"), ("runs", "json"), ("due", "json"))
        self.printed += [project.scrapy(name, "--format", form) for name, form in listings]
        self.left = CrawlOutput(project)
        self.urls = self.left.urls("walked")

    def _script(self, site: Site) -> None:
        with_user = site.url.replace("://", f"://rori:{LINKED}@")
        paths = [*ECHOES, "/header", "/loop", "/utf16", "/dropped"]
        links = [f"/q?api_key={LINKED}", f"{with_user}/linked"]
        site.page("/", unnamed(page("Start", *paths, *links)), link=f'<{with_user}/>; rel="canonical"')
        for path, echo in ECHOES.items():
            site.page(path, page(path, text="You sent us ").encode().replace(b"You sent us ", b"You sent us " + echo))
        site.page("/utf16", page("UTF-16", text=HEADER).encode("utf-16"), content_type="text/html; charset=utf-16")
        site.page(
            "/header", page("Header"), etag=f'"{HEADER}"', x_seen=HEADER, set_cookie=f"k={KEY}", content_location=KEY
        )
        site.redirect("/loop", f"/looped?k={HEADER.replace(' ', '%20')}&login={KEY}")
        site.redirect("/away", self.other.at("/b").replace("://", f"://rori:{LINKED}@"))
        site.drop("/dropped")
        head = f'<link rel="canonical" href="{with_user}/linked"><meta property="og:image" content="{with_user}/i.png">'
        body = unnamed(page("Linked", f"{with_user}/further")).replace("</head>", f"{head}</head>")
        site.page("/linked", body)
        site.page("/further", page("Further"))
        secret = [f"/mapped?password={LINKED}", f"/q?k={KEY}", f"/{HEADER.replace(' ', '%20')}"]
        site.sitemap([f"{with_user}/mapped", *secret])
        site.page("/mapped", page("Mapped"))
        site.robots(f"User-agent: *\nDisallow: /none\nSitemap: {with_user}/sitemap.xml\n")

    def text(self) -> str:
        return "".join(one.stdout + one.stderr for one in self.printed)


@pytest.fixture(scope="module")
def searched(shared: Project, new_site: Callable[[], Site]) -> Searched:
    return Searched(shared, new_site)


def staged_and_recorded(project: Project) -> Iterator[bytes]:
    """What is left, but for the publisher's own bytes, which are evidence and say what the publisher said."""
    for path in project.folder.rglob("*"):
        if path.is_file() and path.suffix != ".gz" and path.name != "manifest.json":
            yield path.read_bytes()


@pytest.mark.parametrize(
    "canary", [HEADER, HEADER.replace(" ", "%20"), BASIC, ENVIRONMENT["RORI_HEADER_LOGIN"][6:], KEY, PROXY]
)
def test_secret_of_ours_is_neither_stored_nor_printed(searched: Searched, canary: str) -> None:
    crawl_output = everything(searched.project.folder)
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        assert canary.encode(encoding) not in crawl_output
    assert canary not in searched.text()


def test_secret_too_short_is_masked_by_its_header(searched: Searched) -> None:
    assert SHORT.encode() not in everything(searched.project.staging)
    assert searched.left.rows("SELECT count(*) AS n FROM audit WHERE request_headers LIKE ?", f"%{SHORT}%") == [
        {"n": 0}
    ]
    assert searched.left.rows("SELECT count(*) AS n FROM audit WHERE request_headers LIKE '%X-Pin%'")[0]["n"] > 0


def test_secret_credentials_in_urls_are_neither_stored_nor_printed(searched: Searched) -> None:
    assert LINKED not in searched.text()
    assert all(LINKED.encode() not in content for content in staged_and_recorded(searched.project))


def test_secrets_are_sent_only_to_own_server_of_source(searched: Searched) -> None:
    passes = {
        hit.path: hit.headers.get("x-agency-pass") for hit in searched.site.log.hits() if "robots" not in hit.path
    }
    assert set(passes.values()) == {HEADER}
    assert {hit.headers.get("x-agency-pass") for hit in searched.site.log.hits("/robots.txt")} == {None}
    for name in ("x-agency-pass", "authorization", "x-pin"):
        assert {hit.headers.get(name) for hit in searched.other.log.hits()} == {None}
    assert searched.other.log.hits("/b")


@pytest.mark.parametrize("path", [*ECHOES, "/utf16"])
def test_secret_echoed_by_page_excludes_page(searched: Searched, path: str) -> None:
    state, reason = searched.urls[path]
    assert (state, reason.code) == ("failed", "secret_echoed")
    [row] = searched.left.rows("SELECT raw_hash, http_status FROM audit WHERE url LIKE ?", f"%{path}")
    assert row == {"raw_hash": None, "http_status": 200}


def test_secret_echoed_by_header_does_not_cost_page(searched: Searched) -> None:
    assert searched.urls["/header"][0] == "captured"
    [row] = searched.left.rows("SELECT response_headers FROM audit WHERE url LIKE '%/header'")
    assert "[redacted]" in row["response_headers"]
    assert searched.left.rows(
        "SELECT etag FROM page_validators JOIN pages USING (page_id) WHERE url LIKE '%/header'"
    ) == [{"etag": None}]


def test_secret_in_url_prevents_request(searched: Searched) -> None:
    refused = {path for path, (state, reason) in searched.urls.items() if state == "excluded" and "secret" in reason}
    assert refused == {
        "/q?k=[redacted]",
        "/q?api_key=[redacted]",
        "/[redacted]",
        "/looped?k=[redacted]&login=[redacted]",
        "/mapped?password=[redacted]",
    }
    requested = " ".join(hit.path for hit in searched.site.log.hits())
    assert not any(canary in requested for canary in (KEY, LINKED, "canary-7f3a9c"))


def test_secret_in_links_is_removed_and_pages_are_collected(searched: Searched) -> None:
    assert {searched.urls[path][0] for path in ("/linked", "/further", "/mapped")} == {"captured"}
    envelope = searched.left.envelope("/linked")
    assert envelope["source"]["canonical_url"] == searched.site.at("/linked")
    assert f"]({searched.site.at('/further')})" in envelope["content"]["body"]
    assert searched.site.at("/further") in envelope["content"]["body_html"]


def test_secrets_run_sums_agree(searched: Searched) -> None:
    searched.left.assert_sums()
    searched.left.assert_verified()


BROKEN = "canary-database/99"


def run_with_a_broken_database(project: Project, site: Site, *more: str) -> CompletedProcess[str]:
    project.manifest([source("a", site.at("/a"))], delay_s=0.02)
    return project.scrapy(
        "crawl", "a", "-L", "DEBUG", *more, env={"RORI_DATABASE_URL": f"postgresql://rori:{BROKEN}@127.0.0.1:1/rori"}
    )


def test_secret_database_password_is_in_no_log(project: Project, site: Site) -> None:
    done = run_with_a_broken_database(project, site, "--logfile", "crawl.log", "-s", f"ZYTE_API_KEY={KEY}")
    assert done.returncode == 3
    log = (project.folder / "crawl.log").read_text()
    assert "Overridden settings" in log
    for canary in (BROKEN, BROKEN.replace("/", "%2F"), KEY):
        assert canary not in log + done.stdout + done.stderr


BREAKS = '''
import os, logging, warnings
from scrapy import signals

class Breaks:
    """Fails with secrets in every way that prints."""
    @classmethod
    def from_crawler(cls, crawler):
        crawler.signals.connect(cls.opened, signal=signals.spider_opened)
        return cls()
    @staticmethod
    def opened(spider):
        key = os.environ["ZYTE_API_KEY"]
        warnings.warn("warned of " + key)
        logging.getLogger("a").error("args %s", [key], extra={"spider": spider})
        logging.getLogger("b").error("wrong arguments %d", key)
        try:
            raise KeyError(key)
        except KeyError:
            logging.getLogger("c").exception("within")
        spider.crawler.stats.set_value("canary/" + key, key)
        raise RuntimeError("provider says: bad key " + key)
'''


def test_secrets_in_errors_warnings_and_stats_are_redacted(project: Project, site: Site) -> None:
    site.page("/a", page("Part 1024"))
    project.manifest([source("a", site.at("/a"))], delay_s=0.02)
    (project.folder / "breaks.py").write_text(BREAKS)
    project.env["PYTHONPATH"] += f":{project.folder}"
    setting = ("-s", 'EXTENSIONS={"breaks.Breaks": 1, "rori_spiders.extensions.runs.RunsExtension": 10}')
    done = project.scrapy("crawl", "a", *setting, env={"ZYTE_API_KEY": KEY})
    for phrase in (
        "warned of",
        "args ['[redacted]']",
        "wrong arguments",
        "KeyError: '[redacted]'",
        "bad key [redacted]",
    ):
        assert phrase in done.stderr
    assert "canary/[redacted]" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_secrets_in_uncaught_error_are_redacted(project: Project) -> None:
    (project.folder / "broken.py").write_text("import os\nraise RuntimeError('key ' + os.environ['ZYTE_API_KEY'])\n")
    project.env["PYTHONPATH"] += f":{project.folder}"
    done = project.scrapy("crawl", "page", "-s", "STATS_CLASS=broken.Stats", env={"ZYTE_API_KEY": KEY})
    assert "RuntimeError: key [redacted]" in done.stderr
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("typed", [("audit", "--url"), ("audit", "--ulr"), ("collect", "--manifest")])
def test_secrets_in_arguments_are_not_repeated(project: Project, typed: tuple[str, ...]) -> None:
    done = project.scrapy(*typed, f"https://rori:{LINKED}@www.hud.gov/", env={"ZYTE_API_KEY": KEY})
    assert LINKED not in done.stdout + done.stderr
