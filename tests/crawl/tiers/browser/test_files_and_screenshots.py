"""The tier `browser` takes a document that a script asks for, and a picture of the page where the source wants one."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.browser.screenshot import MAX_HEIGHT
from tests.content.documents.pdfs import pdf
from tests.crawl.tiers.browser.marked_chromium import MarkedChromium
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(300)]

#: A button whose script gets the document in one of the ways that agencies have.
_BUTTON = """<!DOCTYPE html><html><head><title>Handbook</title></head><body><main>LAW<button id=get>Download</button>
</main><script>
const file = '/files/law.pdf';
const ways = {
  async blob() { const body = await (await fetch(file)).blob();
    Object.assign(document.createElement('a'), {href: URL.createObjectURL(body), download: 'law.pdf'}).click() },
  window() { window.open(file) },
  link() { Object.assign(document.createElement('a'), {href: file, download: ''}).click() },
  go() { location.href = file },
  async forbidden() { await fetch('/private/law.pdf') },
  nothing() {},
};
document.getElementById('get').onclick = ways.WAY;
</script></body></html>"""
_VIEWER = """<!DOCTYPE html><html><head><title>Viewer</title></head><body><div id=pages></div><script>
fetch('/files/law.pdf').then(answer => answer.blob()).then(body => {
  document.getElementById('pages').innerHTML = '<canvas width=600 height=800></canvas>' });
</script></body></html>"""
_TALL = """<!DOCTYPE html><html><head><title>Tall</title></head><body style="margin: 0"><main>LAW
<div style="height: 20000px"></div></main></body></html>"""
_WAYS = ("blob", "window", "link", "go")


def _get_by(way: str) -> str:
    return _BUTTON.replace("LAW", _main(page("Law"))).replace("WAY", way)


def _main(html: str) -> str:
    return html.partition("<main>")[2].partition("</main>")[0]


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> tuple[Site, CrawlOutput]:
    """One crawl of every page, each a source of its own."""
    site = new_site()
    site.robots("User-agent: *\nDisallow: /private\n")
    law = pdf([f"Section {number}. A lender must answer within {number} days of the notice." for number in range(9)])
    site.page("/files/law.pdf", law, content_type="application/pdf")
    site.page("/private/law.pdf", law, content_type="application/pdf")
    for way in (*_WAYS, "forbidden", "nothing"):
        site.page(f"/{way}", _get_by(way))
    site.page("/viewer", _VIEWER)
    site.page("/tall", _TALL.replace("LAW", _main(page("Tall"))))
    site.page("/plain", page("Plain"))
    MarkedChromium(shared)
    only = {"tiers": ["browser"], "min_content_chars": 1}
    download = {
        **only,
        "render": "always",
        "browser_budget": 4,
        "interactions": [{"action": "download", "selector": "#get"}],
    }
    listed = [source(way, site.at(f"/{way}"), scrape_config=download) for way in (*_WAYS, "forbidden", "nothing")]
    listed.append(source("viewer", site.at("/viewer"), scrape_config=only))
    pictured = {**only, "evidence": "screenshot"}
    listed += [source(path, site.at(f"/{path}"), scrape_config=pictured) for path in ("tall", "plain")]
    shared.manifest(listed, delay_s=0.05)
    done = shared.scrapy("collect", "-L", "INFO", timeout=300)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    return site, CrawlOutput(shared)


def _steps(output: CrawlOutput, path: str) -> list[dict[str, str]]:
    [row] = output.rows("SELECT attempts FROM audit WHERE url LIKE ?", f"%{path}")
    return list(json.loads(row["attempts"])[-1].get("steps", ()))


@pytest.mark.parametrize("way", _WAYS)
def test_browser_download_by_a_script_is_the_answer_of_the_page(collected: tuple[Site, CrawlOutput], way: str) -> None:
    site, output = collected
    assert output.urls(way)[f"/{way}"][0] == "captured"
    content = output.envelope(f"/{way}")["content"]
    assert content["format"] == "pdf_text" and "within 8 days of the notice" in content["body"]
    [step] = _steps(output, f"/{way}")
    result = f"took {site.at('/files/law.pdf')} (application/pdf" if way == "blob" else "it led to another address"
    assert (step["step"], step["target"]) == ("download", "#get") and step["result"].startswith(result)


def test_browser_download_that_robots_forbids_is_not_taken(collected: tuple[Site, CrawlOutput]) -> None:
    _, output = collected
    for way in ("forbidden", "nothing"):
        assert "Law begins here" in output.envelope(f"/{way}")["content"]["body"]
        assert [one["result"] for one in _steps(output, f"/{way}")] == ["clicked; no document came"]


def test_browser_page_that_only_shows_a_document_is_that_document(collected: tuple[Site, CrawlOutput]) -> None:
    site, output = collected
    assert "within 8 days of the notice" in output.envelope("/viewer")["content"]["body"]
    [step] = _steps(output, "/viewer")
    assert step["result"].startswith(f"took {site.at('/files/law.pdf')}")


def test_browser_screenshot_is_stored_with_the_version(collected: tuple[Site, CrawlOutput]) -> None:
    _, output = collected
    envelope = output.envelope("/plain")
    digest = envelope["integrity"]["screenshot_hash"].removeprefix("sha256:")
    path = output.project.staging / envelope["content"]["screenshot_object"]
    picture = gzip.decompress(path.read_bytes())
    assert sha256(picture).hexdigest() == digest and picture.startswith(b"\xff\xd8\xff")
    named = output.rows("SELECT screenshot_object FROM versions WHERE screenshot_object IS NOT NULL")
    assert digest in {row["screenshot_object"] for row in named} and len(named) == 2
    assert not _steps(output, "/plain")
    assert "screenshot_hash" not in output.envelope("/nothing")["integrity"]
    output.assert_verified()
    case = output.project.folder / "plain.wacz"
    exported = output.project.scrapy("export", "evidence", "plain", "-o", str(case))
    with zipfile.ZipFile(case) as files:
        assert files.read(f"evidence/screenshots/{digest}.jpg") == picture, exported.stderr
        (case.with_name("verify.py")).write_bytes(files.read("evidence/verify_evidence.py"))
    verified = subprocess.run(
        [sys.executable, "-I", case.with_name("verify.py"), case],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert verified.returncode == 3 and "NOT PROVEN" in verified.stdout, verified  # no key: nothing signed
    path.unlink()
    output.assert_verified(but=frozenset({"object_missing"}))
    with pytest.raises(AssertionError, match="object_missing"):
        output.assert_verified()
    path.write_bytes(gzip.compress(picture))


def test_browser_screenshot_of_a_long_page_says_what_it_shows(collected: tuple[Site, CrawlOutput]) -> None:
    [step] = _steps(collected[1], "/tall")
    assert step["step"] == "screenshot" and step["result"].startswith(f"the upper {MAX_HEIGHT:,} of 20,")
