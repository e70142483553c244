"""The texts of a run cleaned by a scripted model: what is kept of each page, what is for a person, and what goes on."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningExchange
from rori_spiders.corpus.publishing.publisher import publish_version
from rori_spiders.corpus.runs.audit_step import run_validation_audit
from rori_spiders.corpus.runs.cleaning_steps import GIVEN_UP_AFTER, estimate_llm_cleanup, run_llm_cleanup
from rori_spiders.corpus.runs.run import RunContext
from rori_spiders.corpus.site_rules import parse_site_rules
from rori_spiders.exceptions import ConfigError
from rori_spiders.fields.extraction.answer_cache import FolderCache
from rori_spiders.ledger.corpus import run_pages
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.ledger.operations import costs
from rori_spiders.llm.budget import TokenBudget
from rori_spiders.llm.client import ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model
from rori_spiders.staging.disk.store import DiskStore
from tests.corpus.factories import DOMAIN, a_page, a_run, address, page_id, row_of
from tests.corpus.llm_cleaning.scripted_model import DEMO, answer, cleaning, honest, question, without_demo
from tests.corpus.publishing import factories
from tests.ledger.factories import at
from tests.support.project import is_soon
from tests.support.server.chat import GOOD_KEY, Chat, Raw, fault, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from tests.support.server.chat import ChatRequest


def draft_of(name: str) -> str:
    told = "".join(
        f"The {name} fee is ${fee} for each statement that a lender sends by mail. " for fee in range(20, 28)
    )
    return f"# Rule {name}\n\n{DEMO}\n\n## Fees\n\n{told.strip()}\n"


class Corpus:
    """A run in ``llm_cleanup`` with a draft for each of *names*."""

    def __init__(self, ledger: Ledger, path: Path, *names: str, rules: str = "") -> None:
        self.ledger = ledger
        self.store = DiskStore(path.parent / "staged")
        self.cache = FolderCache(path.parent / "answers", CleaningExchange)
        self.rules = parse_site_rules(rules)
        self.run = a_run(ledger, state="llm_cleanup")
        bare = dict.fromkeys(("clean_object", "cleaned_by", "document_object", "content_hash", "gate", "flags"))
        for name in names:
            draft = self.store.put_object(draft_of(name).encode())
            removals = self.store.put_object(b'{"removals": [], "flags": []}')
            texts = {"raw_object": draft, "draft_object": draft, "removals_object": removals, "title": f"Rule {name}"}
            a_page(ledger, self.run, name, **{**bare, **texts})

    def work(self, client: ModelClient | None) -> RunContext:
        return RunContext(self.run, self.ledger, self.store, {}, at, self.rules, model=client, answers=self.cache)

    def clean(self, chat: Chat | None, **model: Any) -> None:
        async def cleaned() -> None:
            if chat is None:
                await run_llm_cleanup(self.work(None))
                return
            asked = Model(chat.url, "m", **model)
            async with ModelClient(asked, KeyRotator([GOOD_KEY]), TokenBudget(self.ledger, asked), _at_once) as client:
                await run_llm_cleanup(self.work(client))

        asyncio.run(cleaned())

    def audit(self) -> None:
        asyncio.run(run_validation_audit(self.work(None)))

    def done(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self.page(name).clean_object is not None]

    def page(self, name: str) -> Any:
        return row_of(self.ledger, self.run, name)

    def text(self, name: str) -> str:
        return self.store.get_object(self.page(name).clean_object).decode()

    def kept(self, name: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.store.get_object(self.page(name).cleaning_object))
        return told


async def _at_once(_: float) -> None:
    """No time passes."""


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(next_address()) as opened:
        opened.answer = cleaning(honest)
        yield opened


def of_page(asked: ChatRequest) -> str:
    return str(question(asked).told["source_url"]).removeprefix(address(""))


def test_llm_cleanup_without_model_keeps_draft(ledger: Ledger, path: Path) -> None:
    corpus = Corpus(ledger, path, "a")
    corpus.clean(None)
    row = corpus.page("a")
    assert (row.clean_object, row.cleaned_by, row.cleaning_object) == (row.draft_object, "draft", None)


def test_llm_cleanup_each_page_is_guarded_and_recorded(ledger: Ledger, path: Path, chat: Chat) -> None:
    corpus = Corpus(ledger, path, "good", "lying", "cut", "unsure", "flagged")

    def by_page(asked: ChatRequest) -> Raw:
        text = honest(question(asked))
        told = {
            "good": lambda: said(answer(text)),
            "lying": lambda: said(answer(text.replace("$21", "$12"))),
            "cut": lambda: said('{"cleaned_markdown": "# Rule', finish="length"),
            "unsure": lambda: said(answer(text, confidence=0.3)),
            "flagged": lambda: said(answer(text, quality_flags=["two fees\nfor one thing"])),
        }
        return told[of_page(asked)]()

    chat.answer = by_page
    corpus.clean(chat)
    drafted = {name: corpus.page(name).cleaned_by for name in ("good", "lying", "cut", "unsure", "flagged")}
    assert drafted == {"good": "model", "lying": "draft", "cut": "draft", "unsure": "model", "flagged": "model"}
    assert corpus.text("good") == without_demo(draft_of("good")) and corpus.text("lying") == draft_of("lying")
    assert corpus.kept("good")["removed"] == [DEMO] and corpus.kept("cut")["failures"][0]["code"] == "llm_length"
    assert len(chat.requests) == 6, "only the lie is asked about again"

    corpus.audit()
    rows = {name: corpus.page(name) for name in drafted}
    assert {name: row.gate for name, row in rows.items()} == {
        "good": "publishable", "lying": "needs_review", "cut": "needs_review", "unsure": "needs_review",
        "flagged": "needs_review",
    }  # fmt: skip
    flags = {
        name: set(row.flags) & {"guards", "not_cleaned", "unsure_model", "model_flag"} for name, row in rows.items()
    }
    assert flags == {
        "good": set(), "lying": {"guards"}, "cut": {"not_cleaned"}, "unsure": {"unsure_model"},
        "flagged": {"model_flag"},
    }  # fmt: skip
    assert any(one["says"] == "flagged by the model: two fees for one thing" for one in rows["flagged"].findings)
    below = f"domains/{corpus.run.domain}/runs/{corpus.run.run_id}"
    report = corpus.store.domains.read(f"{below}/reports/llm-cleaning.jsonl").decode().splitlines()
    kept = {json.loads(line)["url"].removeprefix(address("")): json.loads(line) for line in report}
    assert set(kept) == set(rows) and kept["good"]["parameters"]["temperature"] == 0
    assert "cleaned_markdown" in kept["lying"]["parts"][0]["attempts"][1]["exchange"]["answer"]


def test_llm_cleanup_block_not_sent_is_noted_without_holding(ledger: Ledger, path: Path, chat: Chat) -> None:
    corpus = Corpus(ledger, path, "a")
    corpus.clean(chat, answer_tokens=530)  # a part has 130 tokens at most
    corpus.audit()
    row = corpus.page("a")
    assert corpus.text("a") == without_demo(draft_of("a")) and row.gate == "publishable"
    assert [(one["code"], one["severity"]) for one in row.findings if one["code"] == "too_long_for_the_model"] == [
        ("too_long_for_the_model", "note")
    ]


def test_llm_cleanup_interrupted_run_asks_each_page_once(ledger: Ledger, path: Path, chat: Chat) -> None:
    names = [f"p{n}" for n in range(8)]
    corpus = Corpus(ledger, path, *names)

    async def ended() -> None:
        model = Model(chat.url, "m")
        async with ModelClient(model, KeyRotator([GOOD_KEY]), TokenBudget(ledger, model)) as client:
            cleaning_all = asyncio.create_task(run_llm_cleanup(corpus.work(client)))
            assert await asyncio.to_thread(is_soon, lambda: len(corpus.done(names)) == 7)
            cleaning_all.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cleaning_all

    chat.answer = lambda asked: Raw(way="hold") if of_page(asked) == "p3" else cleaning(honest)(asked)
    asyncio.run(ended())
    assert corpus.page("p3").clean_object is None
    chat.requests.clear()
    chat.answer = cleaning(honest)
    corpus.clean(chat)
    assert [of_page(one) for one in chat.requests] == ["p3"] and corpus.text("p3") == without_demo(draft_of("p3"))


def test_llm_cleanup_cached_answers_are_reused(ledger: Ledger, path: Path, chat: Chat) -> None:
    corpus = Corpus(ledger, path, "a", "b")
    corpus.clean(chat)
    first = {name: (corpus.page(name).clean_object, corpus.page(name).cleaning_object) for name in ("a", "b")}
    again = dict.fromkeys(("clean_object", "cleaned_by", "cleaning_object"))
    with ledger.begin() as conn:
        for name in first:
            run_pages.update_page(conn, corpus.run.run_id, corpus.page(name).page_id, again)
    corpus.clean(chat)
    assert len(chat.requests) == 2
    with ledger.connect() as conn:
        assert costs.spent_amount(conn, "llm", since=at()) == 2 * 120, (
            "it is paid from the same purse as all that models cost"
        )
    assert {name: (corpus.page(name).clean_object, corpus.page(name).cleaning_object) for name in first} == first


def test_llm_cleanup_unavailable_model_is_not_asked_for_every_page(ledger: Ledger, path: Path, chat: Chat) -> None:
    names = [f"p{n:02}" for n in range(12)]
    corpus = Corpus(ledger, path, *names)
    chat.answer = lambda _: fault(404, "no such model")
    corpus.clean(chat)
    assert GIVEN_UP_AFTER <= len(chat.requests) < len(names)
    codes = [corpus.kept(name)["failures"][0]["code"] for name in names]
    assert set(codes) == {"llm_rejected", "not_asked"} and codes.count("llm_rejected") == len(chat.requests)
    assert "no such model" in corpus.kept("p11")["failures"][0]["says"]
    assert all(corpus.text(name) == draft_of(name) for name in names)


def test_llm_cleanup_reached_limit_leaves_drafts(ledger: Ledger, path: Path, chat: Chat) -> None:
    corpus = Corpus(ledger, path, "a", "b", "c")
    corpus.clean(chat, limit=100)
    assert chat.requests == [] and corpus.kept("a")["failures"][0]["code"] == "cost_limit"
    assert corpus.page("a").clean_object == corpus.page("a").draft_object
    with ledger.connect() as conn:
        assert costs.spent_amount(conn, "llm", since=at()) == 0


def test_llm_cleanup_model_too_small_fails_state_naming_setting(ledger: Ledger, path: Path, chat: Chat) -> None:
    with pytest.raises(ConfigError, match="RORI_LLM_CONTEXT"):
        Corpus(ledger, path, "a").clean(chat, context_tokens=5000)
    assert chat.requests == []


def test_llm_cleanup_site_rules_hold(ledger: Ledger, path: Path, chat: Chat) -> None:
    corpus = Corpus(ledger, path, "a", rules="entity: FHA\nkeep_blocks_matching: [Book a demo]\n")
    corpus.clean(chat)
    assert question(chat.requests[0]).told["site"] == "FHA"
    assert corpus.text("a") == draft_of("a") and "a site rule keeps" in corpus.kept("a")["refusals"][0]["says"]


def test_llm_cleanup_estimate_bounds_what_is_asked_and_asks_nothing(ledger: Ledger, path: Path, chat: Chat) -> None:
    corpus = Corpus(ledger, path, "a", "b")
    model = Model(chat.url, "m", input_price=1.0, output_price=2.0)
    found = estimate_llm_cleanup(corpus.work(None), model)
    assert (found.pages, found.parts, found.cached, found.without_text, chat.requests) == (2, 2, 0, 0, [])
    assert found.usd == model.worth(found.input_tokens, found.output_tokens) > 0
    corpus.clean(chat)
    sent = [sum(len(one["content"]) for one in asked.messages) for asked in chat.requests]
    assert len(sent) == found.parts and sum(sent) / 4 < found.input_tokens
    assert estimate_llm_cleanup(corpus.work(None), model).pages == 0, "all are cleaned"
    with ledger.begin() as conn:
        run_pages.update_page(conn, corpus.run.run_id, page_id("a"), {"clean_object": None})
    again = estimate_llm_cleanup(corpus.work(None), model)
    assert (again.pages, again.parts, again.cached, again.usd) == (1, 0, 1, 0.0)


def test_audit_link_to_a_page_that_is_not_published_again_is_dangling(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factories, "DOMAIN", DOMAIN)
    corpus = Corpus(ledger, path, "a", "b")
    before = factories.entries(corpus.store, {"old": "# Old\n\nText.", "b": "# B\n\nText."})
    publish_version(ledger, corpus.store, factories.request(None, domain=DOMAIN), before, now=at())
    links = f"\n\nSee [it]({address('old')}) and [b]({address('b')}).\n"
    for name, text in (("a", draft_of("a") + links), ("b", draft_of("b"))):
        known = {"clean_object": corpus.store.put_object(text.encode()), "cleaned_by": "draft"}
        ledger.write(partial(run_pages.update_page, run_id=corpus.run.run_id, page_id=page_id(name), values=known))
    corpus.audit()
    [found] = [one for one in corpus.page("a").findings if one["code"] == "dangling_reference"]
    assert found["says"] == f"a link leads to {address('old')}, which was published before and is not in this version"


def test_audit_boilerplate_of_one_host_is_not_that_of_another(ledger: Ledger, path: Path) -> None:
    corpus = Corpus(ledger, path, "a", "b")
    other = "https://other.example.gov/a"
    elsewhere = {"url": other, "page_id": page_id_for_url(other)}
    removed = b'{"removals": [{"operation": "remove_boilerplate", "text": "Share this page"}], "flags": []}'
    texts = {"a": draft_of("a"), "b": f"{draft_of('b')}\n\nShare this page\n"}
    for name, text in texts.items():
        known: dict[str, Any] = {"clean_object": corpus.store.put_object(text.encode()), "cleaned_by": "draft"}
        known |= {"removals_object": corpus.store.put_object(removed)} if name == "a" else {}
        ledger.write(partial(run_pages.update_page, run_id=corpus.run.run_id, page_id=page_id(name), values=known))
    corpus.audit()
    assert "boilerplate_back" in [one["code"] for one in corpus.page("b").findings], "of the same host"
    ledger.write(partial(run_pages.update_page, run_id=corpus.run.run_id, page_id=page_id("a"), values=elsewhere))
    corpus.audit()
    assert "boilerplate_back" not in [one["code"] for one in corpus.page("b").findings]
