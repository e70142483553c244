"""What a crawl left, read from outside: plain SQL, plain files, none of the collector's own code.

In: a project folder. Out: the states of URLs, the runs, envelopes, index lines, error lines.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
from psycopg.rows import dict_row

from rori_spiders.reasons import CAPTURED, Reason

if TYPE_CHECKING:
    from tests.support.project import Project

FINAL = ("captured", "unchanged", "excluded", "failed", "gone")


class CrawlOutput:
    """What lies in a project's ledger and staging area."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """The rows of an SQL query over the ledger."""
        if url := self._server():
            with psycopg.connect(url, row_factory=dict_row) as conn:
                return conn.execute(query.replace("?", "%s").encode(), values).fetchall()
        with closing(sqlite3.connect(self.project.ledger, timeout=30)) as ledger:
            ledger.row_factory = sqlite3.Row
            return [dict(row) for row in ledger.execute(query, values)]

    def change(self, statement: str, *values: object) -> None:
        """Change the ledger behind the collector's back: time passing, a newer version."""
        if url := self._server():
            with psycopg.connect(url) as conn:
                conn.execute(statement.replace("?", "%s").encode(), values)
            return
        with closing(sqlite3.connect(self.project.ledger, timeout=30)) as ledger:
            ledger.execute(statement, values)
            ledger.commit()

    def expire_claims(self) -> None:
        """Let the time pass after which the leases and permits of a job that died are over."""
        for table in ("leases", "permits"):
            self.change(f"UPDATE {table} SET expires_at = '2026-01-01T00:00:00.000000Z' WHERE owner IS NOT NULL")

    def _server(self) -> str | None:
        url = self.project.env.get("RORI_DATABASE_URL", "")
        return url if url.startswith("postgresql") else None

    def runs(self, source_id: str | None = None) -> list[dict[str, Any]]:
        """The runs, oldest first."""
        every = self.rows("SELECT * FROM runs ORDER BY started_at, run_id")
        return [run for run in every if source_id in (None, run["source_id"])]

    def last_run(self, source_id: str) -> dict[str, Any]:
        return self.runs(source_id)[-1]

    def urls(self, source_id: str, kind: str = "page") -> dict[str, tuple[str, Reason]]:
        """Path (with query) of each URL of the source's newest run -> state and reason."""
        found = self.rows(
            "SELECT url, state, reason, reason_code, reason_detail FROM run_urls WHERE run_id = ? AND kind = ?",
            self.last_run(source_id)["run_id"],
            kind,
        )
        return {path_of(row["url"]): (row["state"], read_reason(row)) for row in found}

    def listed(self, run_id: str, kind: str = "page") -> Counter[Reason]:
        """Reason -> how many URLs the run counts with the lists that name them, by the rows of its audit."""
        counted: Counter[Reason] = Counter()
        query = "SELECT reason_code, reason_detail FROM audit WHERE run_id = ? AND kind = 'list'"
        for row in self.rows(query, run_id):
            detail = _json(row["reason_detail"])
            proof = {name: detail.pop(name) for name in ("urls", "listed", "mark", "marks_object")}
            if proof["listed"] == kind:
                counted[Reason(row["reason_code"], **detail)] += proof["urls"]
        return counted

    def states(self, source_id: str) -> dict[str, str]:
        """Path of each page of the source's newest run -> state."""
        return {path: state for path, (state, _) in self.urls(source_id).items()}

    def in_state(self, source_id: str, state: str) -> set[str]:
        return {path for path, one in self.states(source_id).items() if one == state}

    def envelopes(self) -> list[dict[str, Any]]:
        """Every staged envelope, in the order of the index."""
        return [json.loads((self.project.staging / line["path"]).read_bytes()) for line in self.index()]

    def envelope(self, path: str) -> dict[str, Any]:
        """The only envelope of the URL with this path."""
        (one,) = [found for found in self.envelopes() if path_of(found["source"]["url"]) == path]
        return one

    def files(self) -> set[str]:
        """The staged files, as paths relative to the staging area; objects and lines are not among them."""
        root = self.project.staging
        return {
            found.relative_to(root).as_posix()
            for found in root.rglob("*.json")
            if not found.relative_to(root).parts[0].startswith("_")
        }

    def index(self) -> list[dict[str, Any]]:
        return self._lines("_index.jsonl")

    def errors(self) -> list[dict[str, Any]]:
        return self._lines("_errors.jsonl")

    def _lines(self, name: str) -> list[dict[str, Any]]:
        path = self.project.staging / name
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def assert_sums(self) -> None:
        """*discovered* = the sum of final states, in each ended run; and each has one audit row for each such URL."""
        for run in self.runs():
            rows = self.rows("SELECT url_hash, state FROM run_urls WHERE run_id = ? AND kind = 'page'", run["run_id"])
            counted, counts = Counter(row["state"] for row in rows), _json(run["counts"])
            listed = self.listed(run["run_id"]).total()
            assert sum(counted[state] for state in FINAL) + listed == len(rows) + listed == counts["discovered"], run
            counted["excluded"] += listed
            assert {state: counts[state] for state in FINAL} == {state: counted[state] for state in FINAL}, run
            audited = self.rows("SELECT url_hash, state FROM audit WHERE run_id = ? AND kind = 'page'", run["run_id"])
            assert _pairs(audited) == _pairs(rows), run

    def assert_verified(self, *, but: frozenset[str] = frozenset()) -> None:
        """`scrapy verify` finds nothing wrong, *but* for kinds of findings that the test itself has caused."""
        verified = self.project.scrapy("verify", "--format", "json")
        assert verified.returncode in {0, 1}, verified.stdout + verified.stderr
        wrong = [found for found in json.loads(verified.stdout) if found["kind"] not in but]
        assert not wrong, wrong


def path_of(url: str) -> str:
    """Path and query of *url*."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def read_reason(row: dict[str, Any]) -> Reason:
    """The reason of a row of ``run_urls`` or ``audit``, which bears its sentence too; of one that is pending: none."""
    if row["reason_code"] is None:
        return CAPTURED
    reason = Reason(row["reason_code"], **_json(row["reason_detail"]))
    assert reason == row["reason"]
    return reason


def _pairs(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((row["url_hash"], row["state"]) for row in rows)


def _json(value: Any) -> Any:
    """A column of JSON: text in a SQLite file."""
    return json.loads(value) if isinstance(value, str) else value
