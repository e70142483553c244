"""A ledger of an older version: a job brings it to this one, what only reads says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

import rori_spiders
from rori_spiders.ledger import upgrades
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def _make_older(ledger: Path) -> str:
    """A ledger as the program before the last migration made it; gives its version."""
    older = upgrades.known_revisions()[-2]
    ledger.parent.mkdir()
    engine, config = create_engine(f"sqlite:///{ledger}"), Config()
    config.set_main_option("script_location", str(Path(rori_spiders.__file__).parent / "ledger" / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.begin() as conn:
        config.attributes["connection"] = conn
        command.upgrade(config, older)
    engine.dispose()
    return older


def test_older_ledger_is_upgraded_by_collection(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    older = _make_older(project.ledger)
    foretold = project.scrapy("collect", "--dry-run")
    assert foretold.returncode == 3
    assert f"has the older version {older}. Run: scrapy ledger upgrade" in foretold.stderr
    assert crawl_output.rows("SELECT version_num FROM alembic_version") == [{"version_num": older}]

    done = project.scrapy("collect")
    assert done.returncode == 0, done.stderr
    assert crawl_output.rows("SELECT version_num FROM alembic_version") == [
        {"version_num": upgrades.known_revisions()[-1]}
    ]
    assert crawl_output.states("a") == {"/": "captured"}
    assert crawl_output.rows("SELECT idx FROM sqlite_stat1 WHERE tbl = 'audit'"), (
        "the job has told the planner of its tables"
    )
