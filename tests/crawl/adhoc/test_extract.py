"""`scrapy extract` as people type it: rows with their proofs, what failed, what cannot be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import page
from tests.support.project import source
from tests.support.server.chat import GOOD_KEY, Chat, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

QUOTE = "The annual percentage rate is 5.25 %"
APR = "apr:number:annual percentage rate"


def test_extract_command_prints_values_with_evidence(project: Project, site: Site) -> None:
    project.manifest([source("other", site.at("/other"))], delay_s=0.05)
    site.page("/rate", page("Rates", text=f"{QUOTE} for all."))
    file = project.folder / "fields.yaml"
    file.write_text("- {name: forms, type: 'list[string]', description: forms to send}\n", encoding="utf-8")
    with Chat(next_address()) as chat:
        chat.answer = lambda _: said({"apr": {"quote": QUOTE, "value": 5.25}, "forms": []})
        model = {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "test-model", "RORI_LLM_KEYS": GOOD_KEY}
        arguments = ("extract", site.at("/rate"), site.at("/gone"), "--fields", "fields.yaml", "--field", APR)
        done = project.scrapy(*arguments, "--format", "json", env=model)
        lines = project.scrapy(*arguments, "--format", "jsonl", env=model)
    assert [json.loads(line) for line in lines.stdout.splitlines()] == json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["field"], row["value"], row["quote"], row["heading_path"]) == ("apr", 5.25, QUOTE, "Rates")
    assert row["url"] == site.at("/rate") and row["end"] - row["start"] == len(QUOTE)
    failed, said_last = done.stderr.splitlines()[-2:]
    assert failed.startswith("failed") and site.at("/gone") in failed and "404" in failed
    assert said_last == "1 value from 1 page; no value for forms; 1 call of the model: 120 tokens."
    assert GOOD_KEY not in done.stdout + done.stderr


def test_extract_command_cost_is_estimated_without_asking_and_bounded(project: Project, site: Site) -> None:
    project.manifest([source("other", site.at("/other"))], delay_s=0.05)
    site.page("/a", page("Rates", text=f"{QUOTE} for all."))
    site.page("/b", page("Other rates", text=f"{QUOTE} for some."))
    with Chat(next_address()) as chat:
        chat.answer = lambda _: said({"apr": {"quote": QUOTE, "value": 5.25}})
        model = {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "test-model", "RORI_LLM_KEYS": GOOD_KEY}
        priced = {**model, "RORI_LLM_INPUT_PRICE": "10", "RORI_LLM_OUTPUT_PRICE": "10"}
        arguments = ("extract", site.at("/a"), site.at("/b"), "--field", APR, "--format", "json")
        estimated = project.scrapy(*arguments, "--estimate", env=priced)
        assert chat.requests == []
        rows = json.loads(estimated.stdout)
        a_page = max(row["usd"] for row in rows)
        unpriced = project.scrapy(*arguments, "--max-usd", "1", env=model)
        none = project.scrapy(*arguments, "--max-usd", f"{a_page / 2}", env=priced)
        assert chat.requests == []
        limited = project.scrapy(*arguments, "--max-usd", f"{a_page * 1.01}", env=priced)
        asked_before = project.scrapy(*arguments, "--estimate", env=priced)
    assert estimated.returncode == 0 and "The model was not asked." in estimated.stderr
    assert [(row["parts"], row["output_tokens"], row["is_cached"]) for row in rows] == [(1, 2048, False)] * 2
    assert all(row["usd"] == round((row["input_tokens"] + 2048) / 100_000, 6) for row in rows)
    assert unpriced.returncode == 2 and "max_usd needs prices" in unpriced.stderr
    assert none.returncode == 1 and json.loads(none.stdout) == [] and none.stderr.count("cost_limit") == 2
    assert limited.returncode in {0, 1} and json.loads(limited.stdout), limited.stderr
    assert any(row["is_cached"] and row["usd"] == 0 for row in json.loads(asked_before.stdout))


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ((), "no fields: add --field"),
        (("--field", "apr:percent:rate"), "fields: $[0].type: expected one of string"),
        (("--field", APR, "--max-pages", "3"), "--max-pages and --max-depth need --crawl"),
        (("https://www.example.gov/b", "--crawl", "--field", APR), "--crawl accepts one URL"),
        (("--field", APR), "no model is configured: set RORI_LLM_URL and RORI_LLM_MODEL"),
        (("--fields", "not-there.yaml"), "not-there.yaml"),
    ],
)
def test_extract_command_invalid_arguments_are_refused_before_any_request(
    project: Project, typed: tuple[str, ...], says: str
) -> None:
    done = project.scrapy("extract", "https://www.example.gov/a", *typed)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert done.stdout == "" and not project.ledger.exists()
