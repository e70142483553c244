"""What a sitemap says of its pages' last change, in every spelling, and what goes first because of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from rori_spiders.crawl.runs.run import SeenTimes, SourceHistory
from rori_spiders.items import RANK_MISSING, RANK_NEW, RANK_PAGE, RANK_RENDERED_NEXT, RANK_UNRENDERED
from rori_spiders.urls.canonical import url_hash
from rori_spiders.urls.sitemap_reader import parse_lastmod, read_sitemap
from tests.crawl.runs.test_run import visit
from tests.support.cases import cases

URL = "https://www.hud.gov/sitemap.xml"
PAGE = "https://www.hud.gov/a"


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]  # year to second


@cases(
    ("body", "lastmods"),
    [
        ("<urlset><url><loc>/a</loc><lastmod> 2024-05-01\n</lastmod></url></urlset>", {PAGE: "2024-05-01"}),
        ("<urlset><url><lastmod>2024-05-01</lastmod><loc>/a</loc></url></urlset>", {PAGE: "2024-05-01"}),
        ("<urlset><url><loc>/a</loc><lastmod/></url><url><lastmod>2024-05-01</lastmod></url></urlset>", {}),
        (
            '<urlset xmlns:v="urn:v"><url><loc>/a</loc><v:video><v:date>2020-01-01</v:date></v:video></url></urlset>',
            {},
        ),
        (
            "<rss><item><link>/a</link><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item></rss>",
            {PAGE: "Wed, 01 May 2024 10:00:00 GMT"},
        ),
        (
            "<feed><link href='/'/><entry><link href='/a'/><updated>2024-05-01T10:00:00Z</updated></entry></feed>",
            {PAGE: "2024-05-01T10:00:00Z"},
        ),
        ("https://www.hud.gov/a\n", {}),
    ],
)
def test_lastmod_read_from_sitemap(body: str, lastmods: dict[str, str]) -> None:
    assert read_sitemap(body.encode(), URL).lastmods == lastmods


@cases(
    ("lastmod", "moment"),
    [
        ("2024-05-01", at(2024, 5, 2, 12)),
        ("2024-05-01T10:00:00Z", at(2024, 5, 1, 10)),
        ("2024-05-01T10:00:00.5+02:00", at(2024, 5, 1, 8).replace(microsecond=500_000)),
        ("2024-05-01T10:00", at(2024, 5, 1, 22)),
        ("Wed, 01 May 2024 10:00:00 -0400", at(2024, 5, 1, 14)),
        ("2024-05", None),
        ("2024-13-45", None),
        ("9999-12-31", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_lastmod_latest_possible_moment(lastmod: str, moment: datetime | None) -> None:
    assert parse_lastmod(lastmod) == moment


def test_lastmod_new_and_changed_pages_go_first() -> None:
    assert SourceHistory().rank(visit("a")) == RANK_PAGE  # on a first visit all is new
    seen = SeenTimes((url_hash(visit(path).url), at(2024, 5, 10)) for path in ("a", "b", "c", "d"))
    history = SourceHistory(seen, missing={url_hash(visit("d").url)})
    assert history.rank(visit("new")) == RANK_NEW
    assert history.rank(replace(visit("a"), lastmod="2024-05-11")) == RANK_NEW
    assert history.rank(replace(visit("a"), lastmod="2024-05-09")) == RANK_NEW  # the day ends after our look
    assert history.rank(replace(visit("b"), lastmod="2024-05-08T00:00:00Z")) == RANK_PAGE
    assert history.rank(replace(visit("c"), lastmod="no date")) == RANK_PAGE
    assert history.rank(visit("c")) == RANK_PAGE
    assert history.rank(replace(visit("d"), lastmod="2024-05-11")) == RANK_MISSING


def test_rank_pages_left_by_the_browser_budget_go_before_new_ones() -> None:
    left = {url_hash(visit(path).url): at for at, path in enumerate("abc")}
    history = SourceHistory(unrendered=left, browser_budget=2)
    ranks = [history.rank(visit(path)) for path in ("a", "b", "c", "d")]
    assert ranks == [RANK_RENDERED_NEXT, RANK_RENDERED_NEXT, RANK_UNRENDERED, RANK_PAGE]
    assert sorted([*ranks, RANK_NEW]) == [*ranks[:3], RANK_NEW, RANK_PAGE]
