"""Questions answered by batches of a scripted server: what is asked and paid once, and what a kill leaves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from rori_spiders.corpus.llm_cleaning.batch_cleaning import BatchRecord
from rori_spiders.corpus.runs.cleaning_steps import estimate_llm_cleanup, run_llm_cleanup
from rori_spiders.exceptions import ExtractionError
from rori_spiders.fields.extraction.answer_cache import FolderCache
from rori_spiders.ledger.tables import costs
from rori_spiders.llm.budget import TokenBudget
from rori_spiders.llm.client import ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model
from tests.corpus.factories import address
from tests.corpus.llm_cleaning.scripted_model import DEMO, answer, cleaning, honest, question, without_demo
from tests.corpus.runs.test_llm_cleanup import Corpus, draft_of
from tests.support.server.batches import BatchChat
from tests.support.server.chat import GOOD_KEY, Raw, fault, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from tests.support.server.chat import ChatRequest

NAMES = ("a", "b", "c")
#: Calls of a batch from its upload to its answers.
UPLOAD, CREATE, LOOK, OUTPUT = "POST files", "POST batches", "GET batches/ID", "GET files/ID/content"


class _Killed(BaseException):
    """The process ends here."""


class BatchedCorpus(Corpus):
    """Cleans by batches."""

    def __init__(self, ledger: Ledger, path: Path, *names: str) -> None:
        super().__init__(ledger, path, *names)
        self.batches = FolderCache(path.parent / "answers" / "batches", BatchRecord)

    def batched(self, chat: BatchChat, *, killed_at_sleep: bool = False, begins: bool = True, **model: Any) -> None:
        async def sleep(_: float) -> None:
            if killed_at_sleep:
                raise _Killed

        async def cleaned() -> None:
            asked = Model(chat.url, "m", **model)
            budget = TokenBudget(self.ledger, asked)
            async with ModelClient(asked, KeyRotator([GOOD_KEY]), budget, sleep, waits=()) as client:
                await run_llm_cleanup(replace(self.work(client), batches=self.batches, begins_batches=begins))

        asyncio.run(cleaned())

    def costs(self) -> list[tuple[float | None, float | None]]:
        """Tokens and USD of each call, as they were settled."""
        rows = self.ledger.read(lambda conn: conn.execute(select(costs).order_by(costs.c.cost_id)).all())
        return [(row.settled, row.usd) for row in rows]

    def are_clean(self, names: Sequence[str] = NAMES) -> bool:
        return all(self.page(name).cleaned_by == "model" and DEMO not in self.text(name) for name in names)


@pytest.fixture
def chat() -> Iterator[BatchChat]:
    with BatchChat(next_address()) as opened:
        opened.answer = cleaning(honest)
        yield opened


@pytest.fixture
def corpus(ledger: Ledger, path: Path) -> BatchedCorpus:
    return BatchedCorpus(ledger, path, *NAMES)


def name_of(asked: ChatRequest) -> str:
    return str(question(asked).told["source_url"]).removeprefix(address(""))


def test_batch_answers_all_pages_and_costs_its_share(corpus: BatchedCorpus, chat: BatchChat) -> None:
    corpus.batched(chat, input_price=10.0, output_price=10.0, batch_share=0.5)
    assert corpus.are_clean() and not chat.requests, "nothing was asked one by one"
    assert chat.calls == [UPLOAD, CREATE, LOOK, LOOK, OUTPUT]
    [(tokens, usd)] = corpus.costs()
    assert tokens == 360 and usd == pytest.approx(360 * 10 / 1_000_000 / 2)
    body = chat.batches[0].requests[0]["body"]
    assert body["messages"][0]["role"] == "system" and len({one["custom_id"] for one in chat.batches[0].requests}) == 3
    assert body["temperature"] == 0 and body["response_format"]["type"] == "json_schema"


def test_batch_answers_pass_the_same_guards(corpus: BatchedCorpus, chat: BatchChat) -> None:
    """A lie in a batch is asked about once more, by itself; a lie again is refused."""
    chat.answer = cleaning(lambda asked: honest(asked).replace("$20", "$90" if "Rule b" in asked.text else "$20"))
    corpus.batched(chat)
    assert corpus.are_clean(("a", "c")) and corpus.page("b").cleaned_by == "draft"
    assert [name_of(one) for one in chat.requests] == ["b"] and len(chat.requests[0].messages) > 2
    assert [one["code"] for one in corpus.kept("b")["refusals"]], "the reason is recorded"


@pytest.mark.parametrize("lost", ["look", "create", "created"])
def test_batch_of_a_killed_run_is_taken_up_and_not_paid_again(
    corpus: BatchedCorpus, chat: BatchChat, lost: str
) -> None:
    """Killed while it waits; or the answer to its creation is lost, before or behind the creation."""
    if lost == "look":
        with pytest.raises(_Killed):
            corpus.batched(chat, killed_at_sleep=True)
    else:
        dropped = Raw(200 if lost == "created" else 503, way="drop")
        chat.before = lambda method, path: dropped if (method, path) == ("POST", "/v1/batches") else None
        with pytest.raises(_Killed):
            corpus.batched(chat, killed_at_sleep=True)
    assert len(chat.batches) == (lost != "create") and not corpus.done(NAMES)
    chat.before, chat.calls = lambda *_: None, []
    corpus.batched(chat)
    assert len(chat.batches) == 1 and corpus.are_clean() and not chat.requests
    assert UPLOAD not in chat.calls and chat.calls.count(CREATE) == (lost == "create")
    assert corpus.costs() == [(360, 0)]
    again = len(chat.calls)
    corpus.batched(chat)
    assert len(chat.calls) == again, "nothing is left of it"


def test_batch_answer_lost_at_its_creation_is_found_by_the_same_run(corpus: BatchedCorpus, chat: BatchChat) -> None:
    lost = [Raw(200, way="drop")]
    chat.before = lambda method, path: lost.pop() if lost and (method, path) == ("POST", "/v1/batches") else None
    corpus.batched(chat)
    assert len(chat.batches) == 1 and corpus.are_clean() and not chat.requests


@pytest.mark.parametrize("ends", ["completed", "expired", "failed", "cancelled"])
def test_batch_questions_without_answer_are_asked_one_by_one(
    corpus: BatchedCorpus, chat: BatchChat, ends: str, caplog: pytest.LogCaptureFixture
) -> None:
    chat.ends, chat.leaves = ends, lambda asked: name_of(asked) != "a"
    corpus.batched(chat)
    answered = {"a"} if ends in {"completed", "expired"} else set()
    assert corpus.are_clean() and {name_of(one) for one in chat.requests} == set(NAMES) - answered
    assert f"ended as {ends} with {len(answered)} of 3 answers" in caplog.text
    assert ("batch_expired" in caplog.text) is bool(answered)
    assert sum(settled or 0 for settled, _ in corpus.costs()) == 360


def test_batch_rows_with_errors_and_foreign_rows_are_no_answers(corpus: BatchedCorpus, chat: BatchChat) -> None:
    def mixed(asked: ChatRequest) -> Raw:
        return {"a": fault(500), "b": said("{", finish="length")}.get(name_of(asked)) or cleaning(honest)(asked)

    chat.answer = mixed
    chat.open_looks = 0
    corpus.batched(chat)
    assert corpus.page("c").cleaned_by == "model"
    assert [name_of(one) for one in chat.requests] == ["a"], "b was answered, without a text: it is not paid again"
    assert corpus.kept("b")["failures"][0]["code"] == "llm_length"


@pytest.mark.parametrize(
    ("output", "asked", "is_more"),
    [
        pytest.param(lambda lines: [*lines[:2], lines[2][:90]], 1, True, id="cut off"),
        pytest.param(lambda lines: ["<html>", "null", "[]", *lines[1:]], 1, True, id="not JSON"),
        pytest.param(lambda lines: [*lines, *lines], 0, False, id="twice"),
        pytest.param(
            lambda lines: [*lines, lines[0].replace('"custom_id": "', '"custom_id": "x')], 0, False, id="foreign"
        ),
        pytest.param(lambda _: [], 3, True, id="none"),
    ],
)
def test_batch_lines_that_cannot_be_read_are_asked_again_and_count_as_paid(
    corpus: BatchedCorpus, chat: BatchChat, output: Callable[[list[str]], list[str]], asked: int, *, is_more: bool
) -> None:
    chat.output = output
    corpus.batched(chat)
    assert corpus.are_clean() and len(chat.requests) == asked
    assert (sum(settled or 0 for settled, _ in corpus.costs()) > 360) is is_more
    assert chat.calls.count(CREATE) == 1


def test_batch_answers_under_wrong_ids_are_asked_once_more(corpus: BatchedCorpus, chat: BatchChat) -> None:
    """The guards refuse the answer about another page, and the page is asked about by itself."""
    chat.open_looks = 0
    told = chat.answer
    of_page = {"a": "b", "b": "a", "c": "c"}

    def exchanged(asked: ChatRequest) -> Raw:
        if len(asked.messages) > 2:
            return told(asked)
        wrong = of_page[name_of(asked)]
        return said(answer(without_demo(draft_of(wrong))))

    chat.answer = exchanged
    corpus.batched(chat)
    assert corpus.are_clean() and sorted(map(name_of, chat.requests)) == ["a", "b"]
    for name in NAMES:
        assert corpus.text(name) == without_demo(draft_of(name))


def test_batch_unknown_to_its_server_is_counted_as_paid_and_asked_one_by_one(
    corpus: BatchedCorpus, chat: BatchChat
) -> None:
    with pytest.raises(_Killed):
        corpus.batched(chat, killed_at_sleep=True)
    chat.batches.clear()
    corpus.batched(chat)
    assert corpus.are_clean() and len(chat.requests) == 3 and not chat.batches
    first, *others = corpus.costs()
    assert (first[0] or 0) > 3 * 2048 and others == [(120, 0)] * 3


def test_batch_under_way_is_taken_up_where_no_more_are_wanted(corpus: BatchedCorpus, chat: BatchChat) -> None:
    with pytest.raises(_Killed):
        corpus.batched(chat, killed_at_sleep=True)
    corpus.batched(chat, begins=False)
    assert corpus.are_clean() and len(chat.batches) == 1 and not chat.requests


def test_batch_output_that_is_gone_does_not_hold_the_run(corpus: BatchedCorpus, chat: BatchChat) -> None:
    chat.before = lambda method, path: fault(404, "expired") if path.endswith("/content") else None
    corpus.batched(chat)
    assert corpus.are_clean() and len(chat.requests) == 3 and len(chat.batches) == 1


@pytest.mark.parametrize("refused", ["POST /v1/files", "POST /v1/batches"])
def test_batch_that_a_server_does_not_support_costs_nothing(
    corpus: BatchedCorpus, chat: BatchChat, refused: str, caplog: pytest.LogCaptureFixture
) -> None:
    chat.before = lambda method, path: fault(404, "no batches here") if f"{method} {path}" == refused else None
    corpus.batched(chat)
    assert corpus.are_clean() and len(chat.requests) == 3 and "No batch was created" in caplog.text
    assert sorted(settled or 0 for settled, _ in corpus.costs()) == [0, 120, 120, 120]


def test_batch_above_the_budget_is_not_created(corpus: BatchedCorpus, chat: BatchChat) -> None:
    corpus.batched(chat, limit=4_000)
    assert not chat.calls and len(chat.requests) >= 1


def test_batch_server_that_stays_away_stops_the_run_and_loses_nothing(corpus: BatchedCorpus, chat: BatchChat) -> None:
    chat.before = lambda method, path: fault(503) if method == "GET" and "batches/" in path else None
    with pytest.raises(ExtractionError, match="goes on at the server: the next run takes it up"):
        corpus.batched(chat)
    chat.before = lambda *_: None
    corpus.batched(chat)
    assert corpus.are_clean() and len(chat.batches) == 1 and not chat.requests


def test_batch_whose_creation_is_not_known_stops_the_run_and_is_looked_for(
    corpus: BatchedCorpus, chat: BatchChat
) -> None:
    chat.before = lambda method, path: fault(500) if (method, path) == ("POST", "/v1/batches") else None
    with pytest.raises(ExtractionError, match="the next run looks for it, and pays nothing twice"):
        corpus.batched(chat)
    chat.before = lambda *_: None
    corpus.batched(chat)
    assert corpus.are_clean() and len(chat.batches) == 1 and corpus.costs() == [(360, 0)]


def test_estimate_states_the_batch_price_where_it_is_known(corpus: BatchedCorpus) -> None:
    model = Model("http://127.0.0.1:9/v1", "m", input_price=1.0, output_price=4.0)
    assert estimate_llm_cleanup(corpus.work(None), model).batch_usd is None
    halved = Model(model.url, "m", input_price=1.0, output_price=4.0, batch_share=0.5)
    found = estimate_llm_cleanup(corpus.work(None), halved)
    assert found.batch_usd == pytest.approx(found.usd / 2) and found.usd > 0
