"""The corpus in a browser, by keyboard: a run is looked through, decided about, approved; who may only look does so."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import open_store
from tests.corpus.factories import DOMAIN, a_page, now_of, page_id
from tests.corpus.publishing.conftest import Corpus
from tests.corpus.publishing.factories import DOMAIN as PUBLISHED
from tests.corpus.publishing.factories import OTHER, SITE
from tests.monitor.browser.by_keyboard import Keyboard
from tests.monitor.browser.operated import operated
from tests.monitor.browser.seen import faultless
from tests.monitor.browser.serving import serving
from tests.monitor.corpus_runs import reviewed, texts
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

_WHY = "superseded <b>in</b> 2024"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = operated(tmp_path_factory)
    made.manifest([source("guide", f"https://{DOMAIN}/", "crawl", name="The guide")])
    return made


@pytest.fixture
def run_id(project: Project) -> str:
    """A run that waits for a person, in place of that of the test before; one of its texts holds what would run where
    it were taken for HTML.
    """
    with closing(open_ledger(f"sqlite:///{project.ledger}")) as ledger:
        store = open_store(str(project.staging))
        with ledger.begin() as conn:
            if (former := run_states.find_open_run(conn, DOMAIN)) is not None:
                run_states.move_run(conn, former, "cancelled", now=datetime.now(UTC), ends=True)
        run = reviewed(ledger, store)
        hostile = "# <img src=x onerror=window.ran=1>\n\n<script>window.ran=1</script> [go](javascript:window.ran=1)\n"
        alive = texts(store, "alive", raw=f"{hostile}\nSubscribe\n", clean=hostile)
        a_page(ledger, run, "guide/alive", **alive, title="<script>window.ran=1</script>")
    return run.run_id


@pytest.fixture(scope="module")
def monitor(project: Project) -> Iterator[str]:
    with serving(project) as address:
        yield address


def rows(page: Page) -> Locator:
    return page.get_by_role("table", name="Pages").get_by_role("row")


def dialog(page: Page, name: str) -> Locator:
    return page.get_by_role("dialog", name=name)


def give_reason(page: Page, name: str, why: str = _WHY) -> None:
    """Type the reason that the open dialog asks for, and send it by Enter."""
    expect(dialog(page, name).get_by_label(re.compile("Reason"))).to_be_focused()
    page.keyboard.type(why)
    page.keyboard.press("Enter")
    expect(dialog(page, name)).to_be_hidden()


def test_corpus_screen_viewer_has_no_actions(signed_in: SignedIn, run_id: str) -> None:
    page = signed_in("viewer", "/corpus")
    expect(page.get_by_role("row").filter(has_text=DOMAIN)).to_contain_text("ready for review")
    assert faultless(page, "corpora") == []
    page.get_by_role("link", name=f"Review: run of {DOMAIN}").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.get_by_text("1 page has no decision")).to_be_visible()
    expect(rows(page)).to_have_count(9)
    assert faultless(page, "run") == []
    page.keyboard.press("j")
    page.keyboard.press("e")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("o")
    expect(page.get_by_role("heading", level=1, name="Late fees")).to_be_focused()
    page.keyboard.press("a")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for path in (f"/corpus/runs/{run_id}", f"/corpus/runs/{run_id}/pages/{page_id('fees')}", f"/corpus/{DOMAIN}"):
        page.goto(path)
        expect(page.get_by_text("Read-only access")).to_be_visible()
        acts = re.compile("Approve|Reject|Include|Exclude|Clean|Cancel|Add|Publish|Start|Roll", re.IGNORECASE)
        expect(page.get_by_role("button", name=acts)).to_have_count(0)


def test_corpus_screen_removals_and_refusals_are_listed(signed_in: SignedIn, run_id: str) -> None:
    page = signed_in("viewer", f"/corpus/runs/{run_id}/pages/{page_id('fees')}?tab=out")
    expect(page.get_by_role("listitem").filter(has_text="## Related articles")).to_contain_text("drop_sections")
    expect(page.get_by_role("listitem").filter(has_text="[Home](https://example.gov/)")).to_be_visible()
    refused = page.get_by_role("listitem").filter(has_text="added_words")
    expect(refused).to_contain_text("the words `and more` are not in it")


def test_corpus_screen_referrers_beyond_five_open_on_demand(signed_in: SignedIn, run_id: str) -> None:
    def refers(number: int, citation: str) -> dict[str, str | None]:
        names = ("from_page_id", "from_run_id", "to_url", "to_title", "target_chunk")
        from_url = f"https://{DOMAIN}/{number}"
        said = {"from_url": from_url, "from_title": f"§ {number} Escrow accounts.", "citation": citation}
        return {**dict.fromkeys(names), **said, "resolution": "exact", "chunk": "c"}

    items = [refers(number, f"12 C.F.R. § 1024.{of}") for number in range(7) for of in (5, 6)]
    page = signed_in("viewer")
    page.route("**/references?*", lambda route: route.fulfill(json={"items": items, "total": 75, "version": 3}))
    page.goto(f"/corpus/runs/{run_id}/pages/{page_id('fees')}")
    card = page.get_by_role("region", name="Referred to by")
    first = card.get_by_role("listitem").first
    expect(first).to_contain_text("(12 C.F.R. § 1024.5, 12 C.F.R. § 1024.6)")
    assert "§\u00a01024.5" in first.inner_text(), "a sign keeps its number"
    expect(card.get_by_role("listitem")).to_have_count(5)
    expect(card).to_contain_text("and 61 more references; version 3, the latest")
    card.get_by_text("2 more pages").click()
    expect(card.get_by_role("listitem")).to_have_count(7)
    assert faultless(page, "referrers") == []


def test_corpus_screen_hostile_text_is_inert(signed_in: SignedIn, run_id: str) -> None:
    page = signed_in("operator", f"/corpus/runs/{run_id}/pages/{page_id('guide/alive')}")
    for tab in ("", "?how=lines", "?tab=texts", "?tab=out", "?tab=history"):
        page.goto(f"/corpus/runs/{run_id}/pages/{page_id('guide/alive')}{tab}")
        expect(page.get_by_role("heading", level=1)).to_have_text("<script>window.ran=1</script>")
        expect(page.get_by_text(re.compile(r"^Loading"))).to_have_count(0)
        assert page.evaluate("window.ran") is None
        assert tab in {"?how=lines", "?tab=history"} or faultless(page, f"page {tab}") == []


def test_corpus_screen_keyboard_decides_about_pages(signed_in: SignedIn, run_id: str) -> None:
    page = signed_in("operator", f"/corpus/runs/{run_id}")
    sections = page.get_by_role("navigation", name="Sections")
    sections.get_by_role("link").filter(has_text="/guide/").press("Enter")
    expect(page).to_have_url(re.compile(r"section=%2Fguide%2F"))
    expect(rows(page)).to_have_count(6)
    page.get_by_label("Show").select_option("failed (1)")
    expect(rows(page)).to_have_count(2)
    expect(rows(page).nth(1)).to_contain_text("it answered 503 four times")
    page.locator("body").press("j")
    page.keyboard.press("e")
    assert faultless(page, "exclude") == []
    page.keyboard.press("Escape")
    expect(rows(page).nth(1).get_by_role("link").first).to_be_focused()
    page.keyboard.press("e")
    give_reason(page, "Exclude this page?")
    expect(page.get_by_text("No matching pages.")).to_be_visible()
    page.get_by_role("button", name="Clear 2 filters").press("Enter")
    page.get_by_label("Show").select_option("excluded (2)")
    expect(rows(page).filter(has_text="/guide/away")).to_contain_text(f"{_WHY} (by operator)")


def test_corpus_screen_keyboard_approves_texts(signed_in: SignedIn, run_id: str, excused: list[str]) -> None:
    excused.append("status of 409")
    page = signed_in("operator", f"/corpus/runs/{run_id}?show=waiting")
    expect(rows(page).nth(1)).to_be_visible()  # a key that comes before the rows moves to none of them
    page.locator("body").press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Late fees")).to_be_focused()
    expect(page.locator("del").filter(has_text="Subscribe")).to_be_visible()
    page.keyboard.press("a")
    assert faultless(page, "approve") == []
    give_reason(page, "Approve this text?", "")
    expect(page.get_by_role("status").filter(has_text="Approved: Late fees")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("<script>window.ran=1</script>")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.keyboard.press("r")
    give_reason(page, "Reject this text?")
    expect(page.get_by_text("rejected by operator").first).to_be_visible()
    page.keyboard.press("u")
    expect(rows(page).filter(has_text="/guide/thin")).to_be_visible()
    page.get_by_label("Show").select_option("held by a gate (1)")
    expect(rows(page)).to_have_count(2)
    page.locator("body").press("j")
    page.keyboard.press("o")
    expect(page.get_by_role("button", name="Approve …")).to_be_visible()
    page.keyboard.press("a")
    expect(dialog(page, "Approve this text?")).to_contain_text("it has 12 words")
    page.keyboard.press("Enter")
    expect(dialog(page, "Approve this text?")).to_be_visible()
    give_reason(page, "Approve this text?", "short, and whole")
    expect(page.get_by_text("approved by operator").first).to_be_visible()


def test_corpus_screen_corpus_is_approved_when_nothing_is_open(signed_in: SignedIn, run_id: str) -> None:
    page = signed_in("operator", f"/corpus/runs/{run_id}")
    approve = page.get_by_role("button", name="Approve corpus …")
    expect(approve).to_be_disabled()
    for words in ("prices", "guide/key", "guide/alive", "guide/away", "guide/thin"):
        page.get_by_label("Find").fill(words)
        expect(rows(page).nth(1)).to_contain_text(f"/{words}")
        page.keyboard.press("Tab")
        page.keyboard.press("j")
        page.keyboard.press("e")
        give_reason(page, "Exclude this page?")
        expect(rows(page).nth(1)).to_contain_text("excluded")
    page.get_by_role("button", name="Approve all publishable …").press("Enter")
    dialog(page, "Approve all publishable pages?").get_by_role("button", name="Approve all").press("Enter")
    expect(page.get_by_text("Ready: the corpus can be approved.")).to_be_visible()
    approve.press("Enter")
    dialog(page, f"Approve the corpus of {DOMAIN}?").get_by_role("button", name="Approve", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Withdraw approval …")).to_be_visible()
    assert faultless(page, "approved") == []
    page.get_by_role("link", name=DOMAIN, exact=True).press("Enter")
    deeds = page.get_by_role("table", name="Activity log")
    expect(deeds.get_by_role("row").nth(1)).to_contain_text(re.compile(r"operator\s*approve"))
    expect(deeds).to_contain_text(_WHY)
    assert faultless(page, "domain") == []


def test_corpus_screen_run_is_cancelled_and_another_started(signed_in: SignedIn, run_id: str) -> None:
    page = signed_in("operator", f"/corpus/runs/{run_id}")
    page.get_by_role("button", name="Cancel run …").press("Enter")
    give_reason(page, "Cancel this run?")
    expect(page.get_by_text(f"The run was cancelled: {_WHY}")).to_be_visible()
    page.goto("/corpus")
    page.get_by_label("Domain").fill(DOMAIN)
    page.keyboard.press("Enter")
    expect(
        page.get_by_text(f"Not running. This monitor does not start workers; run scrapy corpus run {DOMAIN}.")
    ).to_be_visible()
    expect(page.get_by_text("No pages yet.")).to_be_visible()
    assert faultless(page, "begun") == []


def test_corpus_screen_keyboard_publishes_older_version(signed_in: SignedIn, project: Project, run_id: str) -> None:
    with closing(open_ledger(f"sqlite:///{project.ledger}")) as ledger:
        published = Corpus(ledger, open_store(str(project.staging)))
        published.approved()
        published.publish({"a": SITE["a"]})
        published.publish(SITE, OTHER)
    page = signed_in("operator", f"/corpus/{PUBLISHED}")
    versions, keys = page.get_by_role("table", name="Versions"), Keyboard(page)
    expect(versions.get_by_role("button", name="Roll back")).to_have_count(1)
    keys.button("Roll back … to version 1")
    assert faultless(page, "roll back") == []
    keys.fill(Type=DOMAIN)
    expect(dialog(page, f"Roll {PUBLISHED} back to version 1?")).to_be_visible()
    keys.fill(Type=PUBLISHED, Reason=_WHY)
    newest = versions.get_by_role("row").filter(has_text="v3")
    expect(newest).to_contain_text(re.compile(r"v3\s*published.*operator.*rollback to v1", re.DOTALL))
    deeds = page.get_by_role("table", name="Activity log").get_by_role("row").nth(1)
    expect(deeds).to_contain_text(re.compile(rf"operator\s*roll back.*{re.escape(_WHY)}"))
    assert faultless(page, "rolled back") == []


def test_corpus_screen_keyboard_loads_next_part_of_list(signed_in: SignedIn, project: Project, run_id: str) -> None:
    """The list shows 50 at once: whoever reads page by page does not stop there, and goes back to where they are."""
    with closing(open_ledger(f"sqlite:///{project.ledger}")) as ledger:
        run = now_of(ledger, run_id)
        bare = dict.fromkeys(("raw_object", "draft_object", "clean_object", "document_object", "gate", "got"))
        for number in range(55):
            a_page(ledger, run, f"many/{number:02}", **bare, decision="exclude", title=f"Many {number:02}")
    page = signed_in("viewer", f"/corpus/runs/{run_id}/pages/{page_id('many/48')}?section=%2Fmany%2F")
    moves = page.get_by_role("navigation", name="Pages of the run")
    expect(moves).to_contain_text("49 of 55")
    for key, number in (("J", 49), ("J", 50), ("J", 51), ("K", 50), ("K", 49), ("J", 50)):
        page.keyboard.press(key)
        expect(page.get_by_role("heading", level=1, name=f"Many {number:02}")).to_be_visible()
        expect(moves).to_contain_text(f"{number + 1} of 55")
    page.keyboard.press("u")
    expect(rows(page).filter(has_text="Many 50")).to_be_visible()
    expect(rows(page).filter(has_text="Many 49")).to_have_count(0)
