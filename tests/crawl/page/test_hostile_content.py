"""Pages made to hurt whoever reads them: each ends as a failure with a reason or as sound text, and none other notices.

One job reads all of them while it is weighed; its servers' logs say what it fetched.
"""

from __future__ import annotations

import gzip
import sys
from typing import TYPE_CHECKING

import pytest

from tests.content import hostile
from tests.support.crawl_output import CrawlOutput
from tests.support.memory import MIB, Scales
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

# The first test waits for one crawl of all cases: a minute on a loaded machine.
pytestmark = [pytest.mark.crawl, pytest.mark.timeout(360)]

_MB = 1_000_000
_XML = "application/xml"
#: What the purpose of this collector allows all its processes together.
_MOST = 512 * MIB
_LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a0 "lol lol lol ">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 11))
    + "]>"
)
_QUADRATIC = f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 20
#: Path -> body and media type; whatever of these is read must be sound, whatever is not must say why.
BODIES: dict[str, tuple[bytes, str]] = {
    "/png-as-html": (_PNG, "text/html"),
    "/zip-as-html": (b"PK\x03\x04" + bytes(4000), "text/html"),
    "/elf": (b"\x7fELF\x02\x01\x01" + bytes(4000), "application/octet-stream"),
    "/mp4-as-html": (b"\x00\x00\x00\x18ftypmp42" + bytes(4000), "text/html"),
    "/gzip-as-html": (gzip.compress(b"x" * 9000, mtime=0), "text/html"),
    "/noise": (b"".join(bytes((n * 7919 % 251, n * n % 256)) for n in range(4000)), "text/html"),
    "/nuls": (bytes(5000), "text/html"),
    "/css": (b"body { color: red; } " * 90, "text/css"),
    "/laughs.xml": (f'<?xml version="1.0"?>{_LAUGHS}<law>&a10;</law>'.encode(), _XML),
    "/quadratic.xml": (f'<?xml version="1.0"?>{_QUADRATIC}<law>{"&a;" * 20_000}</law>'.encode(), _XML),
    "/laughs.xhtml": (
        f'<?xml version="1.0"?>{_LAUGHS}{page("Laughs", text="&a10;")}'.encode(),
        "application/xhtml+xml",
    ),
    "/laughs.rss": (f"{_LAUGHS}<rss><channel><title>&a10;</title></channel></rss>".encode(), "application/rss+xml"),
    "/laughs.svgz.xml": (f"{_LAUGHS}<svg><text>&a10;</text></svg>".encode(), "image/svg+xml"),
    "/deep": (hostile.nested_closed("div", 20_000 * 11), "text/html"),
    "/deep-lists": (hostile.nested("ul><li", 20_000 * 9), "text/html"),
    "/deep-tables": (hostile.nested("table><tr><td", 20_000 * 16), "text/html"),
    "/attributes": (hostile.attributes(2 * _MB), "text/html"),
    "/spans": (hostile.spans(200_000), "text/html"),
    "/deep.json": (b"[" * 100_000 + b"]" * 100_000, "application/json"),
    "/pages.pdf": (hostile.pdf_pages(10_000 * 120), "application/pdf"),
    "/torn.pdf": (hostile.pdf(3, b"BT ET")[:300], "application/pdf"),
}
#: What these hold is text that people read, and more than a megabyte of it: it is converted, not refused.
LARGE = {"/table": hostile.table(2 * _MB), "/links": hostile.links(_MB), "/prose": hostile.TEXTS["prose"](3 * _MB)}
READ = {"/html-as-png", "/deep", "/deep-lists", "/deep-tables", "/attributes", "/spans", *LARGE}
WORDS = (
    "conversion_", "unreadable_document", "unknown", "empty", "no_text", "js_shell", "soft_404", "too_large",
    "expectation",
)  # fmt: skip


class Hostile:
    """A site of such pages, a canary that none of them may wake, and what one weighed job left of them."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        site, self.canary = new_site(), new_site()
        paths = [*BODIES, *LARGE, "/html-as-png", "/file.xml", "/net.xml", "/dtd.xhtml"]
        site.page("/", page("Start", *paths, "/after"))
        site.page("/after", page("After all of them"))
        site.page("/html-as-png", page("Not a picture"), content_type="image/png")
        for path, (body, media) in BODIES.items():
            site.page(path, body, content_type=media)
        for path, body in LARGE.items():
            site.page(path, body)
        self.secret = project.folder / "secret.txt"
        self.secret.write_text("the canary sings", encoding="utf-8")
        self._entities(site)
        config = {"exclude_patterns": ["/section/*"]}  # where the many links lead
        project.manifest([source("all", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
        with project.start("collect", begin=()) as job, Scales(job.pid) as self.scales:
            self.printed = job.communicate()[0]
        self.left = CrawlOutput(project)
        self.urls = self.left.urls("all")

    def _entities(self, site: Site) -> None:
        for path, target in (("/file.xml", self.secret.as_uri()), ("/net.xml", self.canary.at("/entity"))):
            text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "{target}">]><law><p>&e;</p></law>'
            site.page(path, text, content_type=_XML)
        dtd = f'<?xml version="1.0"?><!DOCTYPE html SYSTEM "{self.canary.at("/x.dtd")}">'
        site.page("/dtd.xhtml", dtd + page("With a DTD"), content_type="application/xhtml+xml")


@pytest.fixture(scope="module")
def read(shared: Project, new_site: Callable[[], Site]) -> Hostile:
    return Hostile(shared, new_site)


@pytest.mark.parametrize("path", [*BODIES, "/file.xml", "/net.xml", "/dtd.xhtml"])
def test_hostile_page_ends_as_failure_with_reason_or_as_text(read: Hostile, path: str) -> None:
    state, reason = read.urls[path]
    assert state in {"captured", "failed"}, (state, reason, read.printed)
    assert state == "captured" or reason.code.startswith(WORDS), reason


@pytest.mark.parametrize("path", sorted(READ))
def test_hostile_page_with_text_is_read(read: Hostile, path: str) -> None:
    assert read.urls[path] == ("captured", ""), read.printed


def test_hostile_pages_do_not_affect_other_pages(read: Hostile) -> None:
    assert read.urls["/"][0] == read.urls["/after"][0] == "captured"
    assert read.left.last_run("all")["state"] in {"complete", "failed"}
    read.left.assert_sums()


def test_hostile_large_page_loses_no_row_and_no_link(read: Hostile) -> None:
    rows = read.left.envelope("/table")["content"]["body"].count("\n| ")
    assert rows == LARGE["/table"].count(b"<tr>") + 1  # the rule under the head
    internal = read.left.envelope("/links")["page_metadata"]["links_internal"]
    assert len(internal) == LARGE["/links"].count(b"<a href")


def test_hostile_deep_nesting_loses_no_words(read: Hostile) -> None:
    for path in ("/deep", "/deep-lists", "/deep-tables"):
        assert "deep" in read.left.envelope(path)["content"]["body"], path


def test_hostile_entity_reads_no_file_and_requests_no_server(read: Hostile) -> None:
    assert not read.canary.log.hits()
    for envelope in read.left.envelopes():
        assert "the canary sings" not in envelope["content"]["body"]
        assert envelope["content"]["body"].count("lol") < 100


@pytest.mark.skipif(sys.platform != "linux", reason="processes are weighed by /proc")
def test_hostile_pages_memory_of_all_processes_stays_under_512_mb(read: Hostile) -> None:
    assert read.scales.samples > 20, "nobody was weighed"
    assert read.scales.rss < _MOST, [weight // MIB for weight in read.scales.heaviest]
