"""Commands, typed in a project folder: in this process where that is enough, and a ledger with something in it."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import entry_points
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from scrapy import cmdline
from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings

from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from tests.support.databases import open_empty_ledger
from tests.support.project import source
from tests.support.runs import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

    from tests.support.project import Project

_entry_points = cache(entry_points)  # Scrapy asks all installed packages, each time
BEGAN = datetime(2026, 2, 13, 7, 0, tzinfo=UTC)
START = "https://www.example.org/"


@dataclass(frozen=True)
class Result:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def typed(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Type ``scrapy ARGS`` in the project's folder, as `Project.scrapy` does, but without starting a process."""
    for name in [name for name in os.environ if name.startswith(("RORI_", "SCRAPY_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "rori_spiders.settings")
    monkeypatch.chdir(project.folder)

    def type_it(*args: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Result:
        with monkeypatch.context() as changed:
            changed.setattr(cmdline, "entry_points", _entry_points)
            # It reads the environment when it is imported, which a process does once.
            changed.delitem(sys.modules, "rori_spiders.settings", raising=False)
            for name, value in {**project.env, **(env or {})}.items():
                if name.startswith("RORI_"):
                    changed.setenv(name, value)
            changed.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode())))
            with pytest.raises(SystemExit) as ended:
                execute(["scrapy", *args], get_project_settings())
        said = capsys.readouterr()
        return Result(int(ended.value.code or 0), said.out, said.err)

    return type_it


@pytest.fixture
def three(project: Project) -> Project:
    """A project with three sources and no ledger: a page, a site under .gov, one that the manifest pauses."""
    project.manifest(
        [
            source("a-page", START, metadata={"agency": "CFPB"}),
            source("b-site", "https://www.hud.gov/fha/", method="crawl", priority="high"),
            source("c-paused", "https://www.example.com/", status="paused", jurisdiction="state:CA"),
        ]
    )
    return project


@pytest.fixture
def collected(three: Project) -> Project:
    """The same, where `a-page` was collected once, at BEGAN; see PAGES."""
    three.ledger.parent.mkdir()
    three.ledger.write_bytes(_collected_ledger())
    return three


@cache
def _collected_ledger() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        with closing(open_empty_ledger(path)) as ledger, ledger.begin() as connection:
            _one_run(connection)
        return path.read_bytes()


#: state, HTTP status, reason of the pages of the run.
PAGES = {
    START: ("captured", 200, CAPTURED),
    f"{START}same": ("unchanged", 200, Reason(ReasonCode.SAME_TEXT)),
    f"{START}search": ("excluded", None, Reason(ReasonCode.EXCLUDE_PATTERN, rule="/search*")),
    f"{START}broken": ("failed", 503, Reason(ReasonCode.SERVER_ERROR, http_status=503)),
    f"{START}=cmd()": ("failed", 404, Reason(ReasonCode.NOT_FETCHED, error='=HYPERLINK("http://evil")')),
}


def _one_run(connection: Connection) -> None:
    run = opened(connection, "a-page", BEGAN, method="scrape", resume_after=BEGAN - timedelta(days=7))
    frontier.add_urls(connection, run.run_id, [FrontierUrl(run.run_id, "a-page", url) for url in PAGES])
    for minute, (url, (state, status, reason)) in enumerate(PAGES.items()):
        at = BEGAN + timedelta(minutes=minute)
        frontier.settle_url(
            connection,
            run.run_id,
            url,
            state=state,
            reason=reason,
            tier="http",
            verdict="content",
            attempts=1,
            now=at,
        )
        audit_log.append_row(
            connection,
            audit_log.AuditRow(
                run_id=run.run_id,
                timestamp=at,
                manifest_id="a-page",
                url=url,
                engine="http",
                state=state,
                build="1.0.0",
                http_status=status,
                content_hash="ab" * 32 if state == "captured" else None,
                content_changed=state == "captured",
                response_time_ms=120,
                error=reason or None,
                reason=reason,
                staged_path="example.org/2026-02-13/a-page____abababab.json" if state == "captured" else None,
            ),
        )
    page = page_history.ensure_page(connection, "a-page", START, now=BEGAN)
    page_history.add_version(
        connection,
        page.page_id,
        page_history.NewVersion(
            run_id=run.run_id,
            captured_at=BEGAN,
            change_type="new",
            content_hash="ab" * 32,
            raw_object="cd" * 32,
            body_object="ab" * 32,
            section_hashes=[],
            converter_version="1",
            tier="http",
        ),
        body_chars=1000,
    )
    run_records.close_run(connection, run.run_id, state="complete", reason=None, now=BEGAN + timedelta(minutes=10))
    source_status.record_outcome(
        connection,
        "a-page",
        run_id=run.run_id,
        state="complete",
        operator="system",
        changed=False,
        now=BEGAN + timedelta(minutes=10),
    )
