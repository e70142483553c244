"""Whatever comes from outside is text: forty payloads in titles, texts, URLs, errors, headers, names and reasons.

Each stands on a page that was really collected, ten to a page, and is a response that failed; some are in the
manifest. Every screen that shows them is opened, and none of them runs.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import open_store
from tests.corpus.factories import a_page, a_run
from tests.monitor.browser.conftest import new_context
from tests.monitor.browser.payloads import PAYLOADS
from tests.monitor.browser.serving import add_user, serving, sign_in
from tests.monitor.corpus_runs import texts
from tests.support.pages import page as html
from tests.support.project import Project, source
from tests.support.server.fixtures import next_address
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.crawl

_LOADS = re.compile(r"^\s*Loading .* …")
#: Attributes that run, and links that do: nowhere in the page's own document.
_LIVE = """[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]
    .filter((it) => /^on/i.test(it.name) || /^\\s*(javascript|data|vbscript):/i.test(it.value))
    .map((it) => `${one.tagName} ${it.name}=${it.value.slice(0, 60)}`))"""


_EACH = 10
_GROUPS = tuple(PAYLOADS[start : start + _EACH] for start in range(0, len(PAYLOADS), _EACH))


def _path(number: int, said: str) -> str:
    # Braces in a URL are a placeholder that no template has filled: it is not asked for.
    return f"/p/{number}?q={quote(said.translate({ord('{'): '', ord('}'): ''}), safe='')}"


def _served(number: int, more: str = "") -> str:
    """A page whose title, heading, text, table and link say its payloads as text, and whose source has them alive."""
    alive = " ".join(_GROUPS[number])
    text = escape(alive)
    table = f"<table><tr><th>{text}</th><th>Rate</th></tr><tr><td>{text}{more}</td><td>{number}</td></tr></table>"
    link = f'<a href="javascript:window.ran=1">{text}</a>'
    return html(f"{number} {text}", text=f"{text}{more} {table} <pre>{text}</pre> {link} {alive}")


#: What a person said of a change.
_REASON = " ".join(PAYLOADS[8:12])


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Pages collected twice, and forty that failed, of sources whose names are payloads too; one is paused."""
    project = Project(tmp_path_factory.mktemp("hostile"))
    with Site(next_address()) as site, Site(next_address()) as broken:
        _serve(site, broken)
        fields = {"name": PAYLOADS[0], "description": PAYLOADS[2], "citation": PAYLOADS[4], "category": "cfpb"}
        sources = [source("pages", site.at("/"), "crawl", metadata={"agency": PAYLOADS[3]}, **fields)]
        sources += [source("fails", broken.at("/"), "crawl", metadata={"agency": PAYLOADS[6]}, name=PAYLOADS[7])]
        project.manifest(sources, delay_s=0.02)
        project.scrapy("collect")
        for number, group in enumerate(_GROUPS):
            site.set(_path(number, group[0]), _served(number, " and more"))
        project.scrapy("collect", "--force")
    assert project.scrapy("pause", "fails", "--reason", " ".join(PAYLOADS[:5])).returncode == 0
    [first, *_] = json.loads(project.scrapy("changes", "--format", "json").stdout)
    said = project.scrapy("changes", "review", first["change"], "--decision", "material", "--reason", _REASON)
    assert said.returncode == 0, said.stderr
    _review(project)
    add_user(project, "operator", "operator")
    return project


def _review(project: Project) -> None:
    """A run of the corpus that waits for a person: payloads in titles, reasons, findings and texts."""
    with open_ledger(f"sqlite:///{project.ledger}") as ledger:
        store = open_store(str(project.staging))
        run = a_run(ledger, state="ready_for_review")
        for number, group in enumerate(_GROUPS):
            alive = " ".join(group)
            finding = {"code": "thin", "severity": "review", "says": alive}
            kept = texts(store, f"p{number}", raw=f"# {alive}\n\n{alive}\n", clean=f"# {alive}\n\n{alive} and more\n")
            said = {"title": alive, "description": alive, "reason": alive, "findings": [finding], "flags": ["thin"]}
            a_page(ledger, run, f"p{number}", **{**kept, **said}, gate="needs_review", section=f"/{group[0]}")


def _serve(site: Site, broken: Site) -> None:
    site.page("/", html("Start", *(escape(_path(number, group[0])) for number, group in enumerate(_GROUPS))))
    for number, group in enumerate(_GROUPS):
        site.page(_path(number, group[0]), _served(number), x_said=" ".join(group))
    broken.page("/", html("Start", *(escape(_path(number, said)) for number, said in enumerate(PAYLOADS))))
    for number, payload in enumerate(PAYLOADS):
        broken.page(_path(number, payload), f"<h1>{payload}</h1>{escape(payload)}", status=403, x_said=payload)


@pytest.fixture(scope="module")
def context(hostile: Project, chromium: Browser) -> Iterator[BrowserContext]:
    with serving(hostile) as address:
        opened = new_context(chromium, address)
        page = opened.new_page()
        sign_in(page, "operator")
        page.close()
        yield opened
        opened.close()


class _Watched:
    """A page on which nothing of the payloads may happen."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.happened: list[str] = []
        self.page.on("dialog", lambda dialog: self.happened.append(f"dialog {dialog.message}"))
        self.page.on("pageerror", lambda error: self.happened.append(f"error {error}"))
        self.page.on("request", lambda asked: self._asked(asked.url))

    def _asked(self, url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "data:image/", "blob:")):
            self.happened.append(f"asked {url}")

    def open(self, path: str, *, until: str = "main h1") -> None:
        self.page.goto(path)
        self.page.locator(until).first.wait_for()
        expect(self.page.get_by_text(_LOADS)).to_have_count(0)
        assert self.page.evaluate("window.ran") is None, path
        assert self.page.evaluate(_LIVE) == [], path
        assert self.happened == [], path


def _rows(project: Project, query: str) -> list[str]:
    with closing(sqlite3.connect(project.ledger)) as ledger:
        return [str(row[0]) for row in ledger.execute(query)]


def test_payloads_run_when_not_escaped(chromium: Browser) -> None:
    """In a page that takes them for HTML most of them run: else what follows would prove nothing."""
    page, ran = chromium.new_page(), 0
    for payload in PAYLOADS:
        page.goto("about:blank")
        page.set_content(f"<body>{payload}</body>", wait_until="load")
        page.wait_for_timeout(20)
        ran += page.evaluate("window.ran") == 1
    page.close()
    assert ran >= 20


def test_payloads_in_lists_are_text(hostile: Project, context: BrowserContext) -> None:
    watched = _Watched(context)
    runs = _rows(hostile, "SELECT run_id FROM runs")
    tabs = [f"/sources/{one}?tab={tab}" for one in ("pages", "fails") for tab in ("overview", "pages", "runs", "costs")]
    others = [
        "/",
        "/sources",
        "/sources?group=agency",
        "/errors",
        "/errors?view=all",
        "/manifests",
        "/control",
        "/account",
        "/nothing/<img src=x>",
    ]
    for path in [*others, *tabs, *(f"/runs/{run}" for run in runs), f"/errors?q={quote(PAYLOADS[2])}"]:
        watched.open(path)
    watched.open("/?review=all", until="[data-entry]")
    expect(watched.page.get_by_text(_REASON, exact=False).first).to_be_visible()


def test_payloads_in_pages_and_versions_are_text(hostile: Project, context: BrowserContext) -> None:
    watched = _Watched(context)
    pages = _rows(hostile, "SELECT page_id FROM pages WHERE source_id = 'pages' AND last_seq > 1")
    assert len(pages) == len(_GROUPS)
    for page_id in pages:
        watched.open(f"/pages/{page_id}?tab=compare&from={page_id}-1&to={page_id}-2", until="text=and more")
        watched.open(f"/pages/{page_id}?tab=text&version={page_id}-2", until="text=and more")
        watched.open(f"/pages/{page_id}?tab=as-of&on={datetime.now(UTC):%Y-%m-%d}", until="main dl")


def test_payloads_in_corpus_are_text(hostile: Project, context: BrowserContext) -> None:
    watched = _Watched(context)
    [run_id] = _rows(hostile, "SELECT run_id FROM corpus_runs")
    for path in ("/corpus", "/corpus/example.gov", f"/corpus/runs/{run_id}", f"/corpus/runs/{run_id}?show=review"):
        watched.open(path)
    pages = _rows(hostile, "SELECT page_id FROM corpus_pages")
    assert len(pages) == len(_GROUPS)
    for page_id in pages:
        for tab in ("", "?how=lines", "?tab=texts", "?tab=out", "?tab=history"):
            watched.open(f"/corpus/runs/{run_id}/pages/{page_id}{tab}")


def test_payloads_in_reasons_are_text(hostile: Project, context: BrowserContext) -> None:
    watched = _Watched(context)
    watched.open("/control")
    expect(watched.page.get_by_text(PAYLOADS[0], exact=False).first).to_be_visible()


def test_payloads_in_raw_responses_never_run(hostile: Project, context: BrowserContext) -> None:
    """As a page of its own, outside of the frame that the screens give it."""
    watched = _Watched(context)
    failed = _rows(hostile, "SELECT audit_id FROM audit WHERE state = 'failed' AND kind = 'page'")
    assert len(failed) >= len(PAYLOADS)
    for audit_id in failed[: len(PAYLOADS)]:
        watched.page.goto(f"/api/v1/failures/{audit_id}/response")
        assert watched.page.evaluate("window.ran") is None
    watched.open(f"/failures/{failed[0]}", until="iframe")
    for page_id in _rows(hostile, "SELECT page_id FROM pages WHERE source_id = 'pages' AND last_seq > 1"):
        watched.page.goto(f"/api/v1/versions/{page_id}-2/raw")
        assert watched.page.evaluate("window.ran") is None
    assert watched.happened == []


def test_payloads_in_manifest_are_text(context: BrowserContext) -> None:
    watched = _Watched(context)
    watched.open("/manifests")
    watched.page.get_by_label("Name").fill("hostile")
    text = json.dumps({payload: payload for payload in PAYLOADS}, indent=1)
    watched.page.locator("textarea").fill(text)
    watched.page.get_by_role("button", name="Check").click()
    watched.page.get_by_text("problem").first.wait_for()
    assert watched.page.evaluate("window.ran") is None
    assert watched.page.evaluate(_LIVE) == []
    assert watched.happened == []
