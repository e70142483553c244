"""A corpus from its first run to its version, by keyboard alone, with real processes for runs and loaders."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import activity_log
from tests.monitor.browser.by_keyboard import Keyboard
from tests.monitor.browser.serving import add_user, serving
from tests.support.project import Project, source
from tests.support.server.fixtures import next_address
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

_LINKS = ("/rules/escrow", "/rules/late", "/tags/rates")
_WHY = "a lender asked for it"
_WORKS = re.compile("In progress|Starting|Waiting")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site(next_address()) as served:
        for number, path in enumerate((*_LINKS, "/rules/unlinked"), start=1):
            served.page(path, _page(path.rpartition("/")[2], number))
        served.page("/rules", _page("rules", 9, *_LINKS))
        yield served


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Project:
    """A project that has collected the site, with a loader."""
    made = Project(tmp_path_factory.mktemp("reviewed"))
    made.env["RORI_CORPUS_LOADER"] = f"{made.python} -m rori_spiders.corpus.loader {made.folder / 'index.db'}"
    made.manifest([source("rules", site.at("/rules"), "crawl")], delay_s=0.01)
    done = made.scrapy("collect", "--force")
    assert done.returncode == 0, done.stdout + done.stderr
    for role in ("viewer", "operator"):
        add_user(made, role, role)
    return made


@pytest.fixture(scope="module")
def monitor(project: Project) -> Iterator[str]:
    with serving(project) as address:
        yield address


def _page(name: str, number: int, *links: str) -> str:
    words = ("escrow", "notice", "payment", "record", "servicer", "transfer", "hearing", "appeal")
    told = "".join(
        f"<p>The {name} rule {number}.{place} asks each {word} of the {name} office for {number * 10 + place} copies, "
        f"which the {name} clerk keeps beside the {word} of that year.</p>"
        for place, word in enumerate(words)
    )
    listed = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<html lang=en><title>Rule {name}</title><main><h1>Rule {name}</h1>{told}<ul>{listed}</ul></main></html>"


def _row(page: Page, words: str) -> Locator:
    return page.get_by_role("row").filter(has_text=words)


def _waits_for_a_person(page: Page) -> None:
    expect(page.get_by_role("heading", level=1).locator("..")).to_contain_text("ready for review")


@pytest.fixture(scope="module")
def domain(site: Site) -> str:
    """Its address on loopback: the name is typed to publish."""
    return str(urlsplit(site.at("/")).hostname)


def test_corpus_review_complete_by_keyboard(signed_in: SignedIn, project: Project, site: Site, domain: str) -> None:
    page = signed_in("operator", "/corpus")
    keys = Keyboard(page)
    keys.to(page.get_by_label("Domain"))
    page.keyboard.type(domain)
    keys.press("Enter")
    _works_on_it(page, domain)
    _decides(page, keys, site)
    _looks_and_approves(page, keys)
    _publishes(page, keys, domain)
    expect(_row(page, "v1").first).to_contain_text("done")
    _was_kept(page, project, domain)


def _works_on_it(page: Page, domain: str) -> None:
    """The process that the monitor has started is told of, and its end is seen without a reload."""
    expect(page.get_by_role("heading", level=1, name=f"Corpus of {domain}")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text=_WORKS)).to_be_visible()
    _waits_for_a_person(page)
    expect(page.get_by_role("status").filter(has_text=_WORKS)).to_have_count(0)


def _decides(page: Page, keys: Keyboard, site: Site) -> None:
    expect(_row(page, "/tags/rates")).to_contain_text("excluded")
    expect(page.get_by_role("navigation", name="Sections")).to_contain_text("3 included, 1 excluded")
    keys.press("j", "j", "e")
    keys.fill(Reason=_WHY)
    expect(_row(page, "/rules/escrow")).to_contain_text(f"{_WHY} (by operator)")
    expect(_row(page, "/rules/escrow").get_by_role("link").first).to_be_focused()
    keys.press("i")
    expect(page.get_by_role("dialog").get_by_label("Reason")).to_have_value(_WHY)
    keys.fill(Reason="it is of use")
    expect(_row(page, "/rules/escrow")).to_contain_text("it is of use (by operator)")
    keys.button("Add page …")
    keys.fill(URL=site.at("/rules/unlinked"), Reason=_WHY)
    expect(_row(page, "/rules/unlinked")).to_contain_text("added")
    _waits_for_a_person(page)
    expect(page.get_by_role("navigation", name="Sections")).to_contain_text("1 added by a person")


def _looks_and_approves(page: Page, keys: Keyboard) -> None:
    keys.enter(page.get_by_role("link", name="Rule unlinked"))
    expect(page.get_by_role("heading", level=1, name="Rule unlinked")).to_be_focused()
    keys.enter(page.get_by_role("link", name="Side by side"))
    raw, document = page.get_by_label("Left: Converted"), page.get_by_label("Right: To be published")
    expect(raw).to_contain_text("The unlinked rule 4.0")
    expect(document).to_contain_text("source_url:")
    keys.press("a")
    keys.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Approved: Rule unlinked")).to_be_visible()
    expect(page.get_by_role("heading", level=1, name="Rule rates")).to_be_focused()
    keys.press("u")
    expect(page.get_by_role("navigation", name="Sections")).to_be_visible()
    keys.button("Approve all publishable …")
    keys.confirm("Approve all")
    expect(page.get_by_text("Ready: the corpus can be approved.")).to_be_visible()
    keys.button("Approve corpus …")
    keys.confirm("Approve")


def _publishes(page: Page, keys: Keyboard, domain: str) -> None:
    """Confirmed by the domain's name, and by nothing else; then the domain's screen."""
    keys.button("Publish …")
    keys.fill(Type_127="yes")
    expect(page.get_by_role("dialog")).to_be_visible()
    keys.fill(Type_127=domain)
    expect(page.get_by_role("heading", level=1).locator("..")).to_contain_text("published")
    keys.enter(page.get_by_role("link", name=domain, exact=True))
    expect(page.get_by_role("table", name="Versions")).to_be_visible()


def _was_kept(page: Page, project: Project, domain: str) -> None:
    deeds = page.get_by_role("table", name="Activity log")
    expect(deeds).to_contain_text("publish")
    with closing(open_ledger(f"sqlite:///{project.ledger}")) as ledger, ledger.connect() as conn:
        kept = activity_log.recent_actions(conn, target=f"corpus {domain}", limit=50)
    assert {one["actor"] for one in kept} == {"operator"}
    assert [one["action"].removeprefix("corpus_") for one in reversed(kept)] == [
        *("begin", "exclude", "include", "include", "approve_page", "approve_publishable", "approve", "publish"),
    ]


def test_corpus_review_viewer_is_refused_each_action(signed_in: SignedIn, domain: str) -> None:
    page = signed_in("viewer", f"/corpus/{domain}")
    expect(page.get_by_role("table", name="Versions")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Roll|Start|loader"))).to_have_count(0)
    run = page.get_by_role("table", name="Runs").get_by_role("link").first.get_attribute("href")
    assert run is not None
    token = page.request.get("/api/v1/session").json()["csrf"]
    at, its = f"/api/v1{run}", f"/api/v1/corpus/domains/{domain}"
    one = page.request.get(f"{at}/pages").json()["items"][0]["page_id"]
    why = {"reason": _WHY}
    typed = {**why, "domain": domain, "version": 1}
    asked = {
        "/api/v1/corpus/runs": {"domain": domain},
        f"{at}/pages": {**why, "url": f"http://{domain}/x"},
        f"{at}/pages/{one}/decision": {**why, "decision": "exclude"},
        f"{at}/pages/{one}/approve": {"document": "0" * 64},
        f"{at}/pages/{one}/reject": why,
        f"{at}/clean": {"pages": [one]},
        **{f"{at}/{act}": why for act in ("approve-publishable", "approve", "withdraw", "cancel", "resume", "go-on")},
        f"{at}/publish": typed,
        f"{its}/rollback": typed,
        f"{its}/load": {},
    }
    for path, body in asked.items():
        answer = page.request.post(path, data=body, headers={"X-CSRF-Token": token})
        assert answer.status == 403 and "Only operators" in answer.text(), path
