"""`scrapy crawl -o`: a feed has what was staged, and a feed that fails fails the command."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import duckdb
import pytest

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

FORMATS = ("jsonl", "csv", "xml", "parquet")


@pytest.fixture
def collection(site: Site, project: Project) -> Project:
    """A site with two pages, and one that a firewall answers."""
    site.page("/", page("Start", "/1", "/blocked"))
    site.page("/1", page("=1+1"))
    site.page("/blocked", "<title>Just a moment...</title><h1>Checking your browser</h1>", status=403)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    return project


def test_feed_every_format_has_staged_envelopes_only(collection: Project) -> None:
    outputs = [word for form in FORMATS for word in ("-o", f"out.{form}")]
    done = collection.scrapy("crawl", "a", *outputs)
    assert done.returncode == 0, done.stderr
    staged = [json.loads(path.read_text("utf-8")) for path in collection.staging.glob("[!_]*/**/*.json")]
    expected = sorted(one["source"]["url"] for one in staged)
    assert len(expected) == 2
    read = {form: (collection.folder / f"out.{form}").read_text("utf-8") for form in ("jsonl", "csv", "xml")}
    lines = [json.loads(line) for line in read["jsonl"].splitlines()]
    assert sorted(lines, key=lambda one: one["envelope_id"]) == sorted(staged, key=lambda one: one["envelope_id"])
    rows = list(csv.DictReader(StringIO(read["csv"])))
    assert sorted(row["source.url"] for row in rows) == expected
    assert {row["page_metadata.title"] for row in rows} == {"Start", "'=1+1"}
    urls = [one.findtext("source/url") for one in ElementTree.fromstring(read["xml"])]
    assert sorted(map(str, urls)) == expected
    table = duckdb.read_parquet(str(collection.folder / "out.parquet"))
    assert sorted(url for (url,) in table.project('"source.url"').fetchall()) == expected
    again = collection.scrapy("crawl", "a", "-o", "again.jsonl", "-o", "again.csv", "-o", "out.csv")
    assert again.returncode == 0, again.stderr
    assert (collection.folder / "again.jsonl").read_bytes() == b""  # nothing changed, so nothing was staged
    assert (collection.folder / "again.csv").read_text("utf-8") == read["csv"].splitlines(keepends=True)[0]
    assert (collection.folder / "out.csv").read_text("utf-8") == read["csv"]
    assert again.stderr.count("Nothing was staged, so the feed again.") == 2


def test_feed_failing_is_named_and_fails_command(collection: Project) -> None:
    feeds = {"/dev/full": {"format": "jsonl"}, "good.jsonl": {"format": "jsonl"}}
    done = collection.scrapy("crawl", "a", "-s", f"FEEDS={json.dumps(feeds)}")
    assert done.returncode == 1, done.stderr
    assert "The feed /dev/full is incomplete: OSError: [Errno 28]" in done.stdout
    assert len((collection.folder / "good.jsonl").read_text("utf-8").splitlines()) == 2


def test_feed_that_cannot_be_stored_is_named(collection: Project) -> None:
    feeds = {"ftp://user:geheim@127.0.0.1:9/out.csv": {"format": "csv"}, "good.jsonl": {"format": "jsonl"}}
    done = collection.scrapy("crawl", "a", "-s", f"FEEDS={json.dumps(feeds)}")
    assert done.returncode == 1, done.stderr
    [line] = [line for line in done.stdout.splitlines() if "is incomplete" in line]
    assert "@127.0.0.1:9/out.csv is incomplete: it could not be stored; the log says why." in line
    assert "geheim" not in line


def test_feed_that_cannot_work_is_refused_before_first_request(site: Site, collection: Project) -> None:
    (collection.folder / "old.parquet").write_bytes(b"PAR1")
    old = collection.scrapy("crawl", "a", "-o", "old.parquet")
    assert (old.returncode, "cannot be appended" in old.stderr) == (2, True), old.stderr
    unknown = collection.scrapy("crawl", "a", "-s", 'FEEDS={"x.foo": {"format": "foo"}}')
    assert (unknown.returncode, "unknown format 'foo'" in unknown.stderr) == (2, True), unknown.stderr
    assert site.log.hits() == []
    assert (collection.folder / "old.parquet").read_bytes() == b"PAR1"
