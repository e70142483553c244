"""``scrapy corpus`` with a model that cleans: true, lying, cut off, killed in between, asked again for nothing."""

from __future__ import annotations

import json
import signal
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus.llm_cleaning.scripted_model import DEMO, answer, honest, question
from tests.support.project import is_soon
from tests.support.server.batches import BatchChat
from tests.support.server.chat import GOOD_KEY, Chat, ChatRequest, Raw, said
from tests.support.server.fixtures import next_address
from tests.terminal.commands.test_corpus import Corpus, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.server.site import Site

pytestmark = pytest.mark.crawl

DEMO_LINK = '<p><a href="https://www.acme.example/demo">Book a demo</a></p>'


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(next_address()) as opened:
        opened.answer = answered
        yield opened


@pytest.fixture
def corpus(tmp_path: Path, site: Site, chat: Chat) -> Corpus:
    made = Corpus(tmp_path, site, offered)
    made.project.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small", "RORI_LLM_KEYS": GOOD_KEY}
    return made


def offered(name: str) -> str:
    """Two of the pages ask for something: too few for rules to count."""
    return page(name).replace("</main>", f"{DEMO_LINK if name in {'1', '2'} else ''}</main>")


def is_triage(asked: ChatRequest) -> bool:
    return "decisions" in asked.messages[0]["content"]


def path_of(asked: ChatRequest) -> str:
    return "/" + str(question(asked).told["source_url"]).split("/", 3)[3]


def answered(asked: ChatRequest) -> Raw:
    """All pages belong to it; the second rule is cleaned with a lie, the third one's answer is cut off."""
    if is_triage(asked):
        told = {"decision": "include", "reason": "a rule", "confidence": 0.9}
        return said({"decisions": [{"page": json.loads(line)["page"], **told} for line in asked.text.splitlines()]})
    text = honest(question(asked))
    if path_of(asked) == "/rules/2.html":
        return said(answer(text.replace("$25", "$52")))
    if path_of(asked) == "/rules/3.html":
        return said('{"cleaned_markdown": "# Ru', finish="length")
    return said(answer(text, confidence=0.4 if path_of(asked) == "/rules/4.html" else 0.9))


def held(asked: ChatRequest) -> Raw:
    """The same, but that nothing is heard of the fourth rule."""
    is_fourth = not is_triage(asked) and path_of(asked) == "/rules/4.html"
    return Raw(way="hold") if is_fourth else answered(asked)


def kept(corpus: Corpus) -> dict[str, dict[str, Any]]:
    (report,) = (corpus.project.staging / "domains" / corpus.domain / "runs").glob("*/reports/llm-cleaning.jsonl")
    told = [json.loads(line) for line in report.read_text().splitlines()]
    return {"/" + one["url"].split("/", 3)[3]: one for one in told}


def test_corpus_model_interrupted_run_is_completed_between_guards(corpus: Corpus, chat: Chat) -> None:
    chat.answer = held
    corpus.does("triage")
    with corpus.project.start("corpus", "clean", corpus.domain) as running:
        query = "SELECT count(*) FROM corpus_pages WHERE decision = 'include' AND clean_object IS NOT NULL"
        assert is_soon(lambda: rows_of(corpus, query) == [(8,)])
        running.kill()
    assert running.returncode == -signal.SIGKILL
    with sqlite3.connect(corpus.project.ledger) as ledger:
        ledger.execute("UPDATE corpus_runs SET worker = NULL, worker_until = NULL")  # as after 90 seconds
    before = sorted(path_of(one) for one in chat.requests if not is_triage(one))
    assert before == sorted([*(f"/rules/{n}.html" for n in range(8)), "/rules/2.html", "/index.html"])

    chat.requests.clear()
    chat.answer = answered
    corpus.does("run")
    assert [path_of(one) for one in chat.requests] == ["/rules/4.html"], "what was answered is not asked again"
    rows = corpus.rows("--decision", "include")
    assert {path: (row["cleaned_by"], row["gate"]) for path, row in rows.items() if path < "/rules/5"} == {
        "/index.html": ("model", rows["/index.html"]["gate"]),
        "/rules/0.html": ("model", rows["/rules/0.html"]["gate"]),
        "/rules/1.html": ("model", rows["/rules/0.html"]["gate"]),
        "/rules/2.html": ("draft", "needs_review"),
        "/rules/3.html": ("draft", "needs_review"),
        "/rules/4.html": ("model", "needs_review"),
    }
    assert "Book a demo" not in corpus.does("review", "--text", corpus.url("/rules/1.html"))
    assert "Book a demo" in corpus.does("review", "--text", corpus.url("/rules/2.html"))
    assert '"amount_changed"' in corpus.does("review", "--text", corpus.url("/rules/2.html"), "--stage", "cleaning")
    report = kept(corpus)
    assert len(report) == 9 and report["/rules/1.html"]["removed"] == [DEMO]
    assert report["/rules/3.html"]["failures"][0]["code"] == "llm_length"
    # 120 tokens a call of a server that counts; of the one that was killed, as much as was set aside.
    spent = rows_of(
        corpus, "SELECT coalesce(settled, reserved) AS spent FROM costs WHERE provider = 'llm' ORDER BY spent"
    )
    assert [amount for (amount,) in spent[:-1]] == [120.0] * (len(spent) - 1) and spent[-1][0] > 2048

    # Another run over the same texts asks again only for what was no answer.
    corpus.does("cancel", "--reason", "once more")
    chat.requests.clear()
    corpus.does("run")
    assert [path_of(one) for one in chat.requests if not is_triage(one)] == ["/rules/3.html"]


def test_corpus_model_batch_of_a_killed_run_is_taken_up(tmp_path: Path, site: Site) -> None:
    with BatchChat(next_address()) as chat:
        chat.answer, chat.open_looks = answered, 1_000
        corpus = Corpus(tmp_path, site, offered)
        priced = {"RORI_LLM_INPUT_PRICE": "1", "RORI_LLM_OUTPUT_PRICE": "4", "RORI_LLM_BATCH_SHARE": "0.5"}
        corpus.project.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small", "RORI_LLM_KEYS": GOOD_KEY, **priced}
        corpus.does("triage")
        assert "By a batch" in corpus.does("clean", "--estimate")
        corpus.project.env["RORI_LLM_BATCH"] = "1"
        with corpus.project.start("corpus", "clean", corpus.domain) as running:
            assert is_soon(lambda: "GET batches/ID" in chat.calls)
            running.kill()
        assert running.returncode == -signal.SIGKILL
        with sqlite3.connect(corpus.project.ledger) as ledger:
            ledger.execute("UPDATE corpus_runs SET worker = NULL, worker_until = NULL")  # as after 90 seconds
        chat.requests.clear()
        chat.batches[0].open_looks = 0
        corpus.does("run")
    assert chat.calls.count("POST batches") == 1
    # The lie is refused and asked about once more; all else was answered by the batch, the cut off answer, too.
    assert [(path_of(one), len(one.messages)) for one in chat.requests] == [("/rules/2.html", 4)]
    rows = corpus.rows("--decision", "include")
    by = {path: row["cleaned_by"] for path, row in rows.items()}
    assert (by["/rules/1.html"], by["/rules/2.html"], by["/rules/3.html"], by["/rules/4.html"]) == (
        "model",
        "draft",
        "draft",
        "model",
    )
    assert rows_of(corpus, "SELECT count(*) FROM costs WHERE settled_at IS NULL") == [(0,)]


def test_corpus_model_ctrl_c_while_a_batch_is_under_way_says_that_it_goes_on(tmp_path: Path, site: Site) -> None:
    with BatchChat(next_address()) as chat:
        chat.answer, chat.open_looks = answered, 1_000
        corpus = Corpus(tmp_path, site, offered)
        corpus.project.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small", "RORI_LLM_KEYS": GOOD_KEY}
        corpus.does("triage")
        corpus.project.env["RORI_LLM_BATCH"] = "1"
        with corpus.project.start("corpus", "clean", corpus.domain) as running:
            assert is_soon(lambda: "GET batches/ID" in chat.calls)
            running.send_signal(signal.SIGINT)
            output, _ = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "goes on at the server: the next run takes it up, and pays nothing twice" in output


def rows_of(corpus: Corpus, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(corpus.project.ledger) as ledger:
        return ledger.execute(query).fetchall()
