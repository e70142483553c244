"""``scrapy fields``: from a crawl to values with their quotes and their history; and when the model is away."""

from __future__ import annotations

import csv
import fcntl
import gzip
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.project import Project, is_soon, source
from tests.support.server.chat import GOOD_KEY, Chat, ChatRequest, Raw, fault, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.staging.s3.fixtures import Area
    from tests.support.server.site import Site

pytestmark = pytest.mark.crawl

INGESTION = Path(__file__).parents[3] / "docs" / "how-to" / "ingestion.md"
FIELDS = [
    {"name": "apr", "type": "number", "description": "annual percentage rate"},
    {"name": "forms", "type": "list[string]", "description": "forms to send"},
]


def answer(asked: ChatRequest) -> Raw:
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


def test_extract_values_history_and_cache(project: Project, site: Site, chat: Chat) -> None:
    done = project.scrapy("fields", "run")
    assert (done.returncode, done.stdout) == (0, "a: 1 page, 3 values, 1 unsupported\n"), done.stderr
    rows = shown(project)
    assert [(row["field"], row["value"], row["quote"], row["heading_path"]) for row in rows] == [
        ("apr", "5.25", "The annual percentage rate is 5.25%", "Loans"),
        ("forms", "Form 1-1", "Send Form 1-1 to us", "Loans"),
        ("forms", "Form 1-2", "Send Form 1-2 to us", "Loans"),
    ]
    assert {row["url"] for row in rows} == {site.at("/a")} and {row["because"] for row in rows} == {"first"}

    asked = len(chat.requests)
    assert project.scrapy("fields", "run", "a").returncode == 0
    assert len(chat.requests) == asked, "the text is the same"

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
    assert events == [("a", "1 field changed: apr")] and costs == (120 * len(chat.requests), len(chat.requests))
    kept = "".join(path.read_text() for path in (project.folder / "collect" / "fields").rglob("*.json"))
    assert GOOD_KEY not in kept + done.stdout + done.stderr and '"answers"' in kept


def test_extract_unavailable_model_changes_nothing(project: Project, site: Site, chat: Chat) -> None:
    assert project.scrapy("fields", "run").returncode == 0
    before = shown(project, "--history")
    site.page("/a", page("9"))
    assert project.scrapy("crawl", "a").returncode == 0
    chat.answer = lambda _: fault(404, "no such model")
    done = project.scrapy("fields", "run")
    assert done.returncode == 1 and "no values changed" in done.stdout
    assert f"{site.at('/a')}: llm_rejected: the model's server answered HTTP 404: no such model" in done.stdout
    assert shown(project, "--history") == before
    chat.answer = answer
    assert "apr: 5.25 -> 9.0" in project.scrapy("fields", "run").stdout


def test_extract_invalid_fields_are_refused_before_any_call(project: Project, chat: Chat) -> None:
    for typed, env, says in (
        (("run", "c"), {}, "no source 'c' in the active manifest"),
        (("run", "b"), {}, "b has no `fields` in the manifest"),
        (("run",), {"RORI_LLM_MODEL": ""}, "set RORI_LLM_MODEL"),
        (("run",), {"RORI_LLM_CONTEXT": "4000"}, "exceed the model's context of 4000"),
        (("run",), {"RORI_LLM_CONTEXT": "6000"}, "define fewer fields"),
        ((), {}, "VERB"),
    ):
        done = project.scrapy("fields", *typed, env=env)
        assert done.returncode == 2 and says in done.stderr, (typed, env, done.stderr)
    assert chat.requests == []


def test_extract_before_first_collection_is_refused(tmp_path: Path, chat: Chat) -> None:
    project = Project(tmp_path)
    project.manifest([source("a", "http://127.0.0.1:9/a", fields=FIELDS)])
    project.env |= {"RORI_LLM_URL": chat.url, "RORI_LLM_MODEL": "small"}
    done = project.scrapy("fields", "run")
    assert done.returncode == 2 and "nothing collected yet" in done.stderr
    assert shown(project) == [] and not project.ledger.exists()


# --- the log ------------------------------------------------------------------------------------------------------


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def findings(project: Project) -> list[tuple[str, str]]:
    done = project.scrapy("verify", "--format", "json")
    return [(one["kind"], one["where"]) for one in json.loads(done.stdout)]


def test_field_log_has_a_line_for_each_change(project: Project, site: Site, tmp_path: Path) -> None:
    log = project.staging / "_fields.jsonl"
    for _ in range(2):  # what did not change has no line
        assert project.scrapy("fields", "run").returncode == 0
    [line] = lines_of(log.read_text())
    assert list(line)[:3] == ["timestamp", "manifest_id", "seq"] and line["manifest_id"] == "a" and line["seq"] == 1
    assert [(one["field"], one["because"], one["old"], one["new"]) for one in line["changed"]] == [
        ("apr", "first", None, 5.25),
        ("forms", "first", None, ["Form 1-1", "Form 1-2"]),
    ]
    [apr] = line["fields"]["apr"]["found"]
    body = proven(project, apr["proof"])
    assert apr["value"] == 5.25 and apr["proof"]["url"] == site.at("/a") and apr["proof"]["heading_path"] == "Loans"
    assert body[apr["proof"]["start"] : apr["proof"]["end"]] == apr["proof"]["quote"]
    assert "5.25%" in apr["proof"]["quote"]

    site.page("/a", page("5.5", "1-1", "1-2"))
    assert project.scrapy("crawl", "a").returncode == 0 == project.scrapy("fields", "run", "a").returncode
    first, second = lines_of(log.read_text())
    since = first["fields"]["apr"]["since"]
    changed = {"field": "apr", "because": "page", "old": 5.25, "old_since": since, "new": 5.5}
    assert first == line and second["seq"] == 2 and second["changed"] == [changed]
    assert second["fields"]["forms"]["value"] == ["Form 1-1", "Form 1-2"]
    assert proven(project, second["fields"]["apr"]["found"][0]["proof"]) != body
    assert latest(project) == {"a": {"apr": 5.5, "forms": ["Form 1-1", "Form 1-2"]}}
    assert findings(project) == []
    assert "2 field lines" in project.scrapy("verify").stdout

    assert project.scrapy("staging", "copy", str(tmp_path / "copied")).returncode == 0
    assert (tmp_path / "copied" / "_fields.jsonl").read_bytes() == log.read_bytes()
    assert project.scrapy("verify", env={"RORI_STAGING": str(tmp_path / "copied")}).returncode == 0


def proven(project: Project, proof: dict[str, Any]) -> str:
    """The text that a proof is of: the object of its content hash."""
    digest = proof["content_hash"].removeprefix("sha256:")
    with gzip.open(project.staging / "_objects" / digest[:2] / f"{digest}.gz") as file:
        return file.read().decode()


def test_field_log_undefined_field_is_withdrawn(project: Project, site: Site, chat: Chat) -> None:
    assert project.scrapy("fields", "run").returncode == 0
    forms = [{"quote": f"Send {form} to us", "value": form} for form in ("Form 1-1", "Form 1-2")]
    chat.answer = lambda _: said({"forms": forms})
    project.manifest([source("a", site.at("/a"), fields=FIELDS[1:])], delay_s=0.05)
    assert project.scrapy("fields", "run").returncode == 0
    first, second = lines_of((project.staging / "_fields.jsonl").read_text())
    since = first["fields"]["apr"]["since"]
    withdrawn = {"field": "apr", "because": "withdrawn", "old": 5.25, "old_since": since, "new": None}
    assert second["changed"] == [withdrawn] and list(second["fields"]) == ["forms"]
    assert findings(project) == [] and latest(project) == {"a": {"forms": ["Form 1-1", "Form 1-2"]}}


def test_field_log_values_older_than_log_are_kept(project: Project) -> None:
    """As a ledger of an older version has them: the next run tells what holds, since when it has held."""
    assert project.scrapy("fields", "run").returncode == 0
    log = project.staging / "_fields.jsonl"
    [told] = lines_of(log.read_text())
    with sqlite3.connect(project.ledger) as ledger:
        ledger.execute("DELETE FROM field_lines")
    log.unlink()
    assert project.scrapy("fields", "run").returncode == 0
    [line] = lines_of(log.read_text())
    assert {**line, "timestamp": told["timestamp"]} == told
    assert findings(project) == [("fact_missing", "a")]  # the line that was removed


def latest(project: Project) -> dict[str, dict[str, Any]]:
    """What the reader of docs/how-to/ingestion.md, run as it stands there, takes for what holds now."""
    blocks = re.findall(r"^```python\n(.*?)^```", INGESTION.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    [reader] = [block for block in blocks if "_fields.jsonl" in block]
    command = (sys.executable, "-c", f"{reader}\nprint(json.dumps(now))")
    env = {**os.environ, "RORI_STAGING": str(project.staging)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=60)
    *printed, last = done.stdout.splitlines()
    found = {name: {field: one["value"] for field, one in each.items()} for name, each in json.loads(last).items()}
    assert len(printed) == sum(map(len, found.values()))
    return found


def test_field_log_edited_by_hand_is_reported(project: Project, site: Site) -> None:
    log = project.staging / "_fields.jsonl"
    assert project.scrapy("fields", "run").returncode == 0
    whole = log.read_text()
    log.write_text(whole.replace("5.25", "5.75") + whole + whole.replace('"seq":1', '"seq":7') + "words\n")
    assert findings(project) == [
        ("field_line_differs", "_fields.jsonl:1"),
        ("field_line_twice", "_fields.jsonl:2"),
        ("field_line_without_row", "_fields.jsonl:3"),
        ("field_line", "_fields.jsonl:4"),
    ]
    log.write_text("")
    assert findings(project) == [("field_line_missing", "a")]
    assert project.scrapy("verify", "--repair").returncode == 0
    assert log.read_text() == whole


def test_field_log_kill_between_ledger_and_log_is_repaired(project: Project, site: Site) -> None:
    """The run is killed while it waits for the log, which somebody else has locked: its line is in the ledger alone."""
    log = project.staging / "_fields.jsonl"
    with log.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with project.start("fields", "run") as running:
            assert is_soon(lambda: kept_lines(project) == [(1, 0)])
            running.kill()
    assert running.returncode == -signal.SIGKILL and log.read_text() == ""
    assert findings(project) == [("field_line_missing", "a")]
    log.write_text('{"timestamp":"2026-11-23T04:')  # and what a kill within a write leaves
    assert "torn_line" in dict(findings(project))
    done = project.scrapy("fields", "run")
    assert done.returncode == 0 and done.stdout.startswith("Appended 1 line to the fields log"), done.stderr
    [line] = lines_of(log.read_text())
    assert line["seq"] == 1 and line["fields"]["apr"]["value"] == 5.25
    assert findings(project) == [] and kept_lines(project) == [(1, 1)]


def kept_lines(project: Project) -> list[tuple[int, int]]:
    """The lines in the ledger: number, and whether it is in the log."""
    with sqlite3.connect(project.ledger) as ledger:
        return ledger.execute("SELECT seq, logged FROM field_lines").fetchall()


def test_field_log_in_bucket(project: Project, site: Site, area: Area, tmp_path: Path) -> None:
    project.env |= area.env
    assert project.scrapy("staging", "copy", area.uri).returncode == 0
    project.env |= {"RORI_STAGING": area.uri}
    assert project.scrapy("fields", "run").returncode == 0
    site.page("/a", page("5.5", "1-1"))
    assert project.scrapy("crawl", "a").returncode == 0 == project.scrapy("fields", "run").returncode
    keys = [key for key in area.keys("staged/_fields/") if area.get(key)]
    assert all(re.fullmatch(r"_fields/\d{4}-\d\d-\d\d/a/\d{8}\.jsonl", key) for key in keys)
    text = "".join(area.get(key).decode() for key in keys)
    assert [(one["seq"], one["fields"]["apr"]["value"]) for one in lines_of(text)] == [(1, 5.25), (2, 5.5)]
    assert findings(project) == []
    area.client.delete_object(Bucket=area.name, Key=f"staged/{keys[-1]}")
    assert findings(project) == [("field_line_missing", "a")]
    assert project.scrapy("verify", "--repair").returncode == 0
    assert project.scrapy("staging", "copy", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back" / "_fields.jsonl").read_text() == text
