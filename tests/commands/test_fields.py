"""``scrapy fields``: from a crawl to values with their quotes and their history; and when the model is away."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from tests.project import Project, source
from tests.server.chat import GOOD_KEY, Asked, Chat, Raw, fault, said
from tests.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server.site import Site

pytestmark = pytest.mark.crawl

FIELDS = [
    {"name": "apr", "type": "number", "description": "annual percentage rate"},
    {"name": "forms", "type": "list[string]", "description": "forms to send"},
]


def answer(asked: Asked) -> Raw:
    """A model that reads: the rate and the forms of the part, with their sentences; and one that it makes up."""
    rate = re.search(r"The annual percentage rate is ([\d.]+)%", asked.text)
    forms = re.findall(r"Send (Form [\d-]+) to us", asked.text)
    return said(
        {
            "apr": {"quote": rate[0], "value": float(rate[1])} if rate else None,
            "forms": [
                *({"quote": f"Send {form} to us", "value": form} for form in forms),
                {"quote": "Send Form 0-0 to us", "value": "Form 0-0"},
            ],
        }
    )


def page(rate: str, *forms: str) -> str:
    told = "".join(f"<p>Send Form {form} to us.</p>" for form in forms)
    rest = "<p>Some words.</p>" * 80
    return f"<main><h1>Loans</h1><p>The annual percentage rate is {rate}% now.</p>{told}{rest}</main>"


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(next_address()) as opened:
        opened.answer = answer
        yield opened


@pytest.fixture
def project(tmp_path: Path, site: Site, chat: Chat) -> Project:
    made = Project(tmp_path)
    made.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small", "RORI_LLM_KEYS": GOOD_KEY}
    site.page("/a", page("5.25", "1-1", "1-2"))
    site.page("/b", page("6", "1-2"))
    one: dict[str, Any] = {"scrape_config": {"follow_links": False}}
    made.manifest([source("a", site.at("/a"), fields=FIELDS, **one), source("b", site.at("/b"))], delay_s=0.05)
    assert made.scrapy("crawl", "a").returncode == 0
    return made


def shown(project: Project, *options: str) -> list[dict[str, Any]]:
    done = project.scrapy("fields", "show", *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_values_their_history_and_what_is_asked_once(project: Project, site: Site, chat: Chat) -> None:
    done = project.scrapy("fields", "run")
    assert (done.returncode, done.stdout) == (0, "a: 1 page, 3 values, 1 unsupported\n"), done.stderr
    rows = shown(project)
    assert [(row["field"], row["value"], row["quote"], row["heading_path"]) for row in rows] == [
        ("apr", "5.25", "The annual percentage rate is 5.25%", "Loans"),
        ("forms", "Form 1-1", "Send Form 1-1 to us", "Loans"),
        ("forms", "Form 1-2", "Send Form 1-2 to us", "Loans"),
    ]
    assert {row["url"] for row in rows} == {site.at("/a")} and {row["because"] for row in rows} == {"first"}

    asked = len(chat.asked)
    assert project.scrapy("fields", "run", "a").returncode == 0
    assert len(chat.asked) == asked, "the text is the same"

    site.page("/a", page("5.5", "1-1", "1-2"))
    assert project.scrapy("crawl", "a").returncode == 0
    done = project.scrapy("fields", "run", "a")
    assert done.stdout == "a: 1 page, 3 values, 1 unsupported\n  apr: 5.25 -> 5.5\n"
    assert [row["value"] for row in shown(project, "a", "--history") if row["field"] == "apr"] == ["5.25", "5.5"]
    table = project.scrapy("fields", "show").stdout
    assert "5.5" in table and "5.25%" not in table
    listed = list(csv.DictReader(io.StringIO(project.scrapy("fields", "show", "--format", "csv").stdout)))
    assert [row["value"] for row in listed] == ["5.5", "Form 1-1", "Form 1-2"]
    with sqlite3.connect(project.ledger) as ledger:
        events = ledger.execute("SELECT source_id, message FROM alerts WHERE event = 'fields_changed'").fetchall()
        costs = ledger.execute("SELECT sum(settled), count(*) FROM costs WHERE provider = 'llm'").fetchone()
    assert events == [("a", "1 field changed: apr")] and costs == (120 * len(chat.asked), len(chat.asked))
    kept = "".join(path.read_text() for path in (project.folder / "collect" / "fields").rglob("*.json"))
    assert GOOD_KEY not in kept + done.stdout + done.stderr and '"answers"' in kept


def test_a_model_that_is_away_changes_nothing(project: Project, site: Site, chat: Chat) -> None:
    assert project.scrapy("fields", "run").returncode == 0
    before = shown(project, "--history")
    site.page("/a", page("9"))
    assert project.scrapy("crawl", "a").returncode == 0
    chat.answer = lambda _: fault(404, "no such model")
    done = project.scrapy("fields", "run")
    assert done.returncode == 1 and "so nothing of it was changed" in done.stdout
    assert f"{site.at('/a')}: llm_rejected: its server answers HTTP 404: no such model" in done.stdout
    assert shown(project, "--history") == before
    chat.answer = answer
    assert "apr: 5.25 -> 9.0" in project.scrapy("fields", "run").stdout


def test_what_cannot_be_is_refused_before_anything_is_asked(project: Project, chat: Chat) -> None:
    for typed, env, says in (
        (("run", "c"), {}, "no such source: c"),
        (("run", "b"), {}, "b has no `fields` in the manifest"),
        (("run",), {"RORI_LLM_MODEL": ""}, "set RORI_LLM_MODEL"),
        (("run",), {"RORI_LLM_CONTEXT": "4000"}, "do not fit"),
        (("run",), {"RORI_LLM_CONTEXT": "6000"}, "define fewer fields"),
        ((), {}, "VERB"),
    ):
        done = project.scrapy("fields", *typed, env=env)
        assert done.returncode == 2 and says in done.stderr, (typed, env, done.stderr)
    assert chat.asked == []


def test_before_anything_was_collected(tmp_path: Path, chat: Chat) -> None:
    project = Project(tmp_path)
    project.manifest([source("a", "http://127.0.0.1:9/a", fields=FIELDS)])
    project.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small"}
    done = project.scrapy("fields", "run")
    assert done.returncode == 2 and "no page is held yet" in done.stderr
    assert shown(project) == [] and not project.ledger.exists()
