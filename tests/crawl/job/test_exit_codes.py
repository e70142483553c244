"""Exit codes 2 and 3: said before the first request, and nothing is changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.fixture
def ready(site: Site, project: Project) -> Project:
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.05)
    return project


def refused(project: Project, site: Site, code: int, *said: str, args: tuple[str, ...] = ()) -> None:
    """`scrapy collect` ends with *code*, says why in plain words, and has asked nobody."""
    done = project.scrapy("collect", *args, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    for words in said:
        assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert site.log.hits() == []


def test_collect_with_staging_area_that_is_a_file(ready: Project, site: Site) -> None:
    ready.staging.parent.mkdir()
    ready.staging.write_text("not a folder", encoding="utf-8")
    refused(ready, site, 3, str(ready.staging))
    assert ready.staging.read_text(encoding="utf-8") == "not a folder"


def test_collect_with_locked_ledger(ready: Project, site: Site) -> None:
    assert ready.scrapy("collect").returncode == 0
    site.log.clear()
    ready.env["RORI_LEDGER_TIMEOUT"] = "2"
    with closing(sqlite3.connect(ready.ledger, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        refused(ready, site, 3, "locked", args=("--force",))


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda crawl_output: crawl_output.change("UPDATE alembic_version SET version_num = '9999'"), "newer"),
        (lambda crawl_output: crawl_output.project.ledger.write_bytes(b"no database" * 1000), "not a database"),
    ],
    ids=["newer", "garbage"],
)
def test_collect_with_unusable_ledger(
    ready: Project, site: Site, break_it: Callable[[CrawlOutput], None], said: str
) -> None:
    crawl_output = CrawlOutput(ready)
    assert ready.scrapy("collect").returncode == 0
    files = crawl_output.files()
    site.log.clear()
    break_it(crawl_output)
    refused(ready, site, 3, said, args=("--force",))
    assert crawl_output.files() == files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"sources": [', "manifest.json"),
        (b'{"sources": [{"id": "a", "url": "ftp://x", "colour": "red"}]}', "colour"),
        (b"\x00\x00\x00", "manifest.json"),
    ],
    ids=["truncated", "unknown key", "NUL bytes"],
)
def test_collect_with_broken_manifest(ready: Project, site: Site, text: bytes, said: str) -> None:
    (ready.folder / "manifest.json").write_bytes(text)
    refused(ready, site, 2, said)
    assert not ready.ledger.exists()
    assert not ready.staging.exists()


def test_words_that_nobody_knows(ready: Project, site: Site) -> None:
    refused(ready, site, 2, "--sorce", args=("--sorce", "a"))
    refused(ready, site, 2, "no source 'b'", args=("--source", "b"))


def test_collect_with_staging_area_that_breaks(site: Site, ready: Project) -> None:
    """Nothing can be recorded any more: the job stops with 3, the page stays pending, and the next job fetches it."""
    site.page("/2", page("Second"))
    ready.manifest([source("a", site.at("/")), source("b", site.at("/2"))], delay_s=0.05)
    held, crawl_output, objects = site.slow("/2", times=1), CrawlOutput(ready), ready.staging / "_objects"
    with job(ready, "collect", env={"RORI_PARALLEL_RUNS": "1"}) as running:
        site.log.wait_for("/2")
        objects.rename(ready.folder / "kept")
        objects.write_text("a disk that is full", encoding="utf-8")
        held.release()
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 3, said
    assert crawl_output.states("a") == {"/": "captured"}
    assert crawl_output.states("b") == {"/2": "pending"}
    objects.unlink()
    (ready.folder / "kept").rename(objects)
    after = ready.scrapy("collect")
    assert (after.returncode, crawl_output.states("b")) == (0, {"/2": "captured"}), after.stdout
    crawl_output.assert_verified()
