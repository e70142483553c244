"""A forger with write access to ledger and staging area: one edit of a collected project each, and the findings."""

from __future__ import annotations

import getpass
import gzip
import json
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import JSON, Boolean, Float, Integer

from rori_spiders.evidence.head_checks import check_heads
from rori_spiders.evidence.heads_files import load_heads
from rori_spiders.evidence.keys import read_key_file
from rori_spiders.ledger.audit import fact_log
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.tables import metadata
from rori_spiders.ledger.tables.base import UtcDateTime
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification import fact_checks
from rori_spiders.staging.verification.verify import verify_staging
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_DAY_BEFORE = "strftime('%Y-%m-%dT%H:%M:%f', substr({0}, 1, 23), '-1 day') || '000Z'"


@dataclass
class Forger:
    """A copy of the project, and hands that can do anything to it."""

    folder: Path

    @property
    def staging(self) -> Path:
        return self.folder / "staged"

    def sql(self, *statements: str) -> None:
        """Change the ledger as the owner of its file can: without the triggers of the audit."""
        with closing(sqlite3.connect(self.folder / "ledger.db")) as ledger:
            triggers = ledger.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                ledger.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                assert ledger.execute(statement).rowcount, statement
            for _, sql in triggers:
                ledger.execute(sql)
            ledger.commit()

    def value(self, query: str) -> Any:
        """The first value that a query gives."""
        with closing(sqlite3.connect(self.folder / "ledger.db")) as ledger:
            row = ledger.execute(query).fetchone()
            assert row is not None, query
            return row[0]

    def relog(self) -> None:
        """Compute the log of facts anew, as somebody who knows how it is made."""
        self.sql("DELETE FROM fact_leaves")
        with open_ledger(str(self.folder / "ledger.db")) as ledger, ledger.begin() as conn:
            fact_log.adopt_rows(conn)

    def forge(self, kind: str, key: tuple[Any, ...], statement: str) -> None:
        """Change a row, and its leaf in the log of facts where it stands."""

        def leaf() -> bytes:
            with open_ledger(str(self.folder / "ledger.db"), migrate=False) as ledger, ledger.connect() as conn:
                return FACT_KINDS[kind].hash_row(FACT_KINDS[kind].load_rows(conn, [key])[key])

        before = leaf()
        self.sql(statement)
        with closing(sqlite3.connect(self.folder / "ledger.db")) as ledger:
            found = ledger.execute("SELECT position, hashes FROM fact_leaves WHERE instr(hashes, ?)", (before,))
            position, hashes = found.fetchall()[-1]
        self.sql(
            f"UPDATE fact_leaves SET hashes = x'{hashes.replace(before, leaf()).hex()}' WHERE position = {position}"
        )

    def object(self, query: str) -> Path:
        """The file of the object that a query names."""
        digest = str(self.value(query))
        return self.staging / "_objects" / digest[:2] / f"{digest}.gz"

    def flip(self, query: str) -> None:
        """Change one byte of an object, and pack it as a whole one."""
        file = self.object(query)
        data = bytearray(gzip.decompress(file.read_bytes()))
        data[-1] ^= 1
        file.write_bytes(gzip.compress(bytes(data)))

    def lines(self, name: str, edit: Callable[[list[str]], list[str]]) -> None:
        """Write a log anew."""
        file = self.staging / name
        before = file.read_text().splitlines(keepends=True)
        after = edit(list(before))
        assert after != before
        file.write_text("".join(after))

    def kinds(self) -> list[str]:
        with open_ledger(str(self.folder / "ledger.db"), migrate=False) as ledger:
            findings = verify_staging(ledger, DiskStore(self.staging), now=datetime.now(UTC)).findings
        return sorted({finding.kind for finding in findings})

    def head_kinds(self) -> list[str]:
        """What the heads tell that the ledger keeps, and those that were sent to a file before the forgery."""
        keys = read_key_file(self.folder.parent / "evidence.key")
        copies = load_heads(str(self.folder.parent / "heads.txt"))
        with open_ledger(str(self.folder / "ledger.db"), migrate=False) as ledger:
            return sorted({finding.kind for finding in check_heads(ledger, copies, keys, Counter())})


@pytest.fixture(scope="module")
def collected(shared: Project, new_site: Callable[[], Site]) -> Path:
    """Two sources, collected three times: pages that change, fail and recover, lists, a robots.txt, a pause."""
    site = new_site()
    site.robots("User-agent: *\nDisallow: /private/\n")
    site.sitemap(
        ["/rules/", "/rules/1/", "/rules/2/", "/rules/3/", "/rules/4/", "/rules/old/", "/elsewhere/", "/private/list/"]
    )
    for path in ("/rules/", "/rules/1/", "/rules/2/"):
        site.page(path, page(f"Rule at {path}", "/rules/1/", "/rules/2/"))
    site.status("/rules/3/", 403, body="<h1>Forbidden</h1>")
    site.redirect("/rules/old/", "/rules/2/", 301)
    site.page("/rules/4/", page("Rule four"))
    site.page("/alone", page("Alone"))
    crawl = source("rules", site.at("/rules/"), "crawl")
    shared.manifest([crawl, source("alone", site.at("/alone"))], delay_s=0.02)
    shared.env["RORI_EVIDENCE_HEADS"] = f"file://{shared.folder}/heads.txt"
    assert shared.scrapy("evidence", "key", "create", "forged.example").returncode == 0
    for turn in range(3):
        site.set("/rules/1/", page("Rule one", text=f"It was amended {turn} times."))
        done = shared.scrapy("collect", "--source", "rules", "--source", "alone", env={"RORI_RETRY_SCALE": "0"})
        assert done.returncode in {0, 1}, done.stderr
        if turn == 0:
            site.page("/rules/3/", page("Rule three"))
            site.status("/rules/4/", 404, body="<h1>Not found</h1>")
            site.status("/alone", 403, body="<h1>Forbidden</h1>")
    changed = json.loads(shared.scrapy("changes", "--format", "json").stdout)[:2]
    person = ("--to", getpass.getuser(), "--due", "2026-12-01")
    assert shared.scrapy("changes", "assign", changed[-1]["change"], *person).returncode == 0
    for change in changed:
        assert shared.scrapy("pause", "alone", "--reason", "It is out of order").returncode == 0
        done = shared.scrapy("changes", "review", change["change"], "--decision", "material", "--reason", "It binds us")
        assert done.returncode == 0, done.stderr
        assert shared.scrapy("resume", "alone").returncode == 0
    assert shared.scrapy("pause", "alone", "--reason", "It is out of order").returncode == 0
    assert shared.scrapy("evidence", "sign").returncode == 0
    assert shared.scrapy("verify").returncode == 0, shared.scrapy("verify").stdout
    return shared.folder / "collect"


@pytest.fixture
def forger(collected: Path, tmp_path: Path) -> Forger:
    shutil.copytree(collected, tmp_path / "copy")
    for name in ("evidence.key", "heads.txt"):
        shutil.copy2(collected.parent / name, tmp_path / name)
    return Forger(tmp_path / "copy")


#: What the last action did.
_UNPAUSE = "UPDATE source_state SET paused_by = NULL, paused_reason = NULL, paused_at = NULL"
_FAILED_BYTES = "SELECT raw_hash FROM audit WHERE state = 'failed' AND kind = 'page' AND raw_hash IS NOT NULL"
_ROBOTS_BYTES = "SELECT object FROM robots_seen WHERE object IS NOT NULL"
_LIST_BYTES = "SELECT raw_hash FROM audit WHERE kind = 'sitemap' AND state = 'fetched' AND raw_hash IS NOT NULL"
_FAILED_RUN = "(SELECT run_id FROM runs WHERE source_id = 'alone' AND state = 'failed' ORDER BY started_at LIMIT 1)"
_LAST_RUN = "(SELECT run_id FROM runs WHERE source_id = 'rules' ORDER BY started_at DESC LIMIT 1)"
_UNCHANGED_ROW = "(SELECT max(audit_id) FROM audit WHERE kind = 'page' AND state = 'unchanged')"


def _erase_failed_run(forger: Forger) -> None:
    run_id = forger.value(f"SELECT {_FAILED_RUN}")
    url = forger.value(f"SELECT url FROM audit WHERE run_id = '{run_id}' AND kind = 'page'")
    at = forger.value(f"SELECT substr(timestamp, 1, 19) || 'Z' FROM audit WHERE run_id = '{run_id}' AND kind = 'page'")

    def without_own(lines: list[str]) -> list[str]:
        """Another run may have failed in the same second: its line stays."""
        told = [(one["url"], one["timestamp"]) for one in map(json.loads, lines)]
        own = told.index((url, at))
        return [line for number, line in enumerate(lines) if number != own]

    forger.lines("_errors.jsonl", without_own)
    tables = ("audit", "run_urls", "robots_seen", "runs")
    forger.sql(*(f"DELETE FROM {table} WHERE run_id = '{run_id}'" for table in tables))


def _edit_summary(forger: Forger) -> None:
    path = forger.value("SELECT path FROM run_summaries ORDER BY made_at LIMIT 1")
    text = forger.value(f"SELECT text FROM run_summaries WHERE path = '{path}'").replace('"errors": 1', '"errors": 0')
    (forger.staging / path).write_text(text)
    with closing(sqlite3.connect(forger.folder / "ledger.db")) as ledger:
        statement = "UPDATE run_summaries SET text = ? WHERE path = ? AND text != ?"
        assert ledger.execute(statement, (text, path, text)).rowcount == 1
        ledger.commit()


def _edit_index_line(forger: Forger) -> None:
    line = forger.value("SELECT index_line FROM envelopes ORDER BY staged_at LIMIT 1")
    told = json.loads(line)
    other = line.replace(told["staged_at"], "2020-01-01T00:00:00Z")
    forger.lines("_index.jsonl", lambda lines: [one.replace(line, other) for one in lines])
    forger.sql(f"UPDATE envelopes SET index_line = '{other}' WHERE index_line = '{line}'")


def _cut_audit_tail(forger: Forger) -> None:
    last = "(SELECT max(audit_id) FROM audit WHERE kind = 'page')"
    forger.sql(f"DELETE FROM audit WHERE audit_id = {last}")


def _replace_robots(forger: Forger) -> None:
    forger.sql(f"UPDATE audit SET robots_object = ({_FAILED_BYTES}) WHERE kind = 'page'")
    forger.relog()


def _age_audit(forger: Forger) -> None:
    forger.sql(f"UPDATE audit SET timestamp = {_DAY_BEFORE.format('timestamp')} WHERE run_id = {_LAST_RUN}")
    forger.relog()


def _forge_prune(forger: Forger) -> None:
    path = forger.value("SELECT path FROM envelopes WHERE state = 'indexed' ORDER BY staged_at LIMIT 1")
    (forger.staging / path).unlink()
    forger.sql(f"UPDATE envelopes SET state = 'pruned', pruned_at = staged_at WHERE path = '{path}'")


def _swap_audit_rows(forger: Forger) -> None:
    """Two rows of one run that have no line in a log."""
    forger.sql(
        "UPDATE audit SET audit_id = 1000000 WHERE audit_id = 1",
        "UPDATE audit SET audit_id = 1 WHERE audit_id = 2",
        "UPDATE audit SET audit_id = 2 WHERE audit_id = 1000000",
    )


def _alter_schema(forger: Forger, *statements: str) -> None:
    with closing(sqlite3.connect(forger.folder / "ledger.db")) as ledger:
        for statement in statements:
            ledger.execute(statement)
        ledger.commit()


def _url(change: str) -> Callable[[Forger], None]:
    return lambda forger: forger.sql(f"UPDATE run_urls SET {change} WHERE state = 'failed' AND kind = 'page'")


def _version(change: str) -> Callable[[Forger], None]:
    return lambda forger: forger.sql(f"UPDATE versions SET {change} WHERE page_id = 1 AND seq = 1")


#: What the log of facts alone finds.
LOGGED: dict[str, tuple[Callable[[Forger], object], list[str]]] = {
    "an audit row": (lambda f: f.sql("UPDATE audit SET response_time_ms = 1 WHERE audit_id = 3"), ["fact_changed"]),
    "why a run failed": (
        lambda f: f.sql(f"UPDATE runs SET reason = 'It was closed.' WHERE run_id = {_FAILED_RUN}"),
        ["fact_changed"],
    ),
    "how many requests a run made": (
        lambda f: f.sql("UPDATE runs SET requests = 1"),
        ["fact_changed", "totals_differ"],
    ),
    "who paused a source": (
        lambda f: f.sql("UPDATE actions SET actor = 'eve' WHERE action = 'pause'"),
        ["fact_changed"],
    ),
    "why a source was paused": (
        lambda f: f.sql("UPDATE actions SET reason = 'x' WHERE action = 'pause'"),
        ["fact_changed", "source_differs"],
    ),
    "the last action removed": (
        lambda f: f.sql("DELETE FROM actions WHERE action_id = (SELECT max(action_id) FROM actions)", _UNPAUSE),
        ["fact_missing"],
    ),
    "an action added": (
        lambda f: f.sql(
            "INSERT INTO actions (at, actor, action, target)"
            " SELECT at, 'eve', 'accept_run', target FROM actions ORDER BY action_id DESC LIMIT 1"
        ),
        ["fact_unrecorded"],
    ),
    "when an alert cleared": (lambda f: f.sql("UPDATE alerts SET cleared_at = opened_at"), ["fact_changed"]),
    "an alert removed": (lambda f: f.sql("DELETE FROM alerts"), ["fact_missing"]),
    "an alert added": (
        lambda f: f.sql(
            "INSERT INTO alerts (source_id, event, cause, severity, message, opened_at)"
            " SELECT source_id, event, 'x', severity, message, opened_at FROM alerts LIMIT 1"
        ),
        ["fact_unrecorded"],
    ),
    "the delay of a robots.txt": (lambda f: f.sql("UPDATE robots_seen SET crawl_delay_s = 9.5"), ["fact_changed"]),
    "what a list leaves out, and why": (
        lambda f: f.sql("UPDATE list_exclusions SET reason = 'x', settled_at = '2020-01-01T00:00:00.000000Z'"),
        ["fact_changed"],
    ),
    "a summary with its file": (_edit_summary, ["fact_changed"]),
    "an index line with its row": (_edit_index_line, ["fact_changed"]),
    "when an envelope was staged": (
        lambda f: f.sql(f"UPDATE envelopes SET staged_at = {_DAY_BEFORE.format('staged_at')}"),
        ["fact_changed"],
    ),
    "how much a change matters": (
        lambda f: f.sql("UPDATE changes SET importance = 1 WHERE importance > 1"),
        ["fact_changed"],
    ),
    "what a change says": (lambda f: f.sql("UPDATE changes SET details = '{}' WHERE seq = 2"), ["fact_changed"]),
    "the publisher's version": (_version("publisher_version = '7'"), ["fact_changed"]),
    "the last rows of the log": (
        lambda f: f.sql("DELETE FROM fact_leaves WHERE position = (SELECT max(position) FROM fact_leaves)"),
        ["fact_unrecorded"],
    ),
    "rows of the log between others": (
        lambda f: f.sql("DELETE FROM fact_leaves WHERE position = (SELECT min(position) FROM fact_leaves)"),
        ["fact_unrecorded", "log_broken"],
    ),
}

EDITS: dict[str, tuple[Callable[[Forger], object], list[str]]] = {
    "a byte of a failed page": (lambda f: f.flip(_FAILED_BYTES), ["object_damaged"]),
    "the object of a failed page": (lambda f: f.object(_FAILED_BYTES).unlink(), ["object_missing"]),
    "a byte of a robots.txt": (lambda f: f.flip(_ROBOTS_BYTES), ["object_damaged"]),
    "the object of a robots.txt": (lambda f: f.object(_ROBOTS_BYTES).unlink(), ["object_missing"]),
    "a byte of a sitemap": (lambda f: f.flip(_LIST_BYTES), ["list_object", "object_damaged"]),
    "the object of a sitemap": (lambda f: f.object(_LIST_BYTES).unlink(), ["list_object", "object_missing"]),
    "the marks of a sitemap": (
        lambda f: f.object("SELECT marks_object FROM list_exclusions").unlink(),
        ["list_object", "object_missing"],
    ),
    "when a version was captured": (
        _version(f"captured_at = {_DAY_BEFORE.format('captured_at')}"),
        ["audit_differs", "fact_changed", "version_differs"],
    ),
    "a version's title": (_version("title = 'Another rule'"), ["fact_changed", "page_differs", "version_differs"]),
    "a page's title": (lambda f: f.sql("UPDATE pages SET title = 'Another rule' WHERE page_id = 1"), ["page_differs"]),
    "a page's first sight": (
        lambda f: f.sql("UPDATE pages SET first_seen_at = '2024-01-01T00:00:00.000000Z' WHERE page_id = 1"),
        ["page_differs"],
    ),
    "a page is gone": (lambda f: f.sql("UPDATE pages SET gone_at = last_seen_at WHERE page_id = 1"), ["page_differs"]),
    "when a page was seen": (
        lambda f: f.sql("UPDATE pages SET last_seen_at = '2026-02-14T00:00:00.000000Z' WHERE page_id = 1"),
        ["page_differs"],
    ),
    "when a source was checked": (
        lambda f: f.sql("UPDATE source_state SET last_checked_at = '2026-02-14T00:00:00.000000Z'"),
        ["source_differs"],
    ),
    "how a URL ended": (
        lambda f: f.sql(
            "UPDATE run_urls SET state = 'captured' WHERE state = 'failed' AND kind = 'page'",
            "UPDATE runs SET counts = json_set(counts, '$.captured', json_extract(counts, '$.captured') + 1, "
            "'$.failed', 0) WHERE json_extract(counts, '$.failed') = 1",
        ),
        ["audit_missing", "fact_changed", "totals_differ"],
    ),
    "why a URL failed": (_url("reason = 'The server was away.'"), ["audit_missing"]),
    "the code of why a URL failed": (_url("reason_code = 'gone'"), ["audit_missing"]),
    "the details of why a URL failed": (_url("reason_detail = '{}'"), ["audit_missing"]),
    "which URL failed": (_url("url = url || 'x'"), ["audit_missing"]),
    "how a URL was judged": (_url("verdict = 'content', tier = 'browser'"), ["audit_missing"]),
    "how a URL ended, as a row before said": (
        lambda f: f.sql(
            "UPDATE run_urls SET state = 'failed', reason = 'x' WHERE kind = 'sitemap' AND state = 'captured'"
        ),
        ["audit_missing"],
    ),
    "a job that is said to live, to hide how its URLs ended": (
        lambda f: f.sql(
            "UPDATE leases SET expires_at = '2090-01-01T00:00:00.000000Z', owner = 'host:1:' ||"
            " (SELECT job_id FROM runs WHERE json_extract(counts, '$.failed') > 0)"
        ),
        ["clock_ahead"],
    ),
    "a list that a run had to read": (lambda f: f.sql("DELETE FROM run_urls WHERE kind = 'sitemap'"), ["run_sum"]),
    "the order of two audit rows": (_swap_audit_rows, ["audit_order"]),
    "an envelope's file removed as if it was pruned": (_forge_prune, ["prune_unrecorded"]),
    "a count of a run, said twice": (
        lambda f: f.sql(
            """UPDATE runs SET counts = replace(counts, '{', '{"captured": 99, ') WHERE state = 'complete'"""
        ),
        ["value_ambiguous"],
    ),
    "a trigger that protects the audit removed": (
        lambda f: _alter_schema(f, "DROP TRIGGER audit_refuses_update"),
        ["schema_differs"],
    ),
    "a trigger added that changes what is recorded": (
        lambda f: _alter_schema(
            f, "CREATE TRIGGER forge AFTER INSERT ON versions BEGIN UPDATE versions SET title = 'x'; END"
        ),
        ["schema_differs"],
    ),
    "a trigger made harmless": (
        lambda f: _alter_schema(
            f,
            "DROP TRIGGER log_heads_refuse_delete",
            "CREATE TRIGGER log_heads_refuse_delete BEFORE DELETE ON log_heads WHEN 0 BEGIN SELECT 1; END",
        ),
        ["schema_differs"],
    ),
    "a view in the place of a table": (
        lambda f: _alter_schema(
            f,
            "ALTER TABLE change_reviews RENAME TO kept",
            "CREATE VIEW change_reviews AS SELECT * FROM kept",
        ),
        ["schema_differs"],
    ),
    "an address that answers with another page's text": (
        lambda f: f.sql(
            "INSERT INTO page_aliases SELECT p.page_id, a.url_hash, a.url, 'redirect', a.seen_at FROM pages p,"
            " (SELECT url, url_hash, last_seen_at AS seen_at FROM pages WHERE url LIKE '%/rules/1/') a"
            " WHERE p.url LIKE '%/rules/2/'"
        ),
        ["alias_unaudited"],
    ),
    "a version's date of publication": (_version("published = '2020-01-01'"), ["fact_changed", "version_differs"]),
    "a version's effective date": (_version("effective = '2020-01-01'"), ["fact_changed", "version_differs"]),
    "a version's sections": (_version("section_hashes = '[]'"), ["fact_changed", "version_differs"]),
    "a version's tier": (_version("tier = 'browser'"), ["audit_differs", "fact_changed", "version_differs"]),
    "a version's bytes": (
        _version(f"raw_object = ({_FAILED_BYTES})"),
        ["audit_differs", "fact_changed", "version_differs"],
    ),
    "a version's text": (_version(f"body_object = ({_FAILED_BYTES})"), ["fact_changed", "version_differs"]),
    "a version's converter": (_version("converter_version = '0.1'"), ["fact_changed", "version_differs"]),
    "what a person said of a change": (
        lambda f: f.sql("UPDATE change_reviews SET decision = 'not_material'"),
        ["review_differs"],
    ),
    "who reviewed a change, and why": (
        lambda f: f.sql("UPDATE change_reviews SET reviewed_by = 'eve', reason = NULL"),
        ["review_differs"],
    ),
    "a review of a change removed": (lambda f: f.sql("DELETE FROM change_reviews"), ["review_missing"]),
    "who is to look at a change": (
        lambda f: f.sql("UPDATE change_assignments SET assignee = 'eve'"),
        ["assignment_differs"],
    ),
    "an assignment of a change removed": (lambda f: f.sql("DELETE FROM change_assignments"), ["assignment_missing"]),
    "a change invented": (
        lambda f: f.sql(
            "INSERT INTO changes SELECT page_id, seq + 90, source_id, at, from_seq, kind, importance, details, "
            "described_at FROM changes WHERE seq = 2"
        ),
        ["fact_unrecorded"],
    ),
    "a change removed with its review": (
        lambda f: f.sql(
            "DELETE FROM change_reviews",
            "DELETE FROM changes WHERE seq = 2",
            "DELETE FROM actions WHERE action = 'review_change'",
        ),
        ["fact_missing", "rows_missing"],
    ),
    "the status of a robots.txt": (
        lambda f: f.sql("UPDATE robots_seen SET status = 404, outcome = 'no_rules'"),
        ["fact_changed", "robots_differs"],
    ),
    "when a robots.txt was read": (
        lambda f: f.sql(f"UPDATE robots_seen SET fetched_at = {_DAY_BEFORE.format('fetched_at')}"),
        ["fact_changed", "robots_differs"],
    ),
    "the bytes of a robots.txt, by another object": (
        lambda f: f.sql(f"UPDATE robots_seen SET object = ({_FAILED_BYTES})"),
        ["fact_changed", "robots_differs"],
    ),
    "a page's robots.txt, with the log": (_replace_robots, ["robots_differs"]),
    "the text of an error line": (
        lambda f: f.lines("_errors.jsonl", lambda lines: [line.replace("HTTP 403", "HTTP 404") for line in lines]),
        ["error_line_differs"],
    ),
    "an error line removed": (lambda f: f.lines("_errors.jsonl", lambda lines: lines[1:]), ["error_line_missing"]),
    "an error line doubled": (
        lambda f: f.lines("_errors.jsonl", lambda lines: [*lines, lines[-1]]),
        ["error_line_twice"],
    ),
    "the error log reversed": (lambda f: f.lines("_errors.jsonl", lambda lines: lines[::-1]), ["errors_order"]),
    "the index reversed": (lambda f: f.lines("_index.jsonl", lambda lines: lines[::-1]), ["index_order"]),
    "the last line of the index put first": (
        lambda f: f.lines("_index.jsonl", lambda lines: [lines[-1], *lines[:-1]]),
        ["index_order"],
    ),
    "a failed run erased": (_erase_failed_run, ["fact_missing", "rows_missing", "totals_differ"]),
    "when a run ended": (
        lambda f: f.sql(f"UPDATE runs SET finished_at = {_DAY_BEFORE.format('started_at')} WHERE run_id = {_LAST_RUN}"),
        ["clock_backwards", "fact_changed", "source_differs"],
    ),
    "a time that is none": (
        lambda f: f.sql(f"UPDATE audit SET timestamp = 'last Tuesday' WHERE audit_id = {_UNCHANGED_ROW}"),
        ["audit_missing", "check_incomplete", "page_differs", "validators_differ", "value_unreadable"],
    ),
    "a day that no calendar has": (
        lambda f: f.sql("UPDATE versions SET captured_at = '2026-02-31T14:30:00.000000Z' WHERE page_id = 1"),
        ["check_incomplete", "value_unreadable"],
    ),
    "JSON that is none": (
        lambda f: f.sql("UPDATE actions SET details = '{' WHERE action_id = 3"),
        ["check_incomplete", "value_unreadable"],
    ),
    "JSON of another shape": (
        lambda f: f.sql("UPDATE runs SET counts = '[]' WHERE state = 'complete'"),
        ["fact_changed", "totals_differ"],
    ),
    "an action removed": (lambda f: f.sql("DELETE FROM actions WHERE action_id = 3"), ["fact_missing", "rows_missing"]),
    "an action dated ahead": (
        lambda f: f.sql("UPDATE actions SET at = '2090-01-01T00:00:00.000000Z' WHERE action_id = 3"),
        ["clock_ahead", "fact_changed"],
    ),
    "an action dated back": (
        lambda f: f.sql("UPDATE actions SET at = '2020-01-01T00:00:00.000000Z' WHERE action_id = 3"),
        ["clock_backwards", "fact_changed"],
    ),
}


#: Facts that nothing but a head contradicts once the log was computed anew: docs/explanation/evidence.md says so.
HEADS_ONLY = [
    "an audit row",
    "why a run failed",
    "who paused a source",
    "the last action removed",
    "an action added",
    "a summary with its file",
    "an index line with its row",
]


@pytest.mark.parametrize("edit", HEADS_ONLY)
def test_verify_after_a_forgery_with_its_log_is_found_by_heads_alone(forger: Forger, edit: str) -> None:
    LOGGED[edit][0](forger)
    forger.relog()
    assert forger.kinds() == []
    assert "head_differs" in forger.head_kinds()
    forger.sql("DELETE FROM log_heads")  # the copies are out of the forger's reach
    assert {"head_differs", "head_unrecorded"} <= set(forger.head_kinds())


def test_verify_after_a_row_and_its_leaf_were_rewritten_is_found_by_heads_alone(forger: Forger) -> None:
    first = "FROM audit WHERE audit_id = (SELECT min(audit_id) FROM audit)"
    run_id, seq = forger.value(f"SELECT run_id {first}"), forger.value(f"SELECT seq {first}")
    where = f"WHERE run_id = '{run_id}' AND seq = {seq}"
    forger.forge("audit", (run_id, seq), f"UPDATE audit SET response_time_ms = 1 {where}")
    assert forger.kinds() == []
    assert forger.head_kinds() == ["head_differs"]


def test_verify_after_rows_and_leaves_were_cut_at_the_end_is_found_by_heads_alone(forger: Forger) -> None:
    last = "(SELECT max(action_id) FROM actions)"
    assert forger.value(f"SELECT action FROM actions WHERE action_id = {last}") == "pause"
    last_leaf = "(SELECT max(position) FROM fact_leaves)"
    assert forger.value(f"SELECT kind FROM fact_leaves WHERE position = {last_leaf}") == "action"
    assert len(forger.value(f"SELECT hashes FROM fact_leaves WHERE position = {last_leaf}")) == HASH_BYTES
    forger.sql(
        f"DELETE FROM actions WHERE action_id = {last}",
        _UNPAUSE,
        f"DELETE FROM fact_leaves WHERE position = {last_leaf}",
        "DELETE FROM log_heads WHERE size = (SELECT max(size) FROM log_heads)",
    )
    assert forger.kinds() == []
    assert forger.head_kinds() == ["head_destination", "head_unrecorded", "log_shorter"]


HEADS: dict[str, tuple[str, list[str]]] = {
    "when a head was signed": ("UPDATE log_heads SET at = '2020-01-01T00:00:00.000000Z'", ["head_damaged"]),
    "the tree that the next head goes on from": (
        "UPDATE log_heads SET frontier = zeroblob(length(frontier))",
        ["head_damaged"],
    ),
    "what a destination has": ("UPDATE head_destinations SET size = size + 1000", ["head_destination"]),
}


@pytest.mark.parametrize("edit", HEADS)
def test_verify_heads_after_their_rows_were_forged_names_it(forger: Forger, edit: str) -> None:
    statement, expected = HEADS[edit]
    forger.sql(statement)
    assert forger.kinds() == []
    assert forger.head_kinds() == expected


def test_verify_heads_without_ledger_and_staging_area_is_no_agreement(shared: Project, forger: Forger) -> None:
    shutil.rmtree(forger.folder)
    env = {"RORI_STAGING": str(forger.staging), "RORI_DATABASE_URL": f"sqlite:///{forger.folder}/ledger.db"}
    done = shared.scrapy("verify", "--heads", str(forger.folder.parent / "heads.txt"), env=env)
    assert (done.returncode, done.stdout) == (3, "") and "--heads has copies" in done.stderr


def test_verify_heads_of_an_untouched_copy_finds_nothing(forger: Forger) -> None:
    assert forger.head_kinds() == []


def test_verify_of_an_untouched_copy_finds_nothing(forger: Forger) -> None:
    assert forger.kinds() == []


def test_verify_after_the_audit_tail_was_cut_names_it(forger: Forger) -> None:
    _cut_audit_tail(forger)
    # The page that ended last may have failed: its line in the error log is then left without a row of its own.
    of_error_log = {"error_line_without_row", "error_line_twice"}
    of_page = {"page_differs", "validators_differ"}  # where it did not
    assert {*forger.kinds()} - of_error_log - of_page == {"audit_missing", "fact_missing"}


def test_verify_after_the_times_of_a_run_were_changed_with_the_log_names_it(forger: Forger) -> None:
    _age_audit(forger)
    found = {*forger.kinds()}
    # Where the run before failed in the same second, a line without its row is like that of the other.
    of_error_log = found & {"error_line_without_row", "error_line_twice"}
    assert of_error_log
    assert found - of_error_log == {
        *("audit_differs", "audit_missing", "clock_backwards", "error_line_missing"),
        *("page_differs", "robots_differs", "validators_differ"),
    }


@pytest.mark.parametrize("edit", [*EDITS, *LOGGED])
def test_verify_after_a_forgery_names_it(forger: Forger, edit: str) -> None:
    forge, expected = {**EDITS, **LOGGED}[edit]
    forge(forger)
    assert forger.kinds() == expected


# Every column of every table: a fact, compared, or in the documents as one that proves nothing.

#: Columns that are no facts, and whose forgery is found all the same; what is written there, where any value will not
#: do.
COMPARED: dict[str, dict[str, str]] = {
    "change_assignments": dict.fromkeys(("page_id", "seq", "assignee", "due_on", "assigned_by", "assigned_at"), ""),
    "change_reviews": dict.fromkeys(("page_id", "seq", "decision", "reason", "reviewed_by", "reviewed_at"), ""),
    "change_totals": dict.fromkeys(("change_type", "versions"), ""),
    "envelopes": {"url_hash": "", "newest": "", "state": "'pruned'"},
    "fact_leaves": dict.fromkeys(("position", "kind", "subject", "hashes"), ""),
    "page_aliases": {"page_id": "1", "url_hash": "", "url": "", "seen_at": ""},
    "page_validators": dict.fromkeys(("page_id", "tier", "etag", "last_modified", "raw_hash", "seen_at"), ""),
    "pages": dict.fromkeys(
        (
            *("page_id", "url_hash", "title", "first_seen_at", "last_seen_at", "missing_since", "gone_at", "last_seq"),
            *("content_hash", "body_chars"),
        ),
        "",
    ),
    "run_totals": dict.fromkeys(metadata.tables["run_totals"].columns.keys(), ""),
    "run_urls": dict.fromkeys(
        (
            *("run_id", "url_hash", "url", "kind", "reason", "reason_code", "reason_detail", "tier", "verdict"),
            *("attempts", "settled_at"),
        ),
        "",
    )
    | {"state": "CASE state WHEN 'excluded' THEN 'failed' ELSE 'excluded' END"},
    "runs": {"browser_pages": ""},
    "source_state": dict.fromkeys(
        ("source_id", "paused_by", "paused_reason", "paused_at", "last_checked_at", "last_changed_at"), ""
    ),
}
#: Numbers that another copy of the ledger may give otherwise: the leaf has the page's URL in their place.
_NUMBERS = {("audit", "audit_id"), ("versions", "page_id"), ("changes", "page_id")}


def _fact_columns() -> set[tuple[str, str]]:
    found = {
        (base.table.name, base.name)
        for kind in FACT_KINDS.values()
        for column in kind.query.exported_columns
        for base in column.base_columns
    }
    return found - {(table, name) for table, name in found if name in {"audit_id", "page_id"}} | _NUMBERS


def _documented_columns() -> set[tuple[str, str]]:
    """Those that docs/explanation/evidence.md names as proving nothing."""
    text = Path("docs/explanation/evidence.md").read_text()
    _, _, table = text.partition("## Columns that prove nothing")
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", table.partition("\n## ")[0], re.MULTILINE)
    assert rows
    columns: set[tuple[str, str]] = set()
    for name, cell in rows:
        named = metadata.tables[name].columns.keys() if cell == "all" else re.findall(r"`(\w+)`", cell)
        columns |= {(name, column) for column in named}
    return columns


def test_verify_every_column_is_fact_or_compared_or_documented() -> None:
    every = {(table.name, column.name) for table in metadata.sorted_tables for column in table.columns}
    compared = {(table, column) for table, columns in COMPARED.items() for column in columns}
    groups = (_fact_columns() & every, compared, _documented_columns())
    assert sorted(every - set().union(*groups)) == [], "a column that no verification compares, and no document names"
    assert sorted(set().union(*groups) - every) == []
    assert Counter(one for group in groups for one in group).most_common(1)[0][1] == 1


def _forged(table: str, name: str) -> str:
    """SQL of another value of the column, of its type."""
    kind = metadata.tables[table].c[name].type
    if isinstance(kind, UtcDateTime):
        return f"coalesce({_DAY_BEFORE.format(name)}, '2026-02-14T00:00:00.000000Z')"
    if isinstance(kind, Boolean):
        return f"1 - {name}"
    if isinstance(kind, Integer | Float):
        return f"coalesce({name}, 0) + 1000"
    if isinstance(kind, JSON):
        return """'{"forged": 1}'"""
    return f"zeroblob(length({name}))" if name == "hashes" else f"coalesce({name}, '') || 'x'"


@pytest.mark.parametrize("table", COMPARED)
def test_verify_after_one_value_was_forged_finds_it(
    forger: Forger, tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_checks, "check_schema", lambda _: iter(()))  # half of the time, and another test's
    shutil.copy2(forger.folder / "ledger.db", tmp_path / "whole.db")
    unnoticed = []
    for name, value in COMPARED[table].items():
        shutil.copy2(tmp_path / "whole.db", forger.folder / "ledger.db")
        row = f"SELECT rowid FROM {table} ORDER BY {name} IS NULL, rowid DESC LIMIT 1"
        forger.sql(f"UPDATE {table} SET {name} = {value or _forged(table, name)} WHERE rowid = ({row})")
        unnoticed += [] if forger.kinds() else [name]
    assert unnoticed == []


@pytest.mark.parametrize(
    "table", ["change_assignments", "change_reviews", "change_totals", "envelopes", "pages", "run_totals", "run_urls"]
)
def test_verify_after_one_row_was_removed_finds_it(forger: Forger, table: str) -> None:
    forger.sql(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    assert forger.kinds()
