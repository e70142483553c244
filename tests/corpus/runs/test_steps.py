"""Map, samples, triage and texts of a run, over what a collection has left in ledger and store."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.page_map import run_mapping
from rori_spiders.corpus.runs.page_texts import run_scraping
from rori_spiders.corpus.runs.review import lock_run
from rori_spiders.corpus.runs.run import RunContext
from rori_spiders.corpus.runs.triage_steps import run_page_triage, run_section_sampling
from rori_spiders.corpus.site_rules import parse_site_rules
from rori_spiders.crawl.adhoc.messages import FetchedPage, PageNotFetched
from rori_spiders.exceptions import UsageError
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.corpus import run_pages, source_texts
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.runs.frontier import FinalState
from rori_spiders.manifest.models import Source
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.staging.disk.store import DiskStore
from tests.corpus.factories import DOMAIN, SOURCE, a_run, address, page_id, row_of
from tests.ledger.factories import RUN, at, mark_gone
from tests.ledger.factories import a_run as a_collection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger

_REASONS = {
    "captured": CAPTURED,
    "unchanged": Reason(ReasonCode.SAME_TEXT),
    "excluded": Reason(ReasonCode.ROBOTS_DISALLOWED, target_url="x"),
    "failed": Reason(ReasonCode.TIMEOUT),
    "gone": Reason(ReasonCode.GONE),
}

GUIDE = Source.model_validate(
    {
        "id": SOURCE, "name": "Guide", "url": f"https://{DOMAIN}/", "domain": DOMAIN, "jurisdiction": "federal",
        "source_type": "guide", "method": "crawl", "status": "active",
    }
)  # fmt: skip
"""A small site: what its collection came to, by path."""
STATES = {
    "": "captured", "rules/1": "captured", "rules/2": "unchanged", "rules/3": "failed", "private": "excluded",
    "news/2020/01/a": "captured", "events/x": "captured", "rules/gone": "gone",
}  # fmt: skip


class Site:
    """A collected site and a run of its corpus."""

    def __init__(self, ledger: Ledger, path: Path) -> None:
        self.ledger = ledger
        self.store = DiskStore(path.parent / "staged")
        self.requests: list[str] = []
        with ledger.begin() as conn:
            a_collection(conn, RUN, source_id=SOURCE, state="complete")
            for name, state in STATES.items():
                self._add(conn, name, state)

    def hold(self, conn: Any, name: str, published: str | None = None) -> page_history.PageRow:
        """A page with a text, on whose day of publication its publisher has an opinion."""
        page = page_history.ensure_page(conn, SOURCE, address(name), now=at())
        version = replace(self.version(f"# Page {name}\n\nIts text.\n"), published=published)
        page_history.add_version(conn, page.page_id, version, body_chars=30)
        return page

    def _add(self, conn: Any, name: str, state: str) -> None:
        url = address(name)
        visit = FrontierUrl(RUN, SOURCE, url, kind="page", depth=1, found_on=None, found_by="link")
        frontier.add_urls(conn, RUN, [visit])
        frontier.settle_urls(conn, RUN, [FinalState(url, state, _REASONS[state])], now=at())
        if state in {"captured", "unchanged", "gone"}:
            page = self.hold(conn, name)
        if state == "gone":
            mark_gone(conn, page.page_id, now=at())

    def version(self, body: str) -> page_history.NewVersion:
        digest = self.store.put_object(body.encode())
        return page_history.NewVersion(
            run_id=RUN, captured_at=at(), change_type="new", content_hash=digest, html_hash=None, raw_object=digest,
            body_object=digest, section_hashes=[], converter_version="1", tier="http", title=body.split("\n")[0][2:],
            published=None, effective=None, publisher_version=None,
        )  # fmt: skip

    async def fetch(self, urls: Sequence[str]) -> AsyncIterator[FetchedPage | PageNotFetched]:
        for url in urls:
            self.requests.append(url)
            if "rules/3" in url:
                yield PageNotFetched(fetch_id=1, url=url, state="failed", reason="denied")
            else:
                yield FetchedPage(
                    fetch_id=1, url=url, final_url=url, title="New", body="# New\n\nFetched.\n", content_hash="0" * 64,
                    tier="http", status=200, at=at(5), depth=0, description="As it says.", language="fr",
                    published="2026-02-01", breadcrumbs=("Home", "Rules"),
                )  # fmt: skip

    def work(self, run: CorpusRun, rules: str = "", **other: Any) -> RunContext:
        return RunContext(
            run, self.ledger, self.store, {SOURCE: GUIDE}, lambda: at(9), parse_site_rules(rules), **other
        )


@pytest.fixture
def site(ledger: Ledger, path: Path) -> Site:
    return Site(ledger, path)


def through_triage(site: Site, rules: str = "", **other: Any) -> CorpusRun:
    run = a_run(site.ledger)
    work = site.work(run, rules, **other)
    for step in (run_mapping, run_section_sampling, run_page_triage):
        asyncio.run(step(work))
    return run


def decisions(site: Site, run: CorpusRun) -> dict[str, tuple[str | None, str | None]]:
    with site.ledger.connect() as conn:
        rows = run_pages.list_pages(conn, run.run_id)
    return {row.url.removeprefix(address("")): (row.decision, row.rule) for row in rows}


def test_map_step_every_known_url_is_triaged(site: Site) -> None:
    run = through_triage(site)
    assert decisions(site, run) == {
        "": ("include", "reviewed source"),
        "rules/1": ("include", "reviewed source"),
        "rules/2": ("include", "reviewed source"),
        "rules/3": ("include", "reviewed source"),
        "private": ("exclude", "collection"),
        "news/2020/01/a": ("exclude", "old news"),
        "events/x": ("exclude", "events"),
        "rules/gone": ("exclude", "gone"),
    }
    row = row_of(site.ledger, run, "private")
    assert (row.met, row.section, row.got, row.found_by) == ("excluded", "/", None, "map")
    assert "robots" in row.reason
    assert row_of(site.ledger, run, "rules/1").template == "/rules/*"


def test_map_step_repeated_changes_nothing(site: Site) -> None:
    run = through_triage(site)
    with site.ledger.begin() as conn:
        run_pages.update_page(conn, run.run_id, page_id("rules/1"), {"decision": "exclude", "rule": "mine"})
    work = site.work(run)
    for step in (run_mapping, run_section_sampling, run_page_triage):
        asyncio.run(step(work))
    assert decisions(site, run)["rules/1"] == ("exclude", "mine")
    assert len(decisions(site, run)) == len(STATES)


def test_triage_step_human_decision_holds_in_next_run(site: Site) -> None:
    run = through_triage(site)
    with lock_run(site.ledger, run.run_id, by="ann", now=at()) as mine:
        review.decide_page(mine, page_id("events/x"), "include", "a rule is told there")
        mine.move("cancelled", ends=True)
    assert decisions(site, through_triage(site))["events/x"] == ("include", "ann")


def test_map_step_added_url_stays_until_withdrawn(site: Site) -> None:
    run = through_triage(site)
    with lock_run(site.ledger, run.run_id, by="ann", now=at()) as mine:
        review.add_url(mine, address("annex"), "no link leads there", {DOMAIN})
        mine.move("cancelled", ends=True)
    run = through_triage(site)
    assert decisions(site, run)["annex"] == ("include", "ann")
    with lock_run(site.ledger, run.run_id, by="ann", now=at()) as mine:
        review.decide_page(mine, page_id("annex"), "exclude", "it is out of date")
        mine.move("cancelled", ends=True)
    assert "annex" not in decisions(site, through_triage(site))


def test_triage_step_age_of_news_uses_all_pages(site: Site) -> None:
    with site.ledger.begin() as conn:
        for number in range(6):
            site.hold(conn, f"news/a{number}", published="2019-04-01")
    assert {rule for name, (_, rule) in decisions(site, through_triage(site)).items() if name.startswith("news/a")} == {
        "old news"
    }


def test_text_step_stored_texts_are_used_others_are_fetched(site: Site) -> None:
    run = through_triage(site)
    with lock_run(site.ledger, run.run_id, by="ann", now=at()) as mine:
        review.add_url(mine, address("new"), "wanted", {DOMAIN})
        review.decide_page(mine, page_id("rules/3"), "include", "try again")
    asyncio.run(run_scraping(site.work(run, fetch=site.fetch)))
    assert sorted(site.requests) == [address("new"), address("rules/3")]
    new, failed, held = (row_of(site.ledger, run, name) for name in ("new", "rules/3", "rules/1"))
    assert (new.got, new.title, site.store.get_object(new.raw_object)) == ("fetched", "New", b"# New\n\nFetched.\n")
    assert (new.description, new.language, new.published, new.dated) == (
        "As it says.",
        "fr",
        "2026-02-01",
        "2026-02-01",
    )
    assert new.stated == {"breadcrumbs": ["Home", "Rules"], "rights": None, "supersedes": None}
    assert (failed.got, failed.got_reason, failed.raw_object) == ("failed", "denied", None)
    assert (held.got, held.got_at, held.title) == ("staged", at(), "Page rules/1")
    asyncio.run(run_scraping(site.work(run, fetch=site.fetch)))
    assert len(site.requests) == 2, "what was asked once is not asked again"


def test_text_step_without_fetcher_page_fails_with_reason(site: Site) -> None:
    run = through_triage(site)
    asyncio.run(run_scraping(site.work(run)))
    assert row_of(site.ledger, run, "rules/3").got_reason == "no text stored, and this run fetches nothing"


def test_text_step_envelope_missing_fails_that_page_alone(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    held = source_texts.load_held_texts

    def with_envelopes(*args: Any, **kwargs: Any) -> dict[str, source_texts.HeldText]:
        found = held(*args, **kwargs)
        path = "cfpb/2026-01-01/lost.json"
        return {
            url: replace(one, envelope_path=path) if url == address("rules/1") else one for url, one in found.items()
        }

    monkeypatch.setattr(source_texts, "load_held_texts", with_envelopes)
    run = through_triage(site)
    asyncio.run(run_scraping(site.work(run)))
    lost, other = row_of(site.ledger, run, "rules/1"), row_of(site.ledger, run, "rules/2")
    assert (lost.got, lost.raw_object, other.got) == ("failed", None, "staged")
    assert (
        lost.got_reason.startswith("its envelope cfpb/2026-01-01/lost.json is missing") and "exclude" in lost.got_reason
    )


def test_map_step_unknown_domain_has_no_pages(ledger: Ledger, path: Path) -> None:
    work = RunContext(a_run(ledger), ledger, DiskStore(path.parent / "staged"), {SOURCE: GUIDE}, lambda: at(9))
    with pytest.raises(UsageError, match="Collect its sources first"):
        asyncio.run(run_mapping(work))


def test_triage_step_model_exchanges_are_stored(site: Site) -> None:
    from rori_spiders.ledger.corpus import run_states
    from rori_spiders.llm.client import ModelClient
    from rori_spiders.llm.keys import KeyRotator
    from rori_spiders.llm.model import Model
    from tests.support.model_budget import UnlimitedBudget
    from tests.support.server.chat import GOOD_KEY, Chat, said
    from tests.support.server.fixtures import next_address

    def answer(call: Any) -> Any:
        listed = [json.loads(line) for line in call.text.splitlines()]
        assert any("Its text." in row.get("text begins", "") for row in listed)
        one = {"decision": "exclude", "reason": "it only leads on", "confidence": 0.8}
        return said({"decisions": [{"page": row["page"], **one} for row in listed]})

    async def asked(chat: Chat, run: CorpusRun) -> None:
        async with ModelClient(Model(chat.url, "m"), KeyRotator([GOOD_KEY]), UnlimitedBudget()) as model:
            for step in (run_mapping, run_section_sampling, run_page_triage):
                await step(site.work(run, model=model))

    run = a_run(site.ledger)
    with Chat(next_address()) as chat:
        chat.answer = answer
        asyncio.run(asked(chat, run))
    row = row_of(site.ledger, run, "rules/1")
    assert (row.decision, row.decided_by, row.rule, row.confidence) == ("exclude", "model", "m", 0.8)
    with site.ledger.connect() as conn:
        kept = run_states.find_run(conn, run.run_id)
    assert kept is not None and kept.triage_object is not None
    (exchange,) = json.loads(site.store.get_object(kept.triage_object))
    assert exchange["model"] == "m" and exchange["parameters"]["temperature"] == 0 and "decisions" in exchange["answer"]


def test_map_step_url_named_by_manifest_keeps_parameters(site: Site) -> None:
    source = Source.model_validate({**GUIDE.model_dump(exclude_unset=True), "url": address("view.xhtml?path=/title12")})
    with site.ledger.begin() as conn:
        site._add(conn, "view.xhtml?path=/title12", "captured")
        site._add(conn, "view.xhtml?path=/title12&sort=up", "captured")
    run = a_run(site.ledger)
    work = replace(site.work(run), sources={SOURCE: source})
    for step in (run_mapping, run_page_triage):
        asyncio.run(step(work))
    assert row_of(site.ledger, run, "view.xhtml?path=/title12").decision == "include"
    assert row_of(site.ledger, run, "view.xhtml?path=/title12&sort=up").rule == "query"


def test_triage_step_sample_in_other_language_is_excluded(site: Site) -> None:
    spanish = "# Guía\n\n" + "El prestamista debe enviar el aviso antes de diez días, y guardar una copia. " * 8
    with site.ledger.begin() as conn:
        page = page_history.ensure_page(conn, SOURCE, address("rules/1"), now=at())
        page_history.add_version(conn, page.page_id, site.version(spanish), body_chars=len(spanish))
    found = decisions(site, through_triage(site))["rules/1"]
    assert found == ("exclude", "language")
